package toolbox

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/structured"
	"reverie/scan"
	"reverie/store"
	stored "reverie/store/facts"
)

// maxEntries bounds the entries of one result.
const maxEntries = 50

var (
	typeValues = []string{string(structured.User), string(structured.Feedback), string(structured.Project), string(structured.Reference)}
	keyParam   = param{
		name: "key", kind: text, required: true, min: 1, max: structured.MaxKey,
		doc: "Of the entry, such as diet or deploy day.",
	}
)

// structuredTools are the tools for structured documents (package structured).
func structuredTools() []tool {
	return []tool{
		{
			name:  RememberStructured,
			title: "Keep a structured entry", result: rememberedEntry{},
			description: "Keep an entry under a key; it replaces the one with that key. user: who the user is and prefers; " +
				"feedback: how you should work; project: what holds for a project; reference: where things are.",
			params: []param{
				{name: "type", kind: text, required: true, values: typeValues, doc: "Kind of entry.", models: nameOnly},
				keyParam,
				{name: "content", kind: text, required: true, min: 1, max: structured.MaxContent, doc: "In Markdown without headings."},
			},
			writes: true, replaces: true, repeats: true,
			run: (*call).rememberStructured,
		},
		{
			name:  RecallStructured,
			title: "Read structured entries", result: entryList{},
			description: "Read entries by type, or by a part of their key or content.",
			params: []param{
				{name: "type", kind: text, values: typeValues, doc: "Only of this type. Default: all.", models: nameOnly},
				{name: "query", kind: text, max: maxQuery, doc: "Part of the key or the content.", models: nameOnly},
				{name: "include_archived", kind: boolean, doc: "Also archived entries. Default: false.", models: nothing},
			},
			run: (*call).recallStructured,
		},
		{
			name:  ForgetStructured,
			title: "Forget a structured entry", result: forgotEntry{},
			description: "Remove an entry for good, when the user asks for it.",
			params: []param{
				{name: "type", kind: text, required: true, values: typeValues, doc: "Kind of entry.", models: nameOnly},
				keyParam,
			},
			writes: true, replaces: true, repeats: true,
			run: (*call).forgetStructured,
		},
	}
}

// rememberedEntry is the result of remember_structured.
type rememberedEntry struct {
	Success bool   `json:"success"`
	Type    string `json:"type"`
	Key     string `json:"key"`
	ID      int64  `json:"id,omitempty"` // number of the fact
	Receipt string `json:"receipt,omitempty"`
	Message string `json:"message"`
}

// entryList is the result of recall_structured.
type entryList struct {
	AgentID   string      `json:"agentId"`
	Count     int         `json:"count"`
	Entries   []entryView `json:"entries"`
	Truncated bool        `json:"truncated,omitempty"`

	Disagreements []disputed `json:"disagreements,omitempty"` // pairs of the shown statements that cannot both hold
}

type entryView struct {
	Type     string       `json:"type"`
	Key      string       `json:"key"`
	Content  string       `json:"content"`
	Source   string       `json:"source,omitempty"`
	Updated  string       `json:"updated,omitempty"`
	Archived bool         `json:"archived,omitempty"`
	Scope    memory.Scope `json:"scope"`
}

// forgotEntry is the result of forget_structured.
type forgotEntry struct {
	Success bool   `json:"success"`
	Receipt string `json:"receipt,omitempty"`
	Message string `json:"message"`
}

// entryRef returns the document and the key that a call names.
func (k *call) entryRef() (memory.Ref, string, error) {
	if k.Speaker != memory.NoOwner {
		return memory.Ref{}, "", faultf("structured memory keeps no sections of persons: use %s", Remember)
	}
	key, err := structured.KeyOf(given(k.args, "key", ""))
	if err != nil {
		return memory.Ref{}, "", faultf("%s", err)
	}
	return memory.Ref{Scope: k.scope(k.Caller), Path: structured.Type(given(k.args, "type", "")).Path()}, key, nil
}

