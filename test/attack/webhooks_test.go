package attack

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"reverie/test/deployment"
)

// Webhooks reach neither this machine nor a private network, by whatever name or notation, and answers say no more than that.
func TestWebhooksReachNoPrivateAddress(t *testing.T) {
	w := newServer(t)
	var reached atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer inside.Close()
	_, port, err := net.SplitHostPort(inside.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{
		inside.URL, "http://localhost:" + port, "https://localhost:" + port, "http://[::1]:" + port, "http://[::ffff:127.0.0.1]:" + port,
		"http://2130706433:" + port, "http://0177.0.0.1:" + port, "http://127.1:" + port, "http://0:" + port, w.API.URL + "/api/v1/keys",
		"http://169.254.169.254/latest/meta-data/iam/security-credentials/", "https://169.254.169.254/", "https://[fd00:ec2::254]/",
		"https://[64:ff9b::a9fe:a9fe]/", "https://10.0.0.1/", "https://192.168.0.1/", "https://100.100.100.200/", "http://1.1.1.1/",
	} {
		// Only a name with TLS is accepted: what it means shows when it is connected to. Whatever is stored, nothing is sent.
		accepted := 422
		if strings.HasPrefix(url, "https://localhost") {
			accepted = 201
		}
		w.do(t, call{as: "mallory", method: "POST", path: ada + "/webhooks", body: map[string]any{"url": url}}).want(t, accepted)
		var made struct{ ID string }
		w.do(t, call{as: "mallory", method: "POST", path: ada + "/webhooks", body: map[string]any{"url": "https://example.com/"}}).want(t, 201).into(t, &made)
		if _, err := deployment.Query(
			t.Context(), w.System, pgx.RowTo[string], "update webhooks set url = $1 where webhook_id = $2 returning url", url, made.ID,
		); err != nil {
			t.Fatal(err)
		}
		var ping struct {
			Delivered bool
			Reason    string
			Status    int
		}
		w.do(t, call{as: "mallory", method: "POST", path: ada + "/webhooks/" + made.ID + "/ping"}).want(t, 200).into(t, &ping)
		if ping.Delivered || ping.Status != 0 || ping.Reason != "address" && ping.Reason != "name" {
			t.Errorf("%s: %+v", url, ping)
		}
		w.do(t, call{as: "mallory", method: "DELETE", path: ada + "/webhooks/" + made.ID}).want(t, 200)
	}
	for _, url := range []string{"file:///etc/passwd", "gopher://127.0.0.1", "http:///x", "https://user:pass@example.com", "//127.0.0.1/"} {
		w.do(t, call{as: "mallory", method: "POST", path: ada + "/webhooks", body: map[string]any{"url": url}}).want(t, 422)
	}
	if n := reached.Load(); n > 0 {
		t.Errorf("something inside was reached %d times", n)
	}
	// Mallory has nobody else's events sent to an address, nor anything with a viewer's key.
	for as, owner := range map[string]string{"mallory": "user:alice", "viewer": "user:alice"} {
		w.do(t, call{as: as, method: "POST", path: ada + "/webhooks", body: map[string]any{"url": "https://example.com/", "owner": owner}}).want(t, 403)
	}
	w.do(t, call{as: "mallory", method: "GET", path: ada + "/webhooks?owner=user:alice"}).want(t, 403)
}
