// Package web serves the Memory Browser: pages on which people see, search, correct and undo what agents remember. A page is entered with
// the cookie of a session, which an API key opens. It reads through the same services as the API's handlers, under the same
// authentication, roles and audit log.
package web

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/a-h/templ"
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/google/uuid"

	"reverie/api"
	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/snapshot"
	"reverie/store/gate"
	"reverie/web/static"
	"reverie/web/view"
)

//go:generate go tool -modfile=../tools/go.mod templ generate -path view

// Browser serves the pages. It is made by Register.
type Browser struct {
	*api.Server
	links links
}

// Register adds the pages to a server.
func Register(s *api.Server) *Browser {
	b := &Browser{Server: s, links: links{now: s.Now}}
	b.assetRoutes()
	b.sessionRoutes()
	b.overviewRoutes()
	b.peopleRoutes()
	b.memoryRoutes()
	b.promptRoutes()
	b.transferRoutes()
	b.historyRoutes()
	b.editRoutes()
	b.searchRoutes()
	b.conversationRoutes()
	b.revocationRoutes()
	b.deletionRoutes()
	b.chatRoutes()
	b.timelineRoutes()
	b.dreamRoutes()
	b.cardRoutes()
	b.replayRoutes()
	b.factRoutes()
	b.injectionRoutes()
	b.contradictionRoutes()
	b.keyRoutes()
	b.webhookRoutes()
	b.operationRoutes()
	b.scheduleRoutes()
	b.heldRoutes()
	b.approvalRoutes()
	b.liveRoutes()
	s.ErrorPage = b.errorPage
	return b
}

// policy lets a page load what this server serves and nothing else; no script and no style is inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'"

// secure sets the headers of an answer.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	// Also set for the API; pages do not depend on that.
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
}

// request is one request for a page.
type request struct {
	*Browser
	context.Context
	hc  huma.Context
	w   http.ResponseWriter
	r   *http.Request
	key gate.Key // of the session; zero on pages without one
	// Set by enter.
	id    memory.Identity
	agent gate.Agent
	whom  string             // the segment of the address: me, shared, or the opaque id of an owner
	end   gate.JournalCursor // of a page that follows what changes
}

// answer renders a page; nil: the handler has answered.
type answer func(*request) (templ.Component, error)

// page registers a page. A POST needs the token of its session, and one without a session has to come from a page of this server.
func (b *Browser) page(r rest.Route, handle answer) {
	r.Tag = "pages"
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	rest.RegisterPage(b.Server.Server, r, b.refuse, func(hc huma.Context, w http.ResponseWriter, req *http.Request) {
		q := &request{Browser: b, Context: hc.Context(), hc: hc, w: w, r: req, key: rest.CallerOf(hc.Context())}
		secure(w.Header())
		component, err := templ.Component(nil), q.checkOrigin()
		if err == nil {
			component, err = handle(q)
		}
		switch {
		case err != nil:
			b.Refuse(hc, err)
		case component != nil:
			q.render(http.StatusOK, component)
		}
	})
}

// checkOrigin reads the form of a POST and refuses one that another site has made.
func (q *request) checkOrigin() error {
	if q.r.Method == http.MethodGet {
		return nil
	}
	if err := q.form(); err != nil {
		return err
	}
	ours := q.key.Workspace == "" && q.sameOrigin()
	if q.key.Workspace != "" {
		ours = hmac.Equal([]byte(q.r.PostFormValue("csrf")), []byte(formToken(rest.SessionToken(q.r))))
	}
	if ours {
		return nil
	}
	return fault.New(fault.Forbidden, "This form is out of date: go back, reload the page and try again")
}

// sameOrigin reports whether a page of this server sent the request, as browsers say in one of two headers.
func (q *request) sameOrigin() bool {
	if site := q.r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	origin, err := url.Parse(q.r.Header.Get("Origin"))
	return err == nil && origin.Host == q.r.Host
}

// formToken returns the token of a session's forms: without it, another site could send them.
func formToken(session string) string {
	mac := hmac.New(sha256.New, []byte(session))
	mac.Write([]byte("reverie forms"))
	return hex.EncodeToString(mac.Sum(nil))
}

func (q *request) render(status int, c templ.Component) {
	q.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	q.w.WriteHeader(status)
	if err := c.Render(q.Context, q.w); err != nil {
		q.Log.DebugContext(q.Context, "The client did not take the page", "error", rest.Loggable(err))
	}
}

// redirect sends the browser to another page.
func (q *request) redirect(address string) (templ.Component, error) {
	http.Redirect(q.w, q.r, address, http.StatusSeeOther)
	return nil, nil
}

// refuse answers a request for a page with an error; one without a session leads to the page for signing in.
func (b *Browser) refuse(hc huma.Context, p *fault.Problem) {
	r, w := humago.Unwrap(hc)
	q := &request{Browser: b, Context: hc.Context(), hc: hc, w: w, r: r, key: rest.CallerOf(hc.Context())}
	secure(w.Header())
	if p.Code == http.StatusUnauthorized {
		w.Header().Del("WWW-Authenticate")
		if rest.SessionToken(r) != "" {
			q.dropCookie()
		}
		_, _ = q.redirect("/sign-in")
		return
	}
	q.render(p.Code, view.Problem(q.frame("", http.StatusText(p.Code)), p.Msg))
}

