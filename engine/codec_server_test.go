package engine

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/encoding/protojson"

	"reverie/config"
)

const codecKey, codecUI = "the-key-of-the-codec-server", "https://temporal.example.com"

func codecServer(t *testing.T) (*CodecServer, string) {
	t.Helper()
	s, err := NewCodecServer(config.Config{EncryptionKeys: config.Secret(key("a", 'x')), CodecKey: codecKey}, codecUI+"/namespaces")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := converter.GetDefaultDataConverter().ToPayload("readable")
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := s.keys.Encode([]*commonpb.Payload{plain})
	if err != nil {
		t.Fatal(err)
	}
	body, err := protojson.Marshal(&commonpb.Payloads{Payloads: sealed})
	if err != nil {
		t.Fatal(err)
	}
	return s, string(body)
}

func ask(s *CodecServer, method, path, body string, header map[string]string) *http.Response {
	r := httptest.NewRequest(method, "https://codec.example.com"+path, strings.NewReader(body))
	for name, value := range header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w.Result()
}

func textOf(r *http.Response) string {
	var b strings.Builder
	buf := make([]byte, 1<<16)
	n, _ := r.Body.Read(buf)
	b.Write(buf[:n])
	return b.String()
}

// Nobody without the key gets anything decrypted or encrypted, and no browser on another page.
func TestTheCodecServerNeedsTheKey(t *testing.T) {
	s, body := codecServer(t)
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return now }
	signedIn := ask(s, "POST", "/", url.Values{"key": {codecKey}}.Encode(), map[string]string{
		"Content-Type": "application/x-www-form-urlencoded", "Origin": "https://codec.example.com",
	})
	if len(signedIn.Cookies()) != 1 {
		t.Fatalf("signing in: %d", signedIn.StatusCode)
	}
	cookie := signedIn.Cookies()[0]
	if !cookie.HttpOnly || !cookie.Secure || cookie.SameSite != http.SameSiteStrictMode || strings.Contains(cookie.Value, codecKey) {
		t.Errorf("the cookie is %+v", cookie)
	}
	session := codecCookie + "=" + cookie.Value
	until, mac, _ := strings.Cut(cookie.Value, ".")
	for name, c := range map[string]struct {
		header map[string]string
		later  time.Duration
		status int
	}{
		"nothing":            {status: 401},
		"a wrong key":        {header: map[string]string{"Authorization": "Bearer " + codecKey + "x"}, status: 401},
		"no scheme":          {header: map[string]string{"Authorization": codecKey}, status: 401},
		"the key":            {header: map[string]string{"Authorization": "Bearer " + codecKey}, status: 200},
		"the UI":             {header: map[string]string{"Authorization": "Bearer " + codecKey, "Origin": codecUI}, status: 200},
		"a session":          {header: map[string]string{"Cookie": session, "Origin": codecUI}, status: 200},
		"an old session":     {header: map[string]string{"Cookie": session}, later: codecSession, status: 401},
		"a longer session":   {header: map[string]string{"Cookie": codecCookie + "=9" + until + "." + mac}, status: 401},
		"a session unsigned": {header: map[string]string{"Cookie": codecCookie + "=" + until}, status: 401},
		"another page":       {header: map[string]string{"Cookie": session, "Origin": "https://evil.example"}, status: 403},
		"a similar page":     {header: map[string]string{"Cookie": session, "Origin": codecUI + ".evil.example"}, status: 403},
		"no page":            {header: map[string]string{"Cookie": session, "Origin": "null"}, status: 403},
	} {
		for _, path := range []string{"/decode", "/encode"} {
			s.now = func() time.Time { return now.Add(c.later) }
			header := map[string]string{"Content-Type": "application/json"}
			maps.Copy(header, c.header)
			got := ask(s, "POST", path, body, header)
			answer := textOf(got)
			if got.StatusCode != c.status {
				t.Errorf("%s: %s answers %d: %s", name, path, got.StatusCode, answer)
			}
			if path == "/decode" && strings.Contains(answer, "InJlYWRhYmxlIg") != (c.status == 200) { // base64 of the text
				t.Errorf("%s: %s", name, answer)
			}
			allowed := got.Header.Get("Access-Control-Allow-Origin")
			if want := map[bool]string{true: codecUI}[c.header["Origin"] == codecUI]; allowed != want {
				t.Errorf("%s: pages of %q may read the answer", name, allowed)
			}
		}
	}
}

// A preflight request needs no key, and only the UI's pages learn what they may send.
func TestPreflightOfTheCodecServer(t *testing.T) {
	s, _ := codecServer(t)
	got := ask(s, "OPTIONS", "/decode", "", map[string]string{"Origin": codecUI, "Access-Control-Request-Headers": "x-namespace,content-type"})
	if got.StatusCode != 204 || got.Header.Get("Access-Control-Allow-Origin") != codecUI ||
		got.Header.Get("Access-Control-Allow-Credentials") != "true" || !strings.Contains(got.Header.Get("Access-Control-Allow-Headers"), "X-Namespace") {
		t.Errorf("%d %v", got.StatusCode, got.Header)
	}
	if got := ask(s, "OPTIONS", "/decode", "", map[string]string{"Origin": "https://evil.example"}); got.StatusCode != 403 {
		t.Errorf("another page: %d", got.StatusCode)
	}
	if got := ask(s, "GET", "/decode", "", nil); got.StatusCode != 405 {
		t.Errorf("GET: %d", got.StatusCode)
	}
}

func TestSigningInToTheCodecServer(t *testing.T) {
	s, _ := codecServer(t)
	form := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	for name, c := range map[string]struct {
		key, origin string
		status      int
	}{
		"the key": {codecKey, "", 200}, "a wrong key": {"wrong", "", 401}, "no key": {"", "", 401}, "another page": {codecKey, codecUI, 403},
	} {
		form["Origin"] = c.origin
		got := ask(s, "POST", "/", url.Values{"key": {c.key}}.Encode(), form)
		if got.StatusCode != c.status || (len(got.Cookies()) == 1) != (c.status == 200) {
			t.Errorf("%s: %d with %d cookies", name, got.StatusCode, len(got.Cookies()))
		}
	}
	if page := textOf(ask(s, "GET", "/", "", nil)); !strings.Contains(page, `type="password"`) || strings.Contains(page, codecKey) {
		t.Errorf("the page is\n%s", page)
	}
}

func TestTheCodecServerIsNotStartedWithoutKeys(t *testing.T) {
	good := config.Config{EncryptionKeys: config.Secret(key("a", 'x')), CodecKey: codecKey}
	for name, change := range map[string]func(*config.Config){
		"ENCRYPTION_KEYS": func(c *config.Config) { c.EncryptionKeys = "" }, "CODEC_KEY": func(c *config.Config) { c.CodecKey = "short" },
		"encryption key": func(c *config.Config) { c.EncryptionKeys = "a:b" },
	} {
		c := good
		change(&c)
		if _, err := NewCodecServer(c, codecUI); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewCodecServer(good, "temporal"); err == nil {
		t.Error("a UI without an address was accepted")
	}
}
