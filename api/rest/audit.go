package rest

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/labstack/echo/v4"

	"reverie/memory"
	"reverie/store/admin"
	"reverie/store/gate"
)

// Act is the effect of an operation on the memory of others, for the audit log.
type Act = admin.AuditKind

// What an operation does. A GET reads; PUT, PATCH and DELETE change; a POST says which.
const (
	Reads   = admin.AuditReads
	Changes = admin.AuditChanges
)

// metaAct is the key of an operation's metadata that holds its Act.
const metaAct = "act"

// act returns what the operation of a route does; empty for a route without a key, and for a POST that does not say.
func (r Route) act() Act {
	switch {
	case r.Need == "" || r.Act != "":
		return r.Act
	case r.Method == http.MethodGet:
		return Reads
	case r.Method == http.MethodPost:
		return ""
	}
	return Changes
}

// ActOf returns what an operation does; empty: it is not classified.
func ActOf(op *huma.Operation) Act {
	act, _ := op.Metadata[metaAct].(Act)
	return act
}

// audit records the requests of keys that are not pinned to an owner: whatever they do, they do for others. It wraps every operation
// that needs a key, so that no handler has to think of it. An administrator's request ends when its record is stored; those of other
// keys are stored in the background, a moment later, and cost them nothing.
func (s *Server) audit(ctx huma.Context, next func(huma.Context)) {
	key := CallerOf(ctx.Context())
	if key.Workspace == "" || key.Owner != memory.NoOwner || s.AuditAdmins && key.Role != memory.RoleAdmin {
		next(ctx)
		return
	}
	t := trailOf(ctx.Context())
	// Streams are recorded when they begin.
	t.record = sync.OnceFunc(func() { s.auditor.record(ctx.Context(), key, s.auditEntries(ctx, key)) })
	defer t.record() // of a request that panics as well
	next(ctx)
}

// statusOf returns the status of an answer; one that did not begin is a failure.
func statusOf(w http.ResponseWriter) int {
	if answer, is := w.(*echo.Response); is && answer.Committed {
		return answer.Status
	}
	return http.StatusInternalServerError
}

// Targets are cut to these sizes.
const (
	maxTarget  = 512 // bytes of one
	maxTargets = 16
)

// look is the memory that a request is about.
type look struct {
	agent string
	owner memory.Owner
}

// auditEntries returns one entry for each agent that a request is about, and one without an agent if it is about none.
func (s *Server) auditEntries(ctx huma.Context, key gate.Key) []admin.AuditEntry {
	op, t := ctx.Operation(), trailOf(ctx.Context())
	r, w := humago.Unwrap(ctx)
	e := admin.AuditEntry{
		At: s.Now().UTC(), Key: key.ID, Role: key.Role, Address: t.address, Request: t.request, Operation: op.OperationID,
		Changes: ActOf(op) != Reads && !t.reads, Status: statusOf(w),
	}
	looks := t.looks
	for _, name := range pathParameters(op.Path) {
		if value := r.PathValue(name); name != "agent" {
			t.touch(name, value)
		} else if len(looks) == 0 && memory.ValidSlug(value) {
			looks = []look{{agent: value}}
		}
	}
	for _, name := range []string{"path", "conversation"} { // where a query names what is read
		t.touch(name, ctx.Query(name))
	}
	e.Targets = map[string]string{}
	maps.Copy(e.Targets, t.targets)
	if len(looks) == 0 {
		return []admin.AuditEntry{e}
	}
	entries := make([]admin.AuditEntry, len(looks))
	for i, l := range looks {
		entries[i] = e
		entries[i].Agent, entries[i].Owner = l.agent, l.owner
	}
	return entries
}

// OnlyReads records a request as a read, although its operation may also change things.
func OnlyReads(ctx context.Context) { trailOf(ctx).reads = true }

// Touch adds the id of something that a request is about to its audit record, when neither the path nor the query has it. The value
// must be an id or a path.
func Touch(ctx context.Context, name, id string) { trailOf(ctx).touch(name, id) }

