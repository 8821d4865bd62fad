package toolbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/recall"
	"reverie/scan"
	"reverie/store"
)

// call is one call of a tool.
type call struct {
	*Box
	Caller

	args   arguments
	key    string // idempotency key of its writes; empty: none
	result Result
}

// errOff is the reason why nothing is searched or written.
const errOff = "memory is switched off for this agent"

// Call runs one tool. An unknown name, an invalid argument, a refusal and a conflict are results (IsError) that say
// what the model should do; an error is returned only when ctx is done or the store is unavailable.
func (b *Box) Call(ctx context.Context, c Caller, name string, raw json.RawMessage) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	k := call{Box: b, Caller: c}
	answer, err := k.do(ctx, name, raw)
	if err != nil {
		if answer, err = failureOf(ctx, err); err != nil {
			return Result{}, err
		}
		k.result.IsError = true
	}
	k.result.Content, err = encode(answer)
	return k.result, err
}

func (k *call) do(ctx context.Context, name string, raw json.RawMessage) (any, error) {
	for _, t := range every() {
		if t.name != name {
			continue
		}
		var err error
		if k.args, err = read(raw, t.params); err != nil {
			return nil, err
		}
		if !k.enabled(k.Agent) && !t.answersOff {
			return nil, faultf("%s: nothing was read or written. Tell the user", errOff)
		}
		k.key = keyOf("tool/"+name, k.Key, string(k.Speaker), string(raw))
		return t.run(k, ctx)
	}
	names := make([]string, 0, len(tools()))
	for _, t := range tools() {
		names = append(names, t.name)
	}
	return nil, faultf("unknown tool %q: the memory tools are %s", clip(name, maxNamed), strings.Join(names, ", "))
}

// keyOf returns the idempotency key of a write: the caller's key combined with what is written, so that a different
// call with the same key is a different write.
func keyOf(kind, key string, what ...string) string {
	if key == "" {
		return ""
	}
	h := sha256.New()
	for _, part := range append([]string{key}, what...) {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return kind + "/" + hex.EncodeToString(h.Sum(nil)[:16])
}

// failure is the result of a call that was not executed.
type failure struct {
	Error   bool           `json:"error"`
	Message string         `json:"message"`
	More    map[string]any `json:"details,omitempty"`
}

// failureOf converts an error into a result for the model. An error that the model cannot act on stays an error.
func failureOf(ctx context.Context, err error) (any, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if f, is := errors.AsType[*fault](err); is {
		return failure{Error: true, Message: f.message, More: f.more}, nil
	}
	if e, is := errors.AsType[*store.StaleBaseError](err); is {
		return conflict(e), nil
	}
	if e, is := errors.AsType[*store.QuarantineError](err); is {
		rules := make([]string, len(e.Findings))
		for i, f := range e.Findings {
			rules[i] = fmt.Sprintf("%s in line %d", f.Class, f.Line)
		}
		return failure{Error: true, Message: "the text was not written: it looks like an attempt to instruct the agent " +
			"or to send data elsewhere (" +
			strings.Join(rules, ", ") + "). Write the fact as a plain statement, or leave it out"}, nil
	}
	if e, is := errors.AsType[*store.InvalidError](err); is {
		return failure{Error: true, Message: e.Field + ": " + e.Problem}, nil
	}
	if e, is := errors.AsType[*markdown.SectionError](err); is {
		return failure{Error: true, Message: "nothing was written: " + e.Problem}, nil
	}
	if e, is := errors.AsType[*store.ConflictError](err); is {
		return failure{Error: true, Message: e.Message}, nil
	}
	switch {
	case errors.Is(err, store.ErrReadOnlyTeam):
		return failure{Error: true, Message: store.ErrReadOnlyTeam.Error() + ": this agent only reads the memory of its team. Tell the user"}, nil
	case errors.Is(err, store.ErrMemoryOff):
		return failure{Error: true, Message: store.ErrMemoryOff.Error() + ". Tell the user"}, nil
	case errors.Is(err, store.ErrForbidden):
		return failure{Error: true, Message: "this conversation may not write that: its credential is read-only. Tell the user"}, nil
	case errors.Is(err, store.ErrNotFound):
		return failure{Error: true, Message: "file not found: list the files with " + ListFiles}, nil
	}
	return nil, err
}

// maxConflicts bounds the places shown of a conflict, and maxConflictText each side of one, in characters.
const (
	maxConflicts    = 5
	maxConflictText = 600
)

// conflict returns both sides of a change that does not fit the current text.
func conflict(e *store.StaleBaseError) failure {
	type side struct {
		Line   int    `json:"line"` // of the current file
		Yours  string `json:"yours"`
		Theirs string `json:"theirs"`
	}
	var sides []side
	for _, c := range e.Conflicts[:min(len(e.Conflicts), maxConflicts)] {
		sides = append(sides, side{c.Theirs.From, clip(c.Ours.Text, maxConflictText), clip(c.Theirs.Text, maxConflictText)})
	}
	return failure{
		Error: true,
		Message: fmt.Sprintf("the same lines of %s were changed concurrently: nothing was written. "+
			"Read it again and redo the change on version %d", e.Ref.Path, e.Head),
		More: map[string]any{"version": e.Base, "currentVersion": e.Head, "places": len(e.Conflicts), "conflicts": sides},
	}
}

// filename returns the normalised path that a call names.
func (k *call) filename(name string) (string, error) {
	path, err := memory.ParsePath(given(k.args, name, ""))
	if err != nil {
		return "", faultf("%s: %s", name, err)
	}
	return path, nil
}

// document returns the file that a call names, without secrets: of the given scope, or the one that the path resolves to.
func (k *call) document(ctx context.Context, path string) (d memory.Document, err error) {
	if scope := memory.Scope(given(k.args, "scope", "")); scope != "" {
		d, err = k.Store.Document(ctx, k.Identity, memory.Ref{Scope: scope, Path: path})
	} else {
		d, err = k.Store.ReadableDocument(ctx, k.Identity, path)
	}
	d.Content = scan.Redacted(d.Content)
	return d, err
}

// shorten cuts a text to the limit of a result.
func shorten(s string, limit int) (string, bool) {
	if utf8.RuneCountInString(s) <= limit {
		return s, false
	}
	cut := string([]rune(s)[:limit])
	if at := strings.LastIndexByte(cut, '\n'); at > len(cut)/2 { // whole lines, unless they are too long
		cut = cut[:at+1]
	}
	return cut, true
}

// shown records a passage of a document that a result shows.
func (k *call) shown(d memory.Document, from, to int, text string) {
	k.result.Found = append(k.result.Found, recall.Hit{
		Corpus: corpusOfFiles, Path: d.Path, FromLine: from, ToLine: to, Text: text, Snippet: clip(text, maxConflictText), At: d.UpdatedAt,
		Source: recall.SourceRef{Scope: d.Scope, Agent: d.Agent, Owner: d.Owner, ID: d.ID, Version: d.Version},
	})
}
