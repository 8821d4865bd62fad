package hooks

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

func sender(roots *x509.CertPool, allowed ...netip.Prefix) *Sender {
	return NewSender("test", 500*time.Millisecond, allowed, &tls.Config{RootCAs: roots}, time.Now)
}

// Every way in which an endpoint can fail has a reason, which has no word of the endpoint. Nothing goes to another address than the one that
// was named.
func TestSendFails(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int32
	private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer private.Close()
	answers := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", private.URL)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "the endpoint's own words")
		}
	}
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for name, c := range map[string]struct {
		endpoint http.HandlerFunc
		tls      bool
		status   int
		reason   Reason
	}{
		"ok":            {endpoint: answers(204), status: 204},
		"server error":  {endpoint: answers(500), status: 500, reason: ReasonStatus},
		"refusal":       {endpoint: answers(422), status: 422, reason: ReasonStatus},
		"gone":          {endpoint: answers(410), status: 410, reason: ReasonStatus},
		"redirect":      {endpoint: answers(307), status: 307, reason: ReasonRedirect},
		"moved":         {endpoint: answers(301), status: 301, reason: ReasonRedirect},
		"no answer":     {endpoint: hang, reason: ReasonTimeout},
		"untrusted TLS": {endpoint: answers(200), tls: true, reason: ReasonTLS},
		"reset": {endpoint: func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			if tcp, is := conn.(*net.TCPConn); is {
				_ = tcp.SetLinger(0)
			}
			_ = conn.Close()
		}, reason: ReasonConnection},
		"no HTTP": {endpoint: func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			_, _ = io.WriteString(conn, "SSH-2.0-the endpoint's own words\r\n")
			_ = conn.Close()
		}, reason: ReasonConnection},
		"endless header": {endpoint: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		}, reason: ReasonConnection},
		"slow body": {endpoint: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(200)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, status: 200},
		"endless body": {endpoint: func(w http.ResponseWriter, _ *http.Request) {
			for part := []byte(strings.Repeat("x", 1<<16)); ; {
				if _, err := w.Write(part); err != nil {
					return
				}
			}
		}, status: 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // the server then notices that the client has gone
				c.endpoint(w, r)
			}))
			s.Config.ErrorLog = nil
			if c.tls {
				s.StartTLS()
			} else {
				s.Start()
			}
			defer s.Close()
			began := time.Now()
			out, err := sender(nil, loopback...).Send(t.Context(), s.URL, [][]byte{[]byte("secret")}, Message{ID: "evt_1", Body: []byte(`{}`)})
			if err != nil || out.Status != c.status || out.Reason != c.reason || out.Delivered() != (c.reason == "") {
				t.Errorf("%+v, %v", out, err)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
			if text := fmt.Sprintf("%+v", out); strings.Contains(text, "words") {
				t.Errorf("the outcome quotes the endpoint: %s", text)
			}
		})
	}
	t.Cleanup(func() {
		if n := elsewhere.Load(); n > 0 {
			t.Errorf("a redirect was followed %d times", n)
		}
	})
}

// Nothing is sent to addresses of this machine or of private networks, by whatever name, unless a setting allows it; and only over TLS to
// others.
func TestSendOnlyToPublicAddresses(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	m, secrets := Message{ID: "evt_1", Body: []byte(`{}`)}, [][]byte{[]byte("secret")}
	for _, url := range []string{
		s.URL, "https://localhost:" + port, "https://[::ffff:127.0.0.1]:" + port, "https://2130706433:" + port, "https://0x7f.1:" + port,
		"https://0.0.0.0:" + port, "http://127.0.0.1:" + port, "https://169.254.169.254/latest/meta-data/", "http://10.0.0.1", "file:///etc/passwd",
		"https://[fd00:ec2::254]/", "https://[64:ff9b::7f00:1]:" + port, "http://1.1.1.1/", // not without TLS
	} {
		out, err := sender(roots).Send(t.Context(), url, secrets, m)
		if err != nil || out.Reason != ReasonAddress && out.Reason != ReasonName {
			t.Errorf("%s: %+v, %v", url, out, err)
		}
	}
	if n := reached.Load(); n > 0 {
		t.Errorf("the endpoint was reached %d times", n)
	}
	if out, err := sender(roots, loopback...).Send(t.Context(), s.URL, secrets, m); err != nil || !out.Delivered() || reached.Load() != 1 {
		t.Errorf("an allowed one: %+v, %v", out, err)
	}
}

func TestPublic(t *testing.T) {
	t.Parallel()
	for address, public := range map[string]bool{
		"1.1.1.1": true, "93.184.216.34": true, "2606:4700::1111": true, "2a00:1450:4001::200e": true, "::ffff:1.1.1.1": true,
		"127.0.0.1": false, "127.9.9.9": false, "0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "172.16.0.1": false, "172.31.255.255": false,
		"192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false, "192.0.0.192": false, "198.18.0.1": false, "224.0.0.1": false,
		"240.0.0.1": false, "255.255.255.255": false, "::1": false, "::": false, "fe80::1": false, "fe80::1%eth0": false, "fc00::1": false,
		"fd00:ec2::254": false, "ff02::1": false, "::ffff:127.0.0.1": false, "::ffff:169.254.169.254": false, "::127.0.0.1": false,
		"64:ff9b::a9fe:a9fe": false, "2002:7f00:1::": false, "2001::1": false, "fec0::1": false,
	} {
		if got := Public(netip.MustParseAddr(address)); got != public {
			t.Errorf("%s: %v", address, got)
		}
	}
}

// What is sent is signed as the convention says, in a rotation with both secrets.
func TestSignatures(t *testing.T) {
	t.Parallel()
	type request struct {
		header http.Header
		body   []byte
	}
	got := make(chan request, 1)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- request{r.Header, body}
	}))
	defer s.Close()
	current, previous := []byte(strings.Repeat("n", 32)), []byte(strings.Repeat("o", 32))
	out, err := sender(nil, loopback...).Send(t.Context(), s.URL, [][]byte{current, previous}, Message{ID: "evt_7-1", Body: []byte(`{"type":"x"}`)})
	if err != nil || !out.Delivered() {
		t.Fatal(out, err)
	}
	r := <-got
	for secret, valid := range map[string]bool{
		WriteSecret(current): true, WriteSecret(previous): true, WriteSecret([]byte(strings.Repeat("x", 32))): false,
	} {
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := verifier.Verify(r.body, r.header); (err == nil) != valid {
			t.Errorf("%s: %v", secret, err)
		}
	}
	if id, agent := r.header.Get("webhook-id"), r.header.Get("User-Agent"); id != "evt_7-1" || agent != "Reverie-Webhooks/test" {
		t.Errorf("id %q, user agent %q", id, agent)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "30": 30 * time.Second, "-1": 0, "soon": 0, "999999999999": 0, "99999999": MaxRetryAfter,
		"Mon, 23 Nov 2026 12:01:00 GMT": time.Minute, "Mon, 23 Nov 2026 11:00:00 GMT": 0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {text}}, now); got != want && !(text == "999999999999" && got == MaxRetryAfter) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
