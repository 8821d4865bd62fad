package mcp

import (
	"context"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/store/gate"
)

// A subscription lives in the answer of the request that listens (subscriptions/listen), which any server can answer from the journal.
// Older versions of the protocol subscribe in a session, which would tie a client to one server: over HTTP they learn that there are
// no subscriptions, and `reverie mcp` serves them over stdio.

// notHere refuses to subscribe outside of a request that listens.
func notHere(context.Context, *mcp.SubscribeRequest) error {
	return fault.New(fault.InvalidRequest, "Subscribe with subscriptions/listen")
}

// listener returns the server of one request that listens. Its subscriptions are those of this request alone.
func (m *handlers) listener(ctx context.Context) *mcp.Server {
	w := watcher{handlers: m, visit: visitOf(ctx), uris: map[target]string{}}
	w.server = m.server(w.subscribe)
	return w.server
}

// target names the document of a subscription; scope may be empty.
type target struct {
	path  string
	scope memory.Scope
}

// watcher follows the journal for one request.
type watcher struct {
	*handlers
	*visit

	server *mcp.Server
	mu     sync.Mutex
	uris   map[target]string // subscribed
	begun  bool
}

// maxSubscriptions bounds the resources of one request.
const maxSubscriptions = 500

// subscribe adds a resource. It may not exist yet.
func (w *watcher) subscribe(ctx context.Context, request *mcp.SubscribeRequest) error {
	path, scope, err := parseURI(request.Params.URI)
	if err == nil && !w.Tools.Enabled(w.caller.Agent) {
		err = store.ErrMemoryOff
	}
	if err == nil {
		err = w.add(ctx, target{path, scope}, request.Params.URI)
	}
	if err != nil {
		return w.wireError(ctx, err)
	}
	return nil
}

func (w *watcher) add(ctx context.Context, t target, uri string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.uris) == maxSubscriptions {
		return fault.InvalidAt("resourceSubscriptions", "name at most %d resources", maxSubscriptions)
	}
	w.uris[t] = uri
	if w.begun {
		return nil
	}
	from, err := w.Store.JournalEnd(ctx, w.caller.Identity)
	if err != nil {
		return err
	}
	feed, release, found := w.Events.Join(w.visit.ctx, w.caller.Identity)
	if !found {
		return rest.TooMany(rest.ReconnectAfter)
	}
	w.begun = true
	go w.follow(feed, release, from)
	return nil
}

// follow notifies of changes until the request ends. The first wake comes after the subscriptions are in place.
func (w *watcher) follow(feed *rest.Feed, release func(), from gate.JournalCursor) {
	defer release()
	ctx, filter := w.visit.ctx, gate.JournalFilter{After: from, Limit: store.MaxPage}
	for {
		wake := feed.Wait()
		select {
		case <-ctx.Done():
			return
		case <-wake:
		}
		for more := true; more; {
			part, err := w.Store.Journal(ctx, w.caller.Identity, filter)
			if err != nil { // the next wake tries again
				w.Log.DebugContext(ctx, "Changes cannot be followed", "error", rest.Loggable(err), "request", rest.RequestID(ctx))
				break
			}
			w.announce(ctx, part.Events)
			filter.After, more = part.Next, part.More
		}
	}
}

// changing are the kinds of events after which a document has another content, or none.
var changing = map[gate.EventKind]bool{
	gate.EventDocumentWritten: true, gate.EventDocumentDeleted: true, gate.EventDocumentUndeleted: true,
}

// announce notifies of changed resources, of each once.
func (w *watcher) announce(ctx context.Context, events []gate.Event) {
	changed := map[string]bool{}
	w.mu.Lock()
	for _, e := range events {
		for _, t := range []target{{e.Path, ""}, {e.Path, e.Scope}} {
			if uri, subscribed := w.uris[t]; subscribed && changing[e.Kind] {
				changed[uri] = true
			}
		}
	}
	w.mu.Unlock()
	for uri := range changed {
		if err := w.server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
			w.Log.DebugContext(ctx, "A client was not told of a change", "error", err)
		}
	}
}

// guard ends a request that listens when its key is revoked or the server stops, and writes signs of life.
func (m *handlers) guard(ctx context.Context, hc huma.Context, end func(), beat func() error) {
	heart, check := time.NewTicker(m.Heartbeat), time.NewTicker(rest.KeyCheck)
	defer heart.Stop()
	defer check.Stop()
	defer end()
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.Stopping.Done():
			return
		case <-check.C:
			if m.Revoked(hc) {
				return
			}
		case <-heart.C:
			if beat() != nil {
				return
			}
		}
	}
}
