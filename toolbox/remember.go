package toolbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/recall"
	"reverie/remember"
	"reverie/scan"
	"reverie/store"
	"reverie/store/dreams"
	"reverie/store/erase"
)

// Saved is the result of a request to remember.
type Saved struct {
	Kind    string // see remember.Kind
	Line    string // several statements are on separate lines
	Old     string // the corrected line
	Path    string
	Receipt memory.Receipt // of this write, or of the one that saved the statement first
	Items   []remember.Item
}

// rememberRounds bounds the attempts of a request while others write the same lines.
const rememberRounds = 12

// Remember saves a statement that the user asked to remember, through the gate, as the user's words. It may bring
// back a forgotten statement. The whole text is scanned before it is split into statements.
//
// Kind is unclear, and nothing is written, when the text contains nothing to keep. The error wraps
// store.ErrMemoryOff, or comes from the gate: *store.QuarantineError, store.ErrForbidden, …
func (b *Box) Remember(ctx context.Context, c Caller, text string) (Saved, error) {
	return b.RememberAsked(ctx, c, remember.Scanned(text))
}

// RememberAsked is Remember for a request that was parsed from a message.
func (b *Box) RememberAsked(ctx context.Context, c Caller, asked remember.Request) (Saved, error) {
	return b.remember(ctx, c, asked, memory.Author{Kind: memory.AuthorUser, ID: Remember})
}

// remember is Remember for any author. Only a person replaces what a person wrote.
func (b *Box) remember(ctx context.Context, c Caller, asked remember.Request, author memory.Author) (Saved, error) {
	if !b.enabled(c.Agent) {
		return Saved{}, store.ErrMemoryOff
	}
	r := remembering{
		Box: b, Caller: c, id: c.by(author), ref: memory.Ref{Scope: b.scope(c), Path: memory.MemoryPath},
		request: asked,
	}
	if asked.Refused { // the gate scans it again, refuses it and records that
		_, err := b.Store.Apply(ctx, r.id, "", []memory.Change{{Ref: r.ref, Op: memory.OpAppend, Content: asked.Text}})
		return Saved{}, err
	}
	r.key = keyOf("remember", c.Key, string(c.Speaker), asked.Text)
	receipt, again, err := b.replayed(ctx, r.id, r.key)
	switch {
	case err != nil:
		return Saved{}, err
	case again:
		return r.again(ctx, receipt)
	}
	if saved, done, err := r.outside(ctx); done || err != nil {
		return saved, err
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

// remembering is a request in progress.
type remembering struct {
	*Box
	Caller

	id      memory.Identity
	ref     memory.Ref
	request remember.Request
	key     string
	known   map[string]string // statements that MEMORY.md says in other words, and its lines
}

// try merges the request into the current MEMORY.md.
func (r *remembering) try(ctx context.Context) (Saved, error) {
	d, _, err := r.current(ctx, r.id, r.ref)
	if err != nil {
		return Saved{}, err
	}
	decided, err := r.decide(ctx, d)
	if refused, is := errors.AsType[*markdown.SectionError](err); is {
		return Saved{}, &store.InvalidError{Field: "text", Problem: refused.Problem}
	}
	if err != nil {
		return Saved{}, err
	}
	if err := r.recordRepeat(ctx, decided); err != nil {
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
		Redacted: r.request.Secrets, Once: true,
	}})
	if err != nil {
		return Saved{}, err
	}
	if !saved.Receipt.Replayed && !saved.Receipt.Changes[0].Changed { // another write has just said it
		saved.Kind = string(remember.KindKnown)
	}
	r.changed(r.id, saved.Receipt)
	saved.held()
	return saved, nil
}

// held marks the statements that the gate did not write, or only into the day's note.
func (s *Saved) held() {
	done := s.Receipt.Changes[0]
	if done.Held+done.Aside == 0 {
		return
	}
	for i, item := range s.Items {
		switch {
		case !wrote(item):
		case scan.Instruction(item.Line) != "":
			s.Items[i].Kind = remember.KindHeld
		case scan.Steers(item.Line):
			s.Items[i].Kind = remember.KindNoted
		}
	}
	if done.Changed && done.Added > 0 && slices.ContainsFunc(s.Items, wrote) {
		return
	}
	if s.Kind = string(remember.KindHeld); done.Aside > 0 {
		s.Kind, s.Path = string(remember.KindNoted), done.AsideIn
	}
}

