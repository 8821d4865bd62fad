package toolbox

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"reverie/backend"
	"reverie/facts"
	"reverie/language/claim"
	"reverie/memory"
	"reverie/scan"
	"reverie/search"
	"reverie/store"
	"reverie/store/indexes"
)

// Outside is the corpus of statements on an external MCP server. They are at OutsideFolder and the server's name, on the "line" of their id.
const (
	Outside       search.Corpus = "backend"
	OutsideFolder string        = "backend/"
)

// outside is the memory of a caller on an external server (see package backend).
type outside struct {
	*backend.Backend
	who       backend.Owner
	named     bool // the server is told the owner, and separates chats of the owner
	forgotten []indexes.Forgotten
}

// outside returns the external memory of a caller; nil: the built-in memory does everything. That is so for shared memory, and where the
// caller or a write must first be decided about here: writes of a group, and of keys that only read.
func (b *Box) outside(ctx context.Context, c Caller, writes bool) (*outside, error) {
	id := c.Identity
	who := backend.Owner{Workspace: id.Workspace, Agent: id.Agent, Key: string(id.Owner)}
	serves, named := b.Backend.Serves(who)
	switch {
	case !serves, !b.enabled(c.Agent), b.scope(c) != memory.ScopePersonal,
		writes && (c.Speaker != memory.NoOwner || !id.Role.Includes(memory.RoleMember)):
		return nil, nil
	}
	o := &outside{Backend: b.Backend, who: who, named: named}
	if writes || !named {
		number := b.Store.OwnerID
		if writes {
			number = b.Store.EnsureOwner // it refuses while the owner is being deleted
		}
		owner, err := number(ctx, id)
		if errors.Is(err, store.ErrNotFound) { // of whom nothing was ever written
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		o.who.Number = numberOf(owner)
	}
	var err error
	o.forgotten, err = b.Store.Forgotten(ctx, id)
	return o, err
}

// numberOf returns the chat_id of an owner: from a random id, so that nobody can choose it and no other server has it.
func numberOf(owner uuid.UUID) int64 {
	sum := sha256.Sum256(owner[:])
	return int64(binary.BigEndian.Uint64(sum[:])>>11) | 1
}

// fellBack reports whether an error is a failure of the backend, so that the built-in memory does what was asked for. It must not do
// what is addressed by id: ids mean other statements here.
func fellBack(err error) bool {
	_, is := errors.AsType[*backend.Failure](err)
	return is
}

// fault explains to a model why nothing was done with a statement that a call names by its id.
func (o *outside) fault(id int64, err error) error {
	f, is := errors.AsType[*backend.Failure](err)
	switch {
	case !is:
		return err
	case f.Kind == backend.NotTheirs, f.Kind == backend.Refused, f.Kind == backend.Unsupported:
		return faultf("the memory backend has no statement with the id %d, or does not do this with it: read the list again", id)
	case f.Kind == backend.CircuitOpen, f.Kind == backend.Busy, f.Kind == backend.Absent:
		return faultf("the memory backend cannot be reached: nothing was done. Statements with ids are there only: try again later")
	}
	return faultf("the memory backend did not answer as expected (%s): it is not known whether anything was done. Read the list later", f.Kind)
}

// query returns the owner's statements as they may be shown: on one line each, without secrets, orders to the assistant, and what the
// owner had forgotten.
func (o *outside) query(ctx context.Context, q backend.Query) ([]backend.Statement, string, error) {
	rows, server, err := o.Query(ctx, o.who, q)
	if err != nil {
		return nil, server, err
	}
	var shown []backend.Statement
	for _, r := range rows {
		scanned := scan.Scan(strings.Join(strings.Fields(r.Content), " "))
		r.Content = scanned.Text
		if scanned.Verdict != scan.VerdictQuarantine && scan.Instruction(r.Content) == "" && !o.isForgotten(r.Content) {
			shown = append(shown, r)
		}
	}
	return shown, server, nil
}

func (o *outside) isForgotten(text string) bool {
	compared := claim.Compare(text)
	return slices.ContainsFunc(o.forgotten, func(f indexes.Forgotten) bool { return f.Same(compared) || f.ToldBy(compared) })
}

// plain reports whether a text may be sent to the backend. Everything about which the gate has to decide is written here: secrets, orders
// to the assistant, and what the owner had forgotten.
func (o *outside) plain(text string) bool {
	if scan.Scan(text).Verdict != scan.VerdictAllow || o.isForgotten(text) {
		return false
	}
	for line := range strings.Lines(text) {
		if scan.Instruction(line) != "" || scan.Steers(line) || o.isForgotten(line) {
			return false
		}
	}
	return true
}

// FromOutside returns statements of the caller on an external MCP server that may matter for a message, in the server's order, and its
// name. There are none if the server fails: what the built-in memory has is all there is then.
func (b *Box) FromOutside(ctx context.Context, c Caller, message string, limit int) ([]backend.Statement, string) {
	o, err := b.outside(ctx, c, false)
	if o == nil || err != nil {
		return nil, ""
	}
	rows, server, err := o.query(ctx, backend.Query{Op: backend.Context, Text: message, Limit: limit})
	if err != nil {
		return nil, ""
	}
	return slices.DeleteFunc(rows, func(r backend.Statement) bool { return r.Archived }), server
}

// approves reports whether a person must approve what tools write: everything, or what removes a statement.
func (k *call) approves() (all, removals bool) {
	return k.Approvals.With(k.Agent.Settings).Holds(memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath})
}