// rememberStructured implements remember_structured.
func (k *call) rememberStructured(ctx context.Context) (any, error) {
	ref, key, err := k.entryRef()
	if err != nil {
		return nil, err
	}
	author := k.by(memory.Author{Kind: memory.AuthorTool, ID: RememberStructured})
	content := strings.TrimSpace(given(k.args, "content", ""))
	if !markdown.HasText(content) {
		return nil, faultf("content is empty: write what is true")
	}
	out := rememberedEntry{Success: true, Type: given(k.args, "type", ""), Key: key}
	known := false
	receipt, err := k.rewrite(ctx, author, ref, "structured entry "+key, func(d memory.Document) (string, error) {
		if e, found := structured.Find(structured.Parse(d.Content), key); found && e.Content == content {
			known, out.Key = true, e.Key
			return d.Content, nil
		}
		known = false
		return structured.Set(d.Content, structured.Entry{Key: key, Content: content, Source: k.source(), Updated: k.today()})
	})
	if err != nil {
		return nil, err
	}
	out.Message = "Saved"
	if known {
		out.Message = "Already known; nothing was written"
	}
	if len(receipt.Changes) > 0 {
		done := receipt.Changes[0]
		out.Receipt = receipt.Token
		wrote := done.Changed && (!done.Created || done.Added > 0)
		switch why := refused(done); {
		case why != "" && !wrote:
			out.Success, out.Message = false, "Nothing was saved, and an entry with this key is as it was: "+why
		case done.Waiting > 0 && !wrote:
			out.Success, out.Message = false, "Not saved"+redacted(done)
		default:
			out.Message += redacted(done)
		}
	}
	if out.Success {
		if out.ID, err = k.numberOf(ctx, ref, entryOf(key)); err != nil {
			return nil, err
		}
		if out.ID != 0 && !known {
			out.Message = savedAs(out.ID, out.Message)
		}
	}
	return out, nil
}

// entryOf matches the first statement of the entry with a key.
func entryOf(key string) func(content string, e markdown.Entry) bool {
	return func(content string, e markdown.Entry) bool {
		return strings.EqualFold(markdown.TopHeadingAt(content, e.FromLine), key) && !structured.IsSourceLine(e.Text)
	}
}

// source names who says what a call writes.
func (k *call) source() string {
	if k.Conversation != "" {
		return "conversation " + k.Conversation
	}
	return "tool"
}

// today returns the day of a write in the agent's time zone.
func (c Caller) today() time.Time {
	zone, err := c.Agent.Location()
	if err != nil {
		zone = time.UTC
	}
	return time.Now().In(zone)
}

// recallStructured implements recall_structured.
func (k *call) recallStructured(ctx context.Context) (any, error) {
	query := strings.ToLower(strings.TrimSpace(given(k.args, "query", "")))
	only, archived := given(k.args, "type", ""), given(k.args, "include_archived", false)
	out := entryList{AgentID: k.Identity.Agent, Entries: []entryView{}}
	room := maxShown
	var texts []string
	for _, t := range structured.Types() {
		if only != "" && only != string(t) {
			continue
		}
		for _, scope := range []memory.Scope{memory.ScopePersonal, memory.ScopeTeam, memory.ScopeGlobal} {
			if scope == memory.ScopePersonal && k.Identity.Owner == memory.NoOwner {
				continue
			}
			d, found, err := k.current(ctx, k.Identity, memory.Ref{Scope: scope, Path: t.Path()})
			if err != nil {
				return nil, err
			}
			if !found || d.Deleted {
				continue
			}
			for _, e := range structured.Parse(scan.Redacted(d.Content)) {
				if e.Archived && !archived || query != "" && !strings.Contains(strings.ToLower(e.Key+"\n"+e.Content), query) {
					continue
				}
				if room -= len(e.Content); room < 0 || len(out.Entries) == maxEntries {
					out.Truncated = true
					break
				}
				view := entryView{Type: string(t), Key: e.Key, Content: e.Content, Source: e.Source, Archived: e.Archived, Scope: scope}
				if !e.Updated.IsZero() {
					view.Updated = e.Updated.Format(time.DateOnly)
				}
				out.Entries = append(out.Entries, view)
				k.shownEntry(d, e)
				texts = append(texts, e.Content)
			}
		}
	}
	out.Count = len(out.Entries)
	var err error
	out.Disagreements, err = k.disputed(ctx, texts...)
	return out, err
}

