package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"reverie/api"
	"reverie/store/dreams"
)

// odd are values that a client may send for any parameter, as percent-encoded text.
var odd = []string{
	"%00", "a%00b", "%FF", "%ED%A0%80", "%E2%80%AE", "..%2F..", "-1", "0", "99999999999999999999", "9223372036854775807", "2147483648", "1e400",
	"0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "00000000-0000-0000-0000-000000000000", "%27%3B--", strings.Repeat("a", 5000),
}

// oddJSON are values for any field of a body.
var oddJSON = []string{
	`"a\u0000b"`, `"\ud800"`, "\"\xff\xc0\xaf\"", `-1`, `2147483648`, `9223372036854775807`, `99999999999999999999`, `1e400`, `null`, `[]`,
	`{"\u0000":"\u0000"}`, `[{}]`, `[[]]`, `""`, `"0000-01-01T00:00:00Z"`, `"9999-12-31T23:59:59.999999999Z"`, strings.Repeat("[", 10_000),
}

// oddHeaders are values for any header.
var oddHeaders = []string{
	"\xff\xfe", "a\tb", `"`, `W/"`, `"a", "b"`, "*", "-1", "99999999999999999999", "ü", strings.Repeat("a", 5000),
}

// sweep sends requests, and collects those that the server takes the blame for.
type sweep struct {
	h     *harness
	slots chan struct{}
	all   sync.WaitGroup
	mu    sync.Mutex
	sent  int
	found map[string]string // by operation and place: the first value and its answer
}

func (s *sweep) try(op, at string, r request) {
	s.slots <- struct{}{}
	s.all.Go(func() {
		defer func() { <-s.slots }()
		got, err := s.send(r)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.sent++
		if err != nil && !strings.Contains(err.Error(), "invalid header field value") {
			s.found[op+" "+at] = err.Error()
		}
		// Without workflows some cannot be carried out.
		if got >= 500 && got != http.StatusServiceUnavailable {
			if s.found[op+" "+at] == "" {
				s.found[op+" "+at] = fmt.Sprintf("%d for %.80q %.80q %.80q", got, r.path, r.header, r.body)
			}
		}
	})
}

