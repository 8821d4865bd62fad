package rest

import (
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"reverie/api/fault"
	"reverie/store"
	"reverie/store/gate"
)

// SessionCookie is the name of the cookie that holds the token of a session.
const SessionCookie = "reverie_session"

// metaRefuse is the key of an operation's metadata that makes it a page: how it answers errors.
const metaRefuse = "refuse"

// Refusal answers a request for a page with an error.
type Refusal func(ctx huma.Context, problem *fault.Problem)

// RegisterPage adds a page for people. Other than an operation of the API it is entered with the cookie of a session, not with a key, is
// not part of the OpenAPI document, and answers errors with refuse. Authentication, roles, rate limits and the audit log are those of
// the API.
func RegisterPage(s *Server, r Route, refuse Refusal, handle RawHandler) {
	op := r.operation()
	op.Hidden = true
	op.Metadata[metaRefuse] = refuse
	s.pages = append(s.pages, r)
	s.API.Adapter().Handle(&op, s.API.Middlewares().Handler(func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		if op.MaxBodyBytes > 1 {
			r.Body = http.MaxBytesReader(w, r.Body, op.MaxBodyBytes)
		}
		handle(ctx, w, r)
	}))
}

// Pages returns the pages that were registered.
func (s *Server) Pages() []Route { return s.pages }

// refusal returns how a page answers errors; nil for an operation of the API.
func refusal(op *huma.Operation) Refusal {
	refuse, _ := op.Metadata[metaRefuse].(Refusal)
	return refuse
}

// SessionToken returns the token in the session cookie of a request; empty: none.
func SessionToken(r *http.Request) string {
	cookie, err := r.Cookie(SessionCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// sessionKey finds the key of the session that a request carries. It is looked up for each request, so that a session ends with its key.
func (s *Server) sessionKey(ctx huma.Context) (gate.Key, error) {
	r, _ := humago.Unwrap(ctx)
	token, address := SessionToken(r), trailOf(ctx.Context()).address
	if token == "" {
		return gate.Key{}, unauthorized(errNoKey)
	}
	if err := s.admit(ctx, address, &s.guessedSessions, token); err != nil {
		return gate.Key{}, err
	}
	key, err := s.Store.SessionKey(ctx.Context(), token)
	if errors.Is(err, store.ErrUnauthorized) {
		s.failures.take(address)
		return gate.Key{}, s.unauthorized(ctx, err)
	}
	return key, err
}

// KeyOfSecret authenticates a secret that a page was sent, by the rules of the API's keys.
func (s *Server) KeyOfSecret(ctx huma.Context, secret string) (gate.Key, error) {
	return s.keyOf(ctx, secret)
}

// ActionWait bounds the wait of a page's action for its workflow. What takes longer continues, and its record shows its progress.
const ActionWait = "5s"
