package toolbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"reverie/memory"
	"reverie/remember"
	"reverie/store"
)

// Saved is what became of a request to remember.
type Saved struct {
	Kind    string // as remember.Kind
	Line    string // of several statements, one on each line
	Old     string // of a correction
	Path    string
	Receipt memory.Receipt // of a write, or of the write that saved it first
	Items   []remember.Item
}

// rememberRounds is how often a request is worked in anew while others write the same lines.
const rememberRounds = 12

// Remember saves a statement that the user asked for, through the gate, as the user's own words. What was forgotten before may
// come back with it.
//
// Kind is unclear, and nothing is written, when there is nothing in the text that could be kept. The error wraps store.ErrMemoryOff, or is
// the gate's: *store.QuarantineError, store.ErrForbidden, …
func (b *Box) Remember(ctx context.Context, c Caller, text string) (Saved, error) {
	return b.remember(ctx, c, text, memory.Author{Kind: memory.AuthorUser, ID: Remember})
}

// remember is Remember as an author. What a person wrote gives way to a person only.
func (b *Box) remember(ctx context.Context, c Caller, text string, author memory.Author) (Saved, error) {
	if !b.enabled(c.Agent) {
		return Saved{}, store.ErrMemoryOff
	}
	r := remembering{Box: b, Caller: c, id: c.by(author), ref: memory.Ref{Scope: b.scope(c), Path: memory.MemoryPath}, request: remember.Request{Text: text}}
	r.key = keyOf("remember", c.Key, string(c.Speaker), text)
	receipt, again, err := b.replayed(ctx, r.id, r.key)
	switch {
	case err != nil:
		return Saved{}, err
	case again:
		return r.again(ctx, receipt)
	}
	for round := 1; ; round++ {
		saved, err := r.try(ctx)
		if _, stale := errors.AsType[*store.StaleBaseError](err); !stale || round == rememberRounds {
			return saved, err
		}
		if err := pause(ctx, round); err != nil {
			return Saved{}, err
		}
	}
}

// remembering is one request on its way.
type remembering struct {
	*Box
	Caller

	id      memory.Identity
	ref     memory.Ref
	request remember.Request
	key     string
}

// try works the request into MEMORY.md as it is now.
func (r *remembering) try(ctx context.Context) (Saved, error) {
	d, _, err := r.current(ctx, r.id, r.ref)
	if err != nil {
		return Saved{}, err
	}
	decided, err := r.decide(ctx, d)
	if refused, is := errors.AsType[*memory.SectionError](err); is {
		return Saved{}, &store.InvalidError{Field: "text", Problem: refused.Problem}
	}
	if err != nil {
		return Saved{}, err
	}
	saved := r.saved(decided)
	if decided.Content == "" {
		if decided.Kind == remember.KindKnown {
			saved.Receipt, err = r.first(ctx, d, decided)
		}
		return saved, err
	}
	var lines []string
	for _, item := range decided.Items {
		if item.Kind == remember.KindNew || item.Kind == remember.KindCorrected {
			lines = append(lines, "- "+item.Line)
		}
	}
	saved.Receipt, err = r.Store.Apply(ctx, r.id, r.key, []memory.Change{{
		Ref: r.ref, Op: memory.OpReplace, Content: decided.Content, Base: d.Version, Reason: "asked to remember", Sources: r.sources(lines...),
	}})
	if err != nil {
		return Saved{}, err
	}
	r.changed(r.id, saved.Receipt)
	return saved, nil
}

// decide says what becomes of the request. An agent's tool corrects no line that a person wrote: both stand then, and the
// person decides.
func (r *remembering) decide(ctx context.Context, d memory.Document) (remember.Decision, error) {
	decided, err := r.decideOn(d.Content)
	if err != nil {
		return remember.Decision{}, err
	}
	if r.id.Author.Kind == memory.AuthorUser || decided.Kind != remember.KindCorrected {
		return decided, nil
	}
	blame, err := r.Store.Blame(ctx, r.id, r.ref, d.Version)
	if err != nil {
		return remember.Decision{}, err
	}
	var person []string
	for _, line := range blame {
		if line.Author.Kind == memory.AuthorUser {
			person = append(person, line.Line)
		}
	}
	return r.decideOn(d.Content, person...)
}

func (r *remembering) saved(d remember.Decision) Saved {
	return Saved{Kind: string(d.Kind), Line: d.Line, Old: d.Old, Path: r.ref.Path, Items: d.Items}
}

// first is the receipt of the write that saved what is known.
func (r *remembering) first(ctx context.Context, d memory.Document, decided remember.Decision) (memory.Receipt, error) {
	line, _, _ := strings.Cut(decided.Line, "\n")
	id := memory.EntryIDOf("- " + line)
	at := 0
	from, to := r.lines(d.Content)
	for _, e := range memory.EntriesOf(d.Content) {
		if e.ID == id && e.FromLine >= from && e.FromLine <= to {
			at = e.FromLine
			break
		}
	}
	blame, err := r.Store.Blame(ctx, r.id, r.ref, d.Version)
	if err != nil || at < 1 || at > len(blame) {
		return memory.Receipt{}, err
	}
	receipt, err := r.Store.ReceiptOfVersion(ctx, r.id, r.ref, blame[at-1].Version)
	if errors.Is(err, store.ErrNotFound) { // its journal entry is not for this reader
		return memory.Receipt{}, nil
	}
	return receipt, err
}

// again tells what the same request came to the first time, out of the versions before and after it.
func (r *remembering) again(ctx context.Context, receipt memory.Receipt) (Saved, error) {
	version := receipt.Changes[0].Version
	before := memory.Version{}
	if version > 1 {
		var err error
		if before, err = r.Store.VersionOf(ctx, r.id, r.ref, version-1); err != nil {
			return Saved{}, err
		}
	}
	decided, err := r.decideOn(before.Content)
	if err != nil {
		return Saved{}, err
	}
	saved := r.saved(decided)
	saved.Receipt = receipt
	return saved, nil
}

// remember answers the tool of that name. The words are the model's, however faithful: the author is the tool.
func (k *call) remember(ctx context.Context) (any, error) {
	saved, err := k.Box.remember(ctx, k.Caller, given(k.args, "text", ""), memory.Author{Kind: memory.AuthorTool, ID: Remember})
	if err != nil {
		return nil, err
	}
	out := struct {
		Kind    string `json:"kind"`
		Line    string `json:"line"`
		Old     string `json:"old,omitempty"`
		Path    string `json:"path"`
		Receipt string `json:"receipt,omitempty"`
		Message string `json:"message"`
	}{Kind: saved.Kind, Line: saved.Line, Old: saved.Old, Path: saved.Path, Receipt: saved.Receipt.Token}
	switch remember.Kind(saved.Kind) {
	case remember.KindUnclear:
		return nil, faultf("there is nothing in it that could be kept: write one plain statement, such as \"The staging port is 5434\"")
	case remember.KindKnown:
		out.Message = "That was remembered already; nothing was written"
	case remember.KindCorrected:
		out.Message = "Remembered, in the place of what was known before; the earlier version stays in the history"
	case remember.KindNew:
		out.Message = "Remembered"
	}
	if saved.Receipt.Key != "" || slices.ContainsFunc(saved.Items, wrote) {
		k.result.Written = &saved.Receipt
	}
	if n := len(saved.Items); n > 1 {
		out.Message += fmt.Sprintf(" (%d statements)", n)
	}
	return out, nil
}

func wrote(i remember.Item) bool {
	return i.Kind == remember.KindNew || i.Kind == remember.KindCorrected
}
