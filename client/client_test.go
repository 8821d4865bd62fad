package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func note() Request {
	return Request{RequestID: "case-41", Agent: "ada", Owner: "user:7", Target: "memory/cases.md", Strategy: Append, Content: "Closed.\n"}
}

// TestWriteIsRepeated: what can pass is tried again, with the same request, until there is a receipt.
func TestWriteIsRepeated(t *testing.T) {
	t.Parallel()
	answers := []struct {
		status int
		body   string
	}{
		{502, "<html>a proxy</html>"},
		{503, `{"code":503,"error":"store_unavailable","msg":"away","data":null}`},
		{429, `{"code":429,"error":"rate_limited","msg":"slow down","data":null}`},
		{202, `{"code":202,"msg":"success","data":{"requestId":"case-41","outcome":"staged"}}`},
		{200, `{"code":200,"msg":"success","data":{"requestId":"case-41","outcome":"written","version":3,"scope":"PERSONAL"}}`},
	}
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/api/v1/agents/ada/writes" || r.Header.Get("Authorization") != "Bearer rv_secret" {
			t.Errorf("%s %v %v", r.URL, r.Header, err)
		}
		a := answers[len(bodies)]
		bodies = append(bodies, string(raw))
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.body)
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	receipt, err := New(server.URL+"/", "rv_secret", nil).Write(ctx, note())
	if err != nil || receipt.Outcome != Written || receipt.Version != 3 || receipt.Err() != nil {
		t.Fatalf("%+v, %v", receipt, err)
	}
	for _, body := range bodies {
		if body != bodies[0] || strings.Contains(body, `"agent"`) {
			t.Errorf("sent %s", body)
		}
	}
}

func TestWriteFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		name   string
	}{{409, NameKeyReused}, {422, NameInvalidRequest}, {401, NameUnauthorized}, {403, NameForbidden}, {404, NameNotFound}} {
		calls := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			calls++
			w.WriteHeader(c.status)
			_, _ = fmt.Fprintf(w, `{"code":%d,"error":%q,"msg":"why","data":{"faults":[]}}`, c.status, c.name)
		}))
		_, err := New(server.URL, "rv_secret", nil).Write(t.Context(), note())
		server.Close()
		refused, is := errors.AsType[*Error](err)
		if !is || refused.Name != c.name || refused.Status != c.status || refused.Message != "why" || calls != 1 {
			t.Errorf("%s: %v after %d calls", c.name, err, calls)
		}
	}
	bad := note()
	bad.RequestID = "a b"
	if _, err := New("http://127.0.0.1:1", "rv_secret", nil).Write(t.Context(), bad); err == nil ||
		!strings.Contains(err.Error(), "request id") {
		t.Errorf("a bad id: %v", err)
	}
}

// TestWriteEndsWithItsContext: accepted and not written in time is a receipt, never accepted is an error.
func TestWriteEndsWithItsContext(t *testing.T) {
	t.Parallel()
	status, body := 202, `{"data":{"requestId":"case-41","outcome":"staged"}}`
	asked := make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		asked <- struct{}{}
	}))
	defer server.Close()
	// write gives up when it has asked for the second time: it has the first answer then.
	write := func() (Receipt, error) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		go func() {
			<-asked
			<-asked
			cancel()
		}()
		return New(server.URL, "rv_secret", nil).Write(ctx, note())
	}
	if receipt, err := write(); err != nil || receipt.Outcome != Staged {
		t.Errorf("accepted: %+v, %v", receipt, err)
	}
	status, body = 503, `{"error":"store_unavailable"}`
	if receipt, err := write(); !errors.Is(err, context.Canceled) || receipt.Outcome != "" {
		t.Errorf("never accepted: %+v, %v", receipt, err)
	}
}

func TestRefusedReceipt(t *testing.T) {
	t.Parallel()
	refused, is := errors.AsType[*RefusedError](Receipt{RequestID: "r", Outcome: Refused, ReasonCode: MemoryOff}.Err())
	if !is || refused.ReasonCode != MemoryOff {
		t.Errorf("got %v", refused)
	}
	for _, fine := range []Outcome{Staged, Written, Unchanged} {
		if err := (Receipt{Outcome: fine}).Err(); err != nil {
			t.Errorf("%s: %v", fine, err)
		}
	}
}

// TestProofHoldsForOneRequest: it survives JSON, which spells data otherwise, and no part can be another one.
func TestProofHoldsForOneRequest(t *testing.T) {
	t.Parallel()
	signer := NewSigner("01a20000-0000-7000-8000-000000000000", "rv_secret")
	request := note()
	request.Data = json.RawMessage(`{ "b": 1.50, "a": "<&>", "n": 12345678901234567890 }`)
	signed, err := signer.Sign(request)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(signed)
	if err != nil {
		t.Fatal(err)
	}
	var arrived SignedRequest
	if err := json.Unmarshal(raw, &arrived); err != nil {
		t.Fatal(err)
	}
	sent, err := request.Canonical()
	got, wrong := arrived.Canonical()
	if err != nil || wrong != nil || string(sent) != string(got) {
		t.Errorf("%q became %q (%v, %v)", sent, got, err, wrong)
	}
	for name, change := range map[string]func(*Request){
		"request id": func(r *Request) { r.RequestID = "case-42" },
		"agent":      func(r *Request) { r.Agent = "bob" },
		"owner":      func(r *Request) { r.Owner = "user:8" },
		"scope":      func(r *Request) { r.Scope = Team },
		"target":     func(r *Request) { r.Target = "MEMORY.md" },
		"strategy":   func(r *Request) { r.Strategy = Overwrite },
		"content":    func(r *Request) { r.Content += "!" },
		"data":       func(r *Request) { r.Data = json.RawMessage(`{"a":"<&>","b":1.5,"n":12345678901234567890}`) },
		"reason":     func(r *Request) { r.Reason = "r" },
		"two parts":  func(r *Request) { r.Agent, r.Owner = "adau", "ser:7" },
	} {
		other := request
		change(&other)
		if form, err := other.Canonical(); err != nil || string(form) == string(sent) {
			t.Errorf("another %s has the same form (%v)", name, err)
		}
	}
	for _, text := range []string{
		fmt.Sprint(signer), fmt.Sprintf("%+v %#v", signer, signer), slog.AnyValue(signer).Resolve().String(), string(raw),
	} {
		if strings.Contains(text, "rv_secret") {
			t.Errorf("the secret is shown: %s", text)
		}
	}
	request.Data = json.RawMessage(`{} {}`)
	if _, err := signer.Sign(request); err == nil {
		t.Error("data that is no JSON is signed")
	}
}
