package engine

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/sdk/converter"

	"reverie/config"
)

// CodecServer decrypts and encrypts payloads for Temporal's Web UI and command line, over Temporal's codec protocol
// (POST /decode and /encode). It serves only callers with its key: in the header Authorization: Bearer, or in the cookie
// of a browser that signed in at its page. Browsers may call it only from one origin, that of the Web UI.
type CodecServer struct {
	keys   Keys
	key    config.Secret
	origin string
	now    func() time.Time
}

const (
	codecCookie  = "reverie_codec"
	codecSession = 12 * time.Hour
	// codecMaxBody bounds a request: the UI sends the payloads of a page of a history.
	codecMaxBody = 16 << 20
)

// NewCodecServer returns the codec server for the encryption keys of c. ui is the address of Temporal's Web UI; empty: no
// browser may call it. The key must have config.MinAdminKey characters.
func NewCodecServer(c config.Config, ui string) (*CodecServer, error) {
	switch {
	case c.EncryptionKeys.Empty():
		return nil, fmt.Errorf("%s_ENCRYPTION_KEYS is not set: there is nothing to decrypt", config.Prefix)
	case len(c.CodecKey.Reveal()) < config.MinAdminKey:
		return nil, fmt.Errorf("%s_CODEC_KEY is not set or too short: set at least %d characters", config.Prefix, config.MinAdminKey)
	}
	keys, err := ParseKeys(c.EncryptionKeys.Reveal())
	if err != nil {
		return nil, err
	}
	s := &CodecServer{keys: keys, key: c.CodecKey, now: time.Now}
	if ui != "" {
		at, err := url.Parse(ui)
		if err != nil || at.Scheme == "" || at.Host == "" {
			return nil, fmt.Errorf("%s_TEMPORAL_UI_URL: write an address such as https://temporal.example.com", config.Prefix)
		}
		s.origin = at.Scheme + "://" + at.Host
	}
	return s, nil
}

// Handler returns the HTTP handler.
func (s *CodecServer) Handler() http.Handler {
	codec := http.MaxBytesHandler(s.crossOrigin(s.authenticated(converter.NewPayloadCodecHTTPHandler(s.keys))), codecMaxBody)
	mux := http.NewServeMux()
	mux.Handle("/decode", codec)
	mux.Handle("/encode", codec)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { s.page(w, http.StatusOK, s.allows(r), "") })
	mux.Handle("POST /{$}", http.MaxBytesHandler(http.HandlerFunc(s.signIn), 4<<10))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	return mux
}

// authenticated serves only callers with the key.
func (s *CodecServer) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.allows(r) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "send the codec key as Authorization: Bearer, or sign in at this server's page", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// crossOrigin answers preflight requests, and refuses browsers on pages of other origins.
func (s *CodecServer) crossOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Vary", "Origin")
		h.Set("Cache-Control", "no-store")
		switch origin := r.Header.Get("Origin"); origin {
		case "":
		case s.origin:
			h.Set("Access-Control-Allow-Origin", origin)
			h.Set("Access-Control-Allow-Credentials", "true")
		default:
			http.Error(w, "this origin may not use the codec server", http.StatusForbidden)
			return
		}
		switch r.Method {
		case http.MethodOptions:
			h.Set("Access-Control-Allow-Methods", http.MethodPost)
			h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, X-Namespace, Caller-Type")
			w.WriteHeader(http.StatusNoContent)
		case http.MethodPost:
			next.ServeHTTP(w, r)
		default:
			h.Set("Allow", "POST, OPTIONS")
			http.Error(w, "use POST", http.StatusMethodNotAllowed)
		}
	})
}

// allows reports whether a request carries the key, or the cookie of a session that has not ended.
func (s *CodecServer) allows(r *http.Request) bool {
	if token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); found && s.isKey(token) {
		return true
	}
	cookie, err := r.Cookie(codecCookie)
	if err != nil {
		return false
	}
	until, _, _ := strings.Cut(cookie.Value, ".")
	seconds, err := strconv.ParseInt(until, 10, 64)
	return err == nil && s.now().Before(time.Unix(seconds, 0)) && hmac.Equal([]byte(cookie.Value), []byte(s.session(until)))
}

func (s *CodecServer) isKey(given string) bool {
	want, got := sha256.Sum256([]byte(s.key.Reveal())), sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// session returns the cookie of a session until a time, in seconds.
func (s *CodecServer) session(until string) string {
	mac := hmac.New(sha256.New, []byte(s.key.Reveal()))
	mac.Write([]byte("codec session " + until))
	return until + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// signIn checks the key of the form, and starts a session.
func (s *CodecServer) signIn(w http.ResponseWriter, r *http.Request) {
	if origin := r.Header.Get("Origin"); origin != "" && origin != "null" {
		if at, err := url.Parse(origin); err != nil || at.Host != r.Host {
			http.Error(w, "sign in at this server's own page", http.StatusForbidden)
			return
		}
	}
	if !s.isKey(r.PostFormValue("key")) {
		s.page(w, http.StatusUnauthorized, false, "That is not the codec key.")
		return
	}
	// Strict: the browser sends it from pages of the same site only, as the Web UI should be.
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // a Web UI on this machine has no TLS
		Name: codecCookie, Value: s.session(strconv.FormatInt(s.now().Add(codecSession).Unix(), 10)), Path: "/",
		MaxAge: int(codecSession.Seconds()), HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: strings.HasPrefix(s.origin, "https://"),
	})
	s.page(w, http.StatusOK, true, "")
}

var codecPage = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Reverie codec server</title>
<body style="font: 16px sans-serif; max-width: 40em; margin: 3em auto">
<h1>Reverie codec server</h1>
{{if .SignedIn}}<p>This browser is signed in for twelve hours. In Temporal's Web UI, open the data encoder settings, set the remote codec
endpoint to this address, and include cross-origin credentials.</p>
{{else}}<p>{{.Problem}}</p>
<form method="post"><label>Codec key <input type="password" name="key" autocomplete="off" required autofocus></label>
<button>Sign in</button></form>{{end}}
</body></html>
`))

func (s *CodecServer) page(w http.ResponseWriter, status int, signedIn bool, problem string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = codecPage.Execute(w, map[string]any{"SignedIn": signedIn, "Problem": problem}) // the browser has gone away
}