// enter records whose memory a request is about. The last owner of an agent counts.
func (t *trail) enter(agent string, owner memory.Owner) {
	if i := slices.IndexFunc(t.looks, func(l look) bool { return l.agent == agent }); i >= 0 {
		t.looks[i].owner = owner
		return
	}
	t.looks = append(t.looks, look{agent, owner})
}

func (t *trail) touch(name, id string) {
	if id == "" || len(t.targets) >= maxTargets {
		return
	}
	if t.targets == nil {
		t.targets = map[string]string{}
	}
	t.targets[name] = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError { // which JSON in the database cannot hold
			return '?'
		}
		return r
	}, id[:min(len(id), maxTarget)])
}

const (
	// auditAfter is the delay for collecting records into one batch.
	auditAfter = 200 * time.Millisecond
	// auditBatch bounds one batch, and auditQueue what waits. Above it, requests store their records themselves.
	auditBatch, auditQueue = 500, 5_000
	// auditTimeout bounds one write.
	auditTimeout = 5 * time.Second
)

// auditor stores records of requests. Each is either stored or logged.
type auditor struct {
	store interface {
		RecordAudit(ctx context.Context, workspace string, entries []admin.AuditEntry) error
	}
	log *slog.Logger

	mu      sync.Mutex
	waiting map[string][]admin.AuditEntry // by workspace
	count   int
	timer   *time.Timer // nil: nothing waits
	closed  bool        // later records are stored at once
	writers sync.WaitGroup
}

// record stores the records of a request: at once for an administrator, else together with others.
func (a *auditor) record(ctx context.Context, key gate.Key, entries []admin.AuditEntry) {
	if key.Role == memory.RoleAdmin || !a.enqueue(key.Workspace, entries) {
		a.save(context.WithoutCancel(ctx), key.Workspace, entries)
	}
}

func (a *auditor) enqueue(workspace string, entries []admin.AuditEntry) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || a.count >= auditQueue {
		return false
	}
	if a.waiting == nil {
		a.waiting = map[string][]admin.AuditEntry{}
	}
	a.waiting[workspace] = append(a.waiting[workspace], entries...)
	a.count += len(entries)
	if a.timer == nil {
		a.timer = time.AfterFunc(auditAfter, a.flush)
		a.writers.Add(1)
	}
	return true
}

// flush stores what waits. It runs once for each timer.
func (a *auditor) flush() {
	defer a.writers.Done()
	a.mu.Lock()
	waiting := a.waiting
	a.waiting, a.count, a.timer = nil, 0, nil
	a.mu.Unlock()
	for workspace, entries := range waiting {
		for len(entries) > 0 {
			n := min(len(entries), auditBatch)
			a.save(context.Background(), workspace, entries[:n])
			entries = entries[n:]
		}
	}
}

// save stores records. Records that cannot be stored are written to the log as a last resort.
func (a *auditor) save(ctx context.Context, workspace string, entries []admin.AuditEntry) {
	ctx, cancel := context.WithTimeout(ctx, auditTimeout)
	defer cancel()
	err := a.store.RecordAudit(ctx, workspace, entries)
	if err == nil {
		return
	}
	for _, e := range entries {
		a.log.ErrorContext(ctx, "An audit record could not be stored", "error", Loggable(err), "workspace", workspace, "key", e.Key,
			"address", e.Address, "request", e.Request, "operation", e.Operation, "changes", e.Changes, "agent", e.Agent, "status", e.Status)
	}
}

// Close stores pending records. It returns when they are stored or ctx is done.
func (a *auditor) Close(ctx context.Context) error {
	a.mu.Lock()
	a.closed = true
	if a.timer != nil && a.timer.Stop() {
		go a.flush() //nolint:gosec // it stores what requests left that have ended
	}
	a.mu.Unlock()
	done := make(chan struct{})
	go func() {
		a.writers.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