// send returns the status of an answer. It does not read the answer, which may be a stream.
func (s *sweep) send(r request) (int, error) {
	var body *strings.Reader
	if text, is := r.body.(string); is {
		body = strings.NewReader(text)
	} else {
		body = strings.NewReader("")
	}
	request, err := http.NewRequestWithContext(s.h.t.Context(), r.method, s.h.url, body)
	if err != nil {
		return 0, err
	}
	path, query, _ := strings.Cut(r.path, "?")
	request.URL.Opaque = "//" + request.URL.Host + path
	request.URL.RawQuery = query
	request.Header.Set("Authorization", "Bearer "+s.h.admin)
	if r.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range r.header {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// Whatever a client sends in any parameter, header or field of any operation, the fault is the client's: the server never answers 500.
func TestOddValuesAreTheClientsFault(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.post("c1", batch("42", true, "I live in Bern.", "Noted.")), 202)
	dreamt := h.dreamt("api:42", dreams.NewDream{})
	document, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	var described struct {
		Paths map[string]map[string]struct {
			OperationID string
			SameAs      string `json:"x-reverie-same-as"`
			Parameters  []struct{ Name, In string }
			RequestBody struct {
				Content map[string]struct{ Schema bodySchema }
			}
		}
		Components struct{ Schemas map[string]bodySchema }
	}
	if err := json.Unmarshal(encoded, &described); err != nil {
		t.Fatal(err)
	}
	table := probes(h.quarantined("c1"), dreamt.ID, dreamt.ID)
	s := &sweep{h: h, slots: make(chan struct{}, 8), found: map[string]string{}}
	filled := strings.NewReplacer("{agent}", "ada", "{conversation}", "c1", "{dream}", dreamt.ID.String(), "{path}", "AGENTS.md", "{key}", uuid.NewString())
	parameters, fields := 0, 0
	for _, path := range slices.Sorted(maps.Keys(described.Paths)) {
		for method, op := range described.Paths[path] {
			if op.SameAs != "" { // the same handler
				continue
			}
			method = strings.ToUpper(method)
			good := table[op.OperationID]
			valid := "{}"
			if good.body != nil {
				raw, err := json.Marshal(good.body(1))
				if err != nil {
					t.Fatal(err)
				}
				valid = string(raw)
			}
			var body any
			content, hasBody := op.RequestBody.Content["application/json"]
			if hasBody {
				body = valid
			}
			for _, p := range op.Parameters {
				parameters++
				values := odd
				if p.In == "header" {
					values = oddHeaders
				}
				for _, value := range values {
					r := request{method: method, path: filled.Replace(path), body: body}
					switch p.In {
					case "path":
						r.path = filled.Replace(strings.ReplaceAll(path, "{"+p.Name+"}", value))
					case "query":
						r.path += "?" + url.QueryEscape(p.Name) + "=" + value
					case "header":
						r.header = map[string]string{p.Name: value}
					}
					s.try(op.OperationID, p.In+"."+p.Name, r)
				}
			}
			if !hasBody {
				continue
			}
			for place, fill := range bodiesOf(content.Schema, described.Components.Schemas, valid) {
				fields++
				for _, value := range oddJSON {
					s.try(op.OperationID, "body."+place, request{method: method, path: filled.Replace(path), body: fill(value)})
				}
			}
		}
	}
	for _, tool := range as[struct{ Items []toolSchema }](h, h.want(h.get("/api/v1/agents/ada/tools"), 200)).Items {
		for name := range tool.Parameters.Properties {
			fields++
			for _, value := range oddJSON {
				s.try("call-tool "+tool.Name, name, request{
					method: "POST", path: "/api/v1/agents/ada/tools/" + tool.Name + "?endUserId=42", body: withField("{}", name, value),
				})
			}
		}
	}
	s.all.Wait()
	for _, at := range slices.Sorted(maps.Keys(s.found)) {
		t.Errorf("%s: %s", at, s.found[at])
	}
	t.Logf("%d requests with odd values of %d parameters and %d fields", s.sent, parameters, fields)
	if parameters < 100 || fields < 60 {
		t.Errorf("only %d parameters and %d fields", parameters, fields)
	}
}

// bodySchema holds the parts of a JSON schema that the sweep needs.
type bodySchema struct {
	Ref        string `json:"$ref"`
	Properties map[string]bodySchema
	Items      *bodySchema
}

// toolSchema is a tool with the schema of its arguments.
type toolSchema struct {
	Name       string
	Parameters bodySchema
}

// bodiesOf returns, for the whole of a body and each field of its schema, how to make the body with another value there. The rest is
// that of a valid body, or an object with nothing else.
func bodiesOf(schema bodySchema, known map[string]bodySchema, valid string) map[string]func(string) string {
	out := map[string]func(string) string{"": func(value string) string { return value }}
	var visit func(s bodySchema, at string, around func(string) string, depth int)
	visit = func(s bodySchema, at string, around func(string) string, depth int) {
		if s.Ref != "" {
			s = known[s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]]
		}
		if depth > 6 {
			return
		}
		if s.Items != nil {
			visit(*s.Items, at+"[0]", func(value string) string { return around("[" + value + "]") }, depth+1)
			out[at+"[0]"] = func(value string) string { return around("[" + value + "]") }
		}
		for name, field := range s.Properties {
			inside := func(value string) string { return around(fmt.Sprintf("{%q:%s}", name, value)) }
			if depth == 0 {
				inside = func(value string) string { return withField(valid, name, value) }
			}
			out[at+"."+name] = inside
			visit(field, at+"."+name, inside, depth+1)
		}
	}
	visit(schema, "", func(value string) string { return value }, 0)
	return out
}

// withField replaces a field of a JSON object by a value, which need not be JSON.
func withField(object, name, value string) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &fields); err != nil {
		panic(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "{%q:%s", name, value)
	for _, other := range slices.Sorted(maps.Keys(fields)) {
		if other != name {
			fmt.Fprintf(&b, ",%q:%s", other, fields[other])
		}
	}
	return b.String() + "}"
}