// shownEntry records the lines of an entry that a result shows.
func (k *call) shownEntry(d memory.Document, e structured.Entry) {
	from, to := 0, 0
	for _, s := range markdown.EntriesOf(d.Content) {
		if s.Heading == e.Key && from == 0 {
			from = s.FromLine
		}
		if s.Heading == e.Key {
			to = s.ToLine
		}
	}
	if from > 0 {
		k.shown(d, from, to, e.Content)
	}
}

// forgetStructured implements forget_structured. Its statements are forgotten as those of any document; then the entry is removed.
func (k *call) forgetStructured(ctx context.Context) (any, error) {
	ref, key, err := k.entryRef()
	if err != nil {
		return nil, err
	}
	d, found, err := k.current(ctx, k.Identity, ref)
	if err != nil {
		return nil, err
	}
	missing := faultf("no entry has the key %q: read the entries with %s", key, RecallStructured)
	if !found {
		return nil, missing
	}
	if _, found, err = structured.Remove(d.Content, key); err != nil || !found {
		return nil, errors.Join(err, missing)
	}
	author := memory.Author{Kind: memory.AuthorTool, ID: ForgetStructured}
	for _, e := range markdown.EntriesOf(d.Content) {
		if !strings.EqualFold(e.Heading, key) || structured.IsSourceLine(e.Text) {
			continue
		}
		if _, err := k.Box.forget(ctx, k.Caller, Forget{Path: ref.Path, Scope: ref.Scope, Entry: e.ID}, author); err != nil &&
			!errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
	}
	receipt, err := k.rewrite(ctx, k.by(author), ref, "forgotten", func(d memory.Document) (string, error) {
		next, _, err := structured.Remove(d.Content, key)
		return next, err
	})
	return forgotEntry{Success: err == nil, Receipt: receipt.Token, Message: "Forgotten"}, err
}

// rewrite replaces the text of a document by what change makes of it, again while others change the same lines. If it changes nothing,
// nothing is written and the receipt is empty.
func (k *call) rewrite(
	ctx context.Context, author memory.Identity, ref memory.Ref, reason string, change func(memory.Document) (string, error),
) (memory.Receipt, error) {
	receipt, again, err := k.replayed(ctx, author, k.key)
	for round := 1; err == nil && !again; round++ {
		var d memory.Document
		if d, _, err = k.current(ctx, author, ref); err != nil {
			return memory.Receipt{}, err
		}
		var next string
		if next, err = change(d); err != nil || next == d.Content {
			return memory.Receipt{}, err
		}
		receipt, err = k.Store.Apply(ctx, author, k.key, []memory.Change{{
			Ref: ref, Op: memory.OpReplace, Content: next, Base: d.Version, Reason: reason, Sources: k.sources(),
		}})
		if _, stale := errors.AsType[*store.StaleBaseError](err); !stale || round == upsertRounds {
			break
		}
		if err = pause(ctx, round); err != nil {
			return memory.Receipt{}, err
		}
	}
	if err != nil {
		return memory.Receipt{}, err
	}
	k.changed(author, receipt)
	k.result.Written = &receipt
	return receipt, nil
}

// numberOf returns the number of the fact of the first current statement of a document that fits; 0 if there is none, or while facts
// are switched off.
func (k *call) numberOf(ctx context.Context, ref memory.Ref, fits func(content string, e markdown.Entry) bool) (int64, error) {
	d, found, err := k.current(ctx, k.Identity, ref)
	if err != nil || !found {
		return 0, err
	}
	entries := markdown.EntriesOf(d.Content)
	at := slices.IndexFunc(entries, func(e markdown.Entry) bool { return fits(d.Content, e) })
	if at < 0 {
		return 0, nil
	}
	fact, err := k.Store.Stated(ctx, k.Identity, d.ID, entries[at].ID)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrFactsOff):
		return 0, nil
	case err != nil:
		return 0, err
	}
	return stored.Number(fact.ID), nil
}