// errorPage answers a browser's request that belongs to no page. The caller is not known.
func (b *Browser) errorPage(w http.ResponseWriter, r *http.Request, p *fault.Problem) {
	q := &request{Browser: b, Context: r.Context(), w: w, r: r}
	secure(w.Header())
	message := p.Msg
	if p.Name == fault.NoSuchRoute {
		message = "There is no such page."
	}
	q.render(p.Code, view.Problem(q.frame("", http.StatusText(p.Code)), message))
}

// enter finds the agent and the owner in the address, as the API does for an agent in a path and an owner in a query.
func (q *request) enter() error { return q.enterUntil(false) }

// enterLive is enter for a page that follows what changes after this call.
func (q *request) enterLive() error { return q.enterUntil(true) }

func (q *request) enterUntil(end bool) error {
	missing := fault.New(fault.NotFound, "There is no such page for this key")
	whom, owner := q.r.PathValue("owner"), uuid.Nil
	pinned := q.key.Identity().Pinned
	if pinned != (whom == view.Me) {
		return missing
	}
	if !pinned && whom != view.Shared {
		var err error
		if owner, err = uuid.Parse(whom); err != nil || owner == uuid.Nil || !q.mayWrite() {
			return missing
		}
	}
	id, entrance, err := q.EnterMemory(q.Context, q.r.PathValue("agent"), owner, end)
	q.id, q.agent, q.whom, q.end = id, entrance.Agent, whom, entrance.End
	return err
}

// form parses the body of a POST.
func (q *request) form() error {
	parse := q.r.ParseForm
	if kind, _, err := mime.ParseMediaType(q.r.Header.Get("Content-Type")); err == nil && kind == "multipart/form-data" {
		parse = func() error { return q.r.ParseMultipartForm(snapshot.MaxArchiveBytes) }
	}
	if err := parse(); err != nil {
		if tooLarge, is := errors.AsType[*http.MaxBytesError](err); is {
			return fault.New(fault.BodyTooLarge, "That is too long: at most %d KiB", tooLarge.Limit>>10)
		}
		return fault.New(fault.InvalidRequest, "The form cannot be read")
	}
	return nil
}

// text returns a field of the form with the line breaks of documents.
func (q *request) text(name string) string {
	return strings.ReplaceAll(q.r.PostFormValue(name), "\r\n", "\n")
}

// mayWrite reports whether the caller may change the memory that is shown.
func (q *request) mayWrite() bool { return q.key.Role.Includes(memory.RoleMember) }

// frame describes what every page shows around its content.
func (q *request) frame(section, title string) view.Frame {
	f := view.Frame{
		Title: title, Section: section, KeyName: q.key.Name, Role: string(q.key.Role), Pinned: string(q.key.Owner),
		MayWrite: q.mayWrite(), Notice: view.Notices[q.r.URL.Query().Get("done")],
	}
	if q.key.Workspace != "" {
		f.CSRF = formToken(rest.SessionToken(q.r))
	}
	if q.agent.ID != "" {
		f.Agent, f.AgentName, f.Whom, f.Owner = q.agent.ID, q.agent.Name, q.whom, string(q.id.Owner)
		_, f.Page, _ = strings.Cut(q.r.URL.Path, "/of/"+q.whom+"/")
		if zone, err := q.agent.Location(); err == nil {
			f.Zone = zone
		}
	}
	return f
}

func (b *Browser) assetRoutes() {
	b.page(rest.Route{ID: "page-asset", Path: "/static/{asset}", Summary: "Styles and scripts"}, (*request).asset)
	b.page(rest.Route{ID: "page-icon", Path: "/favicon.ico", Summary: "Icon"}, func(q *request) (templ.Component, error) {
		return q.file("icon.svg")
	})
}

func (q *request) asset() (templ.Component, error) { return q.file(q.r.PathValue("asset")) }

// file serves an asset, which browsers keep as long as it is the same.
func (q *request) file(name string) (templ.Component, error) {
	content, err := fs.ReadFile(static.Files, name)
	if err != nil {
		return nil, fault.New(fault.NotFound, "No file %q", name)
	}
	sum := sha256.Sum256(content)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	q.w.Header().Set("Cache-Control", "no-cache")
	q.w.Header().Set("ETag", tag)
	if rest.MatchesAny(q.r.Header.Get("If-None-Match"), tag) {
		q.w.WriteHeader(http.StatusNotModified)
		return nil, nil
	}
	kind := mime.TypeByExtension(path.Ext(name))
	if kind == "" {
		kind = "text/plain; charset=utf-8"
	}
	q.w.Header().Set("Content-Type", kind)
	_, err = q.w.Write(content)
	return nil, err
}