// queryOutside is query for an external memory. done is false if the built-in memory has to answer.
func (k *call) queryOutside(ctx context.Context, op string, limit int) (answer any, done bool, err error) {
	o, err := k.outside(ctx, k.Caller, false)
	if o == nil || err != nil || !o.named && k.chat() != nil {
		return nil, false, err
	}
	q := backend.Query{
		Op: backend.Op(op), ID: int64(given(k.args, "id", 0)), Text: strings.TrimSpace(given(k.args, "query", "")), Limit: limit,
		Archived: given(k.args, "include_archived", false), Chat: k.chat(),
	}
	if op == opGet {
		if _, ok := k.args["id"].(int); !ok {
			return nil, false, nil // refused there
		}
		q.Limit = 0
	}
	rows, server, err := o.query(ctx, q)
	switch {
	case err != nil && op == opGet:
		return nil, true, o.fault(q.ID, err)
	case fellBack(err):
		return nil, false, nil
	case err != nil:
		return nil, true, err
	case op == opGet && len(rows) == 0:
		return nil, true, o.fault(q.ID, &backend.Failure{Kind: backend.NotTheirs})
	}
	out := memories{Memories: []row{}}
	room := maxShown
	for _, r := range rows {
		if room -= len(r.Content); room < 0 {
			break
		}
		out.Memories = append(out.Memories, row{
			ID: r.ID, ChatID: r.Chat, Content: r.Content, Category: r.Category, Confidence: r.Confidence, Source: scan.Redacted(r.Source),
			UpdatedAt: r.UpdatedAt.UTC().Format(time.RFC3339), IsArchived: r.Archived, Path: OutsideFolder + server,
		})
	}
	if out.Count = len(out.Memories); out.Count == 0 {
		out.Hint = "Nothing was found at the memory backend. " + MemorySearch + " also finds conversations and files."
	}
	return out, true, nil
}

// upsertOutside is upsert for an external memory. done is false if the built-in memory has to do it.
func (k *call) upsertOutside(ctx context.Context, c backend.Change) (out upserted, done bool, err error) {
	o, err := k.outside(ctx, k.Caller, true)
	if o == nil || err != nil {
		return out, false, err
	}
	all, removals := k.approves()
	c.Chat, c.Key = k.chat(), k.key
	if c.Source == "" {
		c.Source = sourceOfTool
	}
	if c.Op == backend.Insert {
		_, again, err := k.replayed(ctx, k.Identity, k.key)
		if again || err != nil || all || !o.named && c.Chat != nil || !o.plain(c.Content) {
			return out, false, err
		}
	} else {
		switch {
		case c.Op != backend.Touch && (all || removals):
			return out, true, faultf("nothing was changed: a person has to approve such changes of this agent, and cannot at the memory backend. Tell the user")
		case c.Content != "" && !o.plain(c.Content):
			return out, true, faultf("nothing was changed: the text has a secret, tells the assistant what to do, or was forgotten. Leave it out")
		}
	}
	id, server, err := o.Apply(ctx, o.who, c)
	switch {
	case c.Op == backend.Insert && fellBack(err):
		return out, false, nil
	case err != nil:
		return out, true, o.fault(c.ID, err)
	}
	return upserted{OK: true, ID: id, Updated: true, Message: "Done by the memory backend " + server}, true, nil
}

// rowsOutside is rows for an external memory. done is false if the built-in memory has to answer.
func (k *call) rowsOutside(ctx context.Context, query string, limit int) (rows []factRow, done bool, err error) {
	o, err := k.outside(ctx, k.Caller, false)
	if o == nil || err != nil {
		return nil, false, err
	}
	q := backend.Query{Op: backend.Search, Text: query, Limit: limit, Archived: given(k.args, "include_archived", false)}
	if query == "" {
		q.Op = backend.List
	}
	found, server, err := o.query(ctx, q)
	if fellBack(err) {
		return nil, false, nil
	}
	rows = []factRow{}
	for _, r := range found {
		if r.Archived && !q.Archived {
			continue
		}
		rows = append(rows, factRow{
			ID: r.ID, Content: r.Content, Category: facts.Kind(r.Category), Scope: memory.ScopePersonal, Trust: r.Confidence, Archived: r.Archived,
			Path: OutsideFolder + server,
		})
	}
	return rows, true, err
}
