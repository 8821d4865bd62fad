package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/store/gate"
	"reverie/web/view"
)

func (b *Browser) sessionRoutes() {
	b.page(rest.Route{ID: "page-sign-in", Path: "/sign-in", Summary: "Sign in"}, (*request).signInPage)
	b.page(rest.Route{ID: "page-sign-in-key", Method: http.MethodPost, Path: "/sign-in", Summary: "Sign in with a key", Body: maxForm}, (*request).signIn)
	b.page(rest.Route{
		ID: "page-sign-in-link", Method: http.MethodPost, Path: "/sign-in/link", Summary: "Sign in with a link", Body: maxForm,
	}, (*request).signInWithLink)
	b.page(rest.Route{ID: "page-sign-out", Method: http.MethodPost, Path: "/sign-out", Summary: "Sign out", Body: maxForm}, (*request).signOut)
}

// maxForm bounds forms without contents.
const maxForm = 64 << 10

func (q *request) signInPage() (templ.Component, error) {
	return view.SignIn(q.frame("", "Sign in"), ""), nil
}

func (q *request) signIn() (templ.Component, error) {
	key, err := q.KeyOfSecret(q.hc, strings.TrimSpace(q.r.PostFormValue("key")))
	return q.open(key, err)
}

func (q *request) signInWithLink() (templ.Component, error) {
	secret, found := q.links.take(q.r.PostFormValue("link"))
	if !found {
		q.render(http.StatusUnauthorized, view.SignIn(q.frame("", "Sign in"),
			"This link was used before, or is too old. Sign in with a key, or start reverie dev again for a new link."))
		return nil, nil
	}
	key, err := q.KeyOfSecret(q.hc, secret)
	return q.open(key, err)
}

// open starts a session of a key, unless err says that there is none.
func (q *request) open(key gate.Key, err error) (templ.Component, error) {
	if err != nil {
		if p, is := errors.AsType[*fault.Problem](q.Explain(q.Context, err)); is && p.Code == http.StatusUnauthorized {
			q.render(p.Code, view.SignIn(q.frame("", "Sign in"), "This key is not valid. It may have been revoked, or have expired."))
			return nil, nil
		}
		return nil, err
	}
	token, expires, err := q.Store.StartSession(q.Context, key)
	if err != nil {
		return nil, err
	}
	q.setCookie(token, expires)
	return q.redirect("/")
}

func (q *request) signOut() (templ.Component, error) {
	if err := q.Store.EndSession(q.Context, rest.SessionToken(q.r)); err != nil {
		return nil, err
	}
	q.dropCookie()
	return q.redirect("/sign-in")
}

func (q *request) dropCookie() { q.setCookie("", time.Unix(1, 0)) }

func (q *request) setCookie(token string, expires time.Time) {
	http.SetCookie(q.w, &http.Cookie{ //nolint:gosec // without TLS, as on loopback, browsers would not send a Secure cookie
		Name: rest.SessionCookie, Value: token, Path: "/", Expires: expires, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: q.r.TLS != nil || q.r.Header.Get("X-Forwarded-Proto") == "https", // a client that lies only keeps its own cookie safer
	})
}

// linkLife is the lifetime of a link for signing in.
const linkLife = 10 * time.Minute

// links are secrets of keys by the hash of a one-time link. They live in the memory of the process that made them.
type links struct {
	now  func() time.Time
	mu   sync.Mutex
	open map[[sha256.Size]byte]linked
}

type linked struct {
	secret  string
	expires time.Time
}

// Link returns the path of a page that signs in with the key of a secret, once, within ten minutes. The token is after the #, which
// browsers do not send: no log has it.
func (b *Browser) Link(secret string) string {
	random := make([]byte, 24)
	_, _ = rand.Read(random) // it never fails
	token := base64.RawURLEncoding.EncodeToString(random)
	b.links.mu.Lock()
	defer b.links.mu.Unlock()
	if b.links.open == nil {
		b.links.open = map[[sha256.Size]byte]linked{}
	}
	b.links.open[sha256.Sum256([]byte(token))] = linked{secret, b.links.now().Add(linkLife)}
	return "/sign-in#" + token
}

// take returns the secret of a link, and forgets the link.
func (l *links) take(token string) (string, bool) {
	hash := sha256.Sum256([]byte(token))
	l.mu.Lock()
	defer l.mu.Unlock()
	found, is := l.open[hash]
	delete(l.open, hash)
	return found.secret, is && l.now().Before(found.expires)
}