// decide determines what to do with the request. A tool does not correct a line that a person wrote: both lines are
// kept, and the person decides.
func (r *remembering) decide(ctx context.Context, d memory.Document) (remember.Decision, error) {
	if err := r.know(ctx, d); err != nil {
		return remember.Decision{}, err
	}
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

// first returns the receipt of the write that saved what is already known.
func (r *remembering) first(ctx context.Context, d memory.Document, decided remember.Decision) (memory.Receipt, error) {
	line, _, _ := strings.Cut(decided.Line, "\n")
	id := markdown.EntryIDOf("- " + line)
	at := 0
	from, to := r.lines(d.Content)
	for _, e := range markdown.EntriesOf(d.Content) {
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
	if errors.Is(err, store.ErrNotFound) { // this reader may not see its journal entry
		return memory.Receipt{}, nil
	}
	return receipt, err
}

// again returns the result of the first execution of the same request, from the versions before and after it.
func (r *remembering) again(ctx context.Context, receipt memory.Receipt) (Saved, error) {
	if done := receipt.Changes[0]; done.Held+done.Aside > 0 && !done.Changed {
		saved := Saved{Line: r.request.Text, Path: r.ref.Path, Receipt: receipt}
		saved.held()
		return saved, nil
	}
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

// remembered is the result of remember.
type remembered struct {
	Kind    string `json:"kind"`
	Line    string `json:"line"`
	Old     string `json:"old,omitempty"`
	Path    string `json:"path"`
	Receipt string `json:"receipt,omitempty"`
	Message string `json:"message"`
}

// remember implements the tool. The author is the tool, because the words are the model's.
func (k *call) remember(ctx context.Context) (any, error) {
	saved, err := k.Box.remember(ctx, k.Caller, remember.Scanned(given(k.args, "text", "")), memory.Author{Kind: memory.AuthorTool, ID: Remember})
	if err != nil {
		return nil, err
	}
	out := remembered{Kind: saved.Kind, Line: saved.Line, Old: saved.Old, Path: saved.Path, Receipt: saved.Receipt.Token}
	switch remember.Kind(saved.Kind) {
	case remember.KindUnclear:
		return nil, faultf("no statement found in the text: write one plain statement, such as \"The staging port is 5434\"")
	case remember.KindKnown:
		out.Message = "Already known; nothing was written"
	case remember.KindCorrected:
		out.Message = "Remembered; it replaces an earlier statement, which stays in the history"
	case remember.KindNew:
		out.Message = "Remembered"
	case remember.KindNoted:
		out.Message = "Noted for today only, because it may instruct the assistant; a person may write it into MEMORY.md"
	case remember.KindHeld:
		out.Message = "Not remembered: it instructs the assistant, so a person decides about it first. Say so"
	}
	if saved.Receipt.Key != "" || len(saved.Receipt.Changes) > 0 && slices.ContainsFunc(saved.Items, wrote) {
		k.result.Written = &saved.Receipt
	}
	if done := saved.Receipt.Changes; len(done) > 0 && done[0].Withheld {
		out.Message = "Not remembered: the user had it forgotten, and only their own words bring it back. Say so"
	}
	statements := 0
	for _, item := range saved.Items {
		if item.Kind != remember.KindUnclear { // a blank line
			statements++
		}
	}
	if statements > 1 {
		out.Message += fmt.Sprintf(" (%d statements)", statements)
	}
	return out, nil
}

func wrote(i remember.Item) bool {
	return i.Kind == remember.KindNew || i.Kind == remember.KindCorrected
}

// Forget names what to forget: lines of a document, as shown by a search or a tool, or one statement.
type Forget struct {
	Path string // of the document
	// Scope is the document's; empty: the scope that Path resolves to, the caller's own first.
	Scope memory.Scope
	// FromLine and ToLine are 1-based and inclusive: every statement on these lines is forgotten. With Entry they may
	// be 0.
	FromLine, ToLine int
	// Entry names one statement instead of lines. If lines are also given, it must be on them.
	Entry markdown.EntryID
	// Shown is the text of the passage as it was shown; empty: unknown. Since documents change, only statements
	// contained in it are forgotten, wherever they are in the document now.
	Shown string
	// Said are wordings of a statement in place of a path: it is forgotten in any wording. Heard are those in conversations, which no
	// document needs to have.
	Said, Heard []string
	// Pattern are words in place of a path: every statement with them is forgotten.
	Pattern string
	// Erase also removes the words from earlier versions and messages, permanently.
	Erase bool
	// Preview changes nothing.
	Preview bool
}

// FoundStatement is a statement in the document that had it.
type FoundStatement = dreams.Found

// Forgotten is the result of Forget.
type Forgotten struct {
	Statements []Statement      // without an Entry: only an external MCP server has it
	Found      []FoundStatement // in documents, in the same or similar words
	Words      erase.Redacted   // where else words were erased
	// Receipt lists the documents changed, with new versions; earlier versions stay in the history.
	Receipt memory.Receipt
	// Backend says what became of the statements on an external MCP server.
	Backend BackendForgotten
}

// BackendForgotten counts statements on an external MCP server.
type BackendForgotten struct {
	Archived int  // there
	Kept     int  // could not be archived, since the server failed. They are no longer shown, as long as they say the same.
	Unread   bool // the server could not be read
}

// Statement is one statement of a document.
type Statement struct {
	Entry markdown.EntryID
	Text  string
}

// Forget removes statements from the caller's documents, on behalf of the person, and erases them in what was made of documents and
// messages (see dreams.Forget). Dreams, extractions, flushes, imports and tools do not write them again in any wording; the person
// may, by editing or by asking to remember. Messages of conversations and earlier versions are kept, unless f.Erase.
//
// The error is *store.InvalidError if f names nothing that can be forgotten (a path of a conversation, lines without
// a statement). It wraps store.ErrNotFound if the document or the statements do not exist any longer, and
// store.ErrForbidden if the caller may not write the document, such as shared memory with a key that is pinned to a
// person. Repeating a Caller.Key returns the first receipt, without the statements.
func (b *Box) Forget(ctx context.Context, c Caller, f Forget) (Forgotten, error) {
	return b.forget(ctx, c, f, memory.Author{Kind: memory.AuthorUser, ID: "forget"})
}

// forget is Forget for any author.
func (b *Box) forget(ctx context.Context, c Caller, f Forget, author memory.Author) (Forgotten, error) {
	o, err := b.outside(ctx, c, true)
	if err != nil {
		return Forgotten{}, err
	}
	done, err := b.forgetHere(ctx, c, f, author)
	if o == nil || f.Scope != "" && f.Scope != memory.ScopePersonal {
		return done, err
	}
	return b.forgetOutside(ctx, c, o, f, author, done, err)
}

// forgetHere forgets what the store has.
func (b *Box) forgetHere(ctx context.Context, c Caller, f Forget, author memory.Author) (Forgotten, error) {
	if strings.HasPrefix(f.Path, recall.SessionsFolder) && !strings.HasSuffix(f.Path, ".md") {
		return Forgotten{}, &store.InvalidError{
			Field:   "path",
			Problem: "messages of conversations cannot be forgotten, only statements in documents",
		}
	}
	scope := f.Scope
	if scope == "" && f.Path == "" {
		scope = b.scope(c)
	}
	if scope == "" {
		d, err := b.Store.VisibleDocument(ctx, c.Identity, f.Path)
		if err != nil {
			return Forgotten{}, err
		}
		scope = d.Scope
	}
	id := c.by(author)
	what := []string{
		string(scope), f.Path, strconv.Itoa(f.FromLine), strconv.Itoa(f.ToLine), string(f.Entry), f.Shown, f.Pattern, strconv.FormatBool(f.Erase),
	}
	what = append(what, f.Said...)
	done, err := b.Store.Forget(ctx, id, dreams.ForgetRequest{
		Ref: memory.Ref{Scope: scope, Path: f.Path}, FromLine: f.FromLine, ToLine: max(f.ToLine, f.FromLine), Entry: f.Entry, Shown: f.Shown,
		Said: f.Said, Heard: f.Heard, Pattern: f.Pattern, Speaker: c.named(), Erase: f.Erase, Preview: f.Preview,
		Key: keyOf("forget", c.Key, what...),
	})
	if err != nil {
		return Forgotten{}, err
	}
	b.changed(id, done.Receipt)
	out := Forgotten{Receipt: done.Receipt, Found: done.Found, Words: done.Words}
	for _, s := range done.States {
		out.Statements = append(out.Statements, Statement{Entry: s.ID, Text: s.Text})
	}
	return out, nil
}

// ofPerson reports whether a caller writes only the speaker's section of a document, so that people of a group do not
// overwrite each other.
func (c Caller) ofPerson(path string) bool { return c.Speaker != "" && path == memory.MemoryPath }

// named returns the person of a group who calls, as messages name them; empty: the owner is one person.
func (c Caller) named() string {
	if memory.SpeakerOf(c.Name) == c.Speaker {
		return c.Name
	}
	return string(c.Speaker)
}

// own returns the part of a document that a caller may change: the speaker's section, or all of it.
func (c Caller) own(path, content string) string {
	if !c.ofPerson(path) {
		return content
	}
	text, _, _, found := memory.PersonSection(content, c.Speaker)
	if !found {
		return ""
	}
	return text + "\n"
}

// above returns the number of lines before that part.
func (c Caller) above(path, content string) int {
	if !c.ofPerson(path) {
		return 0
	}
	_, from, to, found := memory.PersonSection(content, c.Speaker)
	if !found {
		return 0
	}
	lines := strings.Split(content, "\n")
	for from < to && strings.TrimSpace(lines[from]) == "" { // skip blank lines below the heading
		from++
	}
	return from
}

// withOwn returns the document with that part replaced.
func (c Caller) withOwn(path, content, own string) (string, error) {
	if !c.ofPerson(path) {
		return own, nil
	}
	return memory.WithPersonSection(content, c.Speaker, own)
}

// ownRounds bounds the attempts to rewrite a person's section while others write theirs.
const ownRounds = 12

// writeOwn replaces the speaker's section with a text.
func (k *call) writeOwn(ctx context.Context, id memory.Identity, ref memory.Ref, text string) (memory.Receipt, error) {
	for round := 1; ; round++ {
		d, _, err := k.current(ctx, id, ref)
		if err != nil {
			return memory.Receipt{}, err
		}
		content, err := k.withOwn(ref.Path, d.Content, text)
		if err != nil {
			return memory.Receipt{}, err
		}
		receipt, err := k.Store.Apply(ctx, id, k.key, []memory.Change{{
			Ref: ref, Op: memory.OpReplace, Content: content, Base: d.Version, Reason: "written by the agent", Sources: k.sources(),
		}})
		if _, stale := errors.AsType[*store.StaleBaseError](err); !stale || round == ownRounds {
			return receipt, err
		}
		if err := pause(ctx, round); err != nil {
			return memory.Receipt{}, err
		}
	}
}

// underRemembered precedes a person's statements while a request is merged into them, as the heading for new
// statements.
const underRemembered = "## " + remember.Section + "\n"

// decideOn merges a request into a document, or into the speaker's section.
func (r *remembering) decideOn(content string, protected ...string) (remember.Decision, error) {
	if !r.ofPerson(r.ref.Path) {
		return remember.DecideKnown(r.request, content, r.known, protected...), nil
	}
	decided := remember.Decide(r.request, underRemembered+"\n"+r.own(r.ref.Path, content), protected...)
	if decided.Content == "" {
		return decided, nil
	}
	var err error
	decided.Content, err = r.withOwn(r.ref.Path, content, decided.Content[len(underRemembered):])
	return decided, err
}

// lines returns the lines of a document that hold the caller's statements.
func (r *remembering) lines(content string) (from, to int) {
	if !r.ofPerson(r.ref.Path) {
		return 1, len(content) + 1
	}
	_, from, to, _ = memory.PersonSection(content, r.Speaker)
	return from, to
}
