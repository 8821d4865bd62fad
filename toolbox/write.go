package toolbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"reverie/memory"
	"reverie/scan"
	"reverie/store"
)

// written is the result of a write or an edit.
type written struct {
	AgentID  string `json:"agentId"`
	Filename string `json:"filename"`

	Created      *bool `json:"created,omitempty"` // of a write
	Overwritten  *bool `json:"overwritten,omitempty"`
	BytesWritten *int  `json:"bytesWritten,omitempty"`

	Replacements  *int  `json:"replacements,omitempty"` // of an edit
	ReplaceAll    *bool `json:"replaceAll,omitempty"`
	FileSizeAfter *int  `json:"fileSizeAfter,omitempty"`

	Enabled  bool         `json:"enabled"`
	Person   memory.Owner `json:"person,omitempty"` // whose section of the file was written, in a group
	Scope    memory.Scope `json:"scope"`
	OwnerKey memory.Owner `json:"ownerKey"`
	Version  int          `json:"version"`
	Merged   bool         `json:"merged,omitempty"`
	Receipt  string       `json:"receipt,omitempty"`
	Message  string       `json:"message"`
}

// mayChange refuses shared files that define what the agent is and may do: a conversation must not change them.
func (k *call) mayChange(ref memory.Ref) error {
	if ref.Scope == memory.ScopeTeam && (ref.Path == memory.AgentsPath || ref.Path == memory.SoulPath) {
		return faultf("%s is shared by all users of this agent and only people may change it. Tell the user", ref.Path)
	}
	return nil
}

// target returns the file to write, in the caller's scope.
func (k *call) target() (memory.Ref, error) {
	path, err := k.filename("filename")
	if err != nil {
		return memory.Ref{}, err
	}
	ref := memory.Ref{Scope: k.scope(k.Caller), Path: path}
	return ref, k.mayChange(ref)
}

// current returns the current document; found is false if there is none.
func (b *Box) current(ctx context.Context, id memory.Identity, ref memory.Ref) (d memory.Document, found bool, err error) {
	d, err = b.Store.Document(ctx, id, ref)
	if errors.Is(err, store.ErrNotFound) {
		return memory.Document{}, false, nil
	}
	return d, err == nil, err
}

// replayed returns the receipt of an earlier execution of the same call.
func (b *Box) replayed(ctx context.Context, id memory.Identity, key string) (memory.Receipt, bool, error) {
	if key == "" {
		return memory.Receipt{}, false, nil
	}
	return b.Store.Receipt(ctx, id, key)
}

// by returns the caller's identity with the given author.
func (c Caller) by(author memory.Author) memory.Identity {
	id := c.Identity
	id.Author = author
	return id
}

// sources returns the source of a write.
func (c Caller) sources(lines ...string) memory.Sources {
	s := memory.Sources{Conversation: c.Conversation, From: c.Message, To: c.Message, Key: c.Identity.Author.ID}
	if c.Conversation == "" || c.Message == 0 {
		return memory.Sources{Conversation: c.Conversation, Key: c.Identity.Author.ID}
	}
	for _, line := range lines {
		s.Lines = append(s.Lines, memory.LineSource{Line: line, Messages: []int64{c.Message}})
	}
	return s
}

// write implements write_workspace_memory_file.
func (k *call) write(ctx context.Context) (any, error) {
	ref, err := k.target()
	if err != nil {
		return nil, err
	}
	content := given(k.args, "content", "")
	id := k.by(memory.Author{Kind: memory.AuthorTool, ID: WriteFile})
	receipt, again, err := k.replayed(ctx, id, k.key)
	if err != nil {
		return nil, err
	}
	switch {
	case again:
	case k.ofPerson(ref.Path):
		if receipt, err = k.writeOwn(ctx, id, ref, content); err != nil {
			return nil, err
		}
	default:
		change := memory.Change{Ref: ref, Op: memory.OpReplace, Content: content, Reason: "written by the agent", Sources: k.sources()}
		if version, given := k.args["version"].(int); given {
			change.Base = version
		} else if d, _, err := k.current(ctx, id, ref); err != nil {
			return nil, err
		} else {
			change.Base = d.Version // changes between this read and the write are merged
		}
		if receipt, err = k.Store.Apply(ctx, id, k.key, []memory.Change{change}); err != nil {
			return nil, writing(ref, change.Base, err)
		}
	}
	k.changed(id, receipt)
	k.result.Written = &receipt
	done := receipt.Changes[0]
	overwritten := !done.Created && done.Version > 0
	out := k.written(done, receipt)
	out.Created, out.Overwritten, out.BytesWritten = &done.Created, &overwritten, &done.Bytes
	out.Message = "Workspace memory file overwritten"
	switch {
	case out.Person != "" && done.Changed:
		out.Message = "The speaker's section was written; the rest of the file is unchanged"
	case done.Waiting > 0 && !done.Changed:
		out.Message = "Workspace memory file not written"
	case done.Created:
		out.Message = "Workspace memory file created"
	case refused(done) != "" && !done.Changed:
		out.Message = "Workspace memory file not written: it stays as it was"
	case !done.Changed:
		out.Message = "Workspace memory file unchanged: it already has this text"
	case done.Merged:
		out.Message = "Workspace memory file merged with concurrent changes"
	}
	out.Message += redacted(done)
	out.Enabled = k.isEnabled(ctx, id, ref)
	return out, nil
}

// writing explains an error of a write that names a version.
func writing(ref memory.Ref, base int, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return faultf("version %d of %s does not exist: read the file again and give its version", base, ref.Path)
	}
	return err
}

func (k *call) written(done memory.ChangeReceipt, receipt memory.Receipt) written {
	out := written{
		AgentID: k.Identity.Agent, Filename: done.Path, Scope: done.Scope, Version: done.Version, Merged: done.Merged,
		Receipt: receipt.Token,
	}
	if k.ofPerson(done.Path) {
		out.Person = k.Speaker
	}
	if done.Scope == memory.ScopePersonal {
		out.OwnerKey = k.Identity.Owner
	}
	return out
}

// isEnabled reports whether a file that was just written is in the system prompt; false if that cannot be read now.
func (k *call) isEnabled(ctx context.Context, id memory.Identity, ref memory.Ref) bool {
	d, found, err := k.current(ctx, id, ref)
	return err == nil && found && d.Enabled
}

// refused says why the gate left out statements of a write; empty: it left out none. Without a write, the document is as it was.
func refused(done memory.ChangeReceipt) string {
	const never = ". Do not write it again"
	switch {
	case done.Held > 0:
		return "it instructs the assistant, so a person decides about it first" + never
	case done.Withheld:
		return "the user had it forgotten, and only the user's own words bring it back" + never
	case done.Aside > 0:
		return "it may instruct the assistant, and is in " + done.AsideIn + " instead" + never
	}
	return ""
}

// notSaved tells a model that the one statement of a write was not written; empty: it was. replaces says that the write was to replace
// another one, which is as it was.
func notSaved(done memory.ChangeReceipt, replaces bool) string {
	why := refused(done)
	switch {
	case why == "" && (done.Waiting == 0 || done.Changed):
		return ""
	case why == "":
		return "Not saved" + redacted(done)
	case replaces:
		return "Nothing was changed: the new text was not saved, since " + why
	}
	return "Not saved: " + why
}

func redacted(done memory.ChangeReceipt) (note string) {
	if done.Verdict == scan.VerdictRedact {
		note = ". Secrets in it were replaced by placeholders: do not write them again"
	}
	if done.Held > 0 {
		note += ". " + memory.Plural(done.Held, "statement was left out because it instructs", "statements were left out because they instruct") +
			" the assistant: a person decides. Do not write it again"
	}
	if done.Waiting > 0 {
		note += fmt.Sprintf(". %d lines wait for a person to approve them: they are not in memory yet. Do not write them again", done.Waiting)
	}
	if done.Withheld {
		note += ". Statements that the user had forgotten were left out: only the user's own words bring them back. Do not write them again"
	}
	if done.Aside > 0 {
		note += ". " + memory.Plural(done.Aside, "statement that may instruct the assistant is", "statements that may instruct the assistant are") +
			" in " + done.AsideIn + " instead. Do not write it again"
	}
	return note
}

// editRounds bounds the attempts of an edit when the same lines were changed concurrently.
const editRounds = 12

// edit implements edit_workspace_memory_file.
func (k *call) edit(ctx context.Context) (any, error) {
	ref, err := k.target()
	if err != nil {
		return nil, err
	}
	e := editing{old: given(k.args, "oldText", ""), new: given(k.args, "newText", ""), all: given(k.args, "replaceAll", false)}
	switch e.old {
	case "":
		return nil, faultf("oldText is empty: give the text to replace, or use %s for a new file", WriteFile)
	case e.new:
		return nil, faultf("oldText and newText are equal: nothing to change")
	}
	id := k.by(memory.Author{Kind: memory.AuthorTool, ID: EditFile})
	receipt, again, err := k.replayed(ctx, id, k.key)
	if err == nil && !again {
		receipt, err = k.editRound(ctx, id, ref, &e)
	}
	if err != nil {
		return nil, err
	}
	k.changed(id, receipt)
	k.result.Written = &receipt
	done := receipt.Changes[0]
	out := k.written(done, receipt)
	out.Replacements, out.ReplaceAll, out.FileSizeAfter = &e.count, &e.all, &done.Bytes
	out.Message = "Workspace memory file edited successfully"
	if refused(done) != "" && !done.Changed {
		out.Message = "Workspace memory file not edited: it stays as it was"
	}
	if again {
		if err := k.countAgain(ctx, id, ref, done.Version, &e); err != nil {
			return nil, err
		}
		out.Message = "This edit was already made; nothing was written"
	}
	out.Message += redacted(done)
	out.Enabled = k.isEnabled(ctx, id, ref)
	return out, nil
}

// editRound edits the current version, and retries while others change the same lines. If they have removed oldText,
// the error shows both sides.
func (k *call) editRound(ctx context.Context, id memory.Identity, ref memory.Ref, e *editing) (memory.Receipt, error) {
	var lost *store.StaleBaseError
	for round := 1; ; round++ {
		d, found, err := k.current(ctx, id, ref)
		if err != nil {
			return memory.Receipt{}, err
		}
		if !found {
			return memory.Receipt{}, k.noFile(ctx, id, ref)
		}
		content, err := e.apply(k.place(ref.Path), k.own(ref.Path, d.Content), k.above(ref.Path, d.Content))
		if err == nil {
			content, err = k.withOwn(ref.Path, d.Content, content)
		}
		if err != nil {
			if lost != nil && e.times(k.own(ref.Path, d.Content)) == 0 {
				return memory.Receipt{}, lost
			}
			return memory.Receipt{}, err
		}
		receipt, err := k.Store.Apply(ctx, id, k.key, []memory.Change{{
			Ref: ref, Op: memory.OpReplace, Content: content, Base: d.Version, Reason: "edited by the agent", Sources: k.sources(),
		}})
		stale, is := errors.AsType[*store.StaleBaseError](err)
		if !is || round == editRounds {
			return receipt, err
		}
		lost = stale
		if err := pause(ctx, round); err != nil {
			return memory.Receipt{}, err
		}
	}
}

// countAgain counts the replacements of an earlier execution of the edit, in the version that it changed.
func (k *call) countAgain(ctx context.Context, id memory.Identity, ref memory.Ref, version int, e *editing) error {
	made, err := k.Store.VersionOf(ctx, id, ref, version)
	if err != nil {
		return err
	}
	base, err := k.Store.VersionOf(ctx, id, ref, made.BaseVersion)
	if err != nil {
		return err
	}
	e.count = e.times(k.own(ref.Path, base.Content))
	return nil
}

// place describes what an edit may change.
func (k *call) place(path string) string {
	if k.ofPerson(path) {
		return "the section of " + string(k.Speaker) + " in " + path
	}
	return path
}

// noFile returns the error for a missing file, with what exists instead.
func (k *call) noFile(ctx context.Context, id memory.Identity, ref memory.Ref) error {
	shared, err := k.Store.VisibleDocument(ctx, id, ref.Path)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return faultf("file not found: %s. List the files with %s, or write it with %s", ref.Path, ListFiles, WriteFile)
	case err != nil:
		return err
	}
	return faultf("%s is shared (%s) and cannot be edited here; the user has no file of that name. Write one with %s, or use %s",
		ref.Path, shared.Scope, WriteFile, Remember)
}

// pause waits a little before another round, because the faster writer probably writes more.
func pause(ctx context.Context, round int) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(round*round) * 5 * time.Millisecond):
		return nil
	}
}

// editing is one find-and-replace operation.
type editing struct {
	old, new string
	all      bool
	count    int
}

// maxPlaces is the maximum number of lines named when a text occurs more than once.
const maxPlaces = 10

// apply replaces the text in a file, or in a part of it that is preceded by above lines. Otherwise it reports how
// often and where the text occurs. Overlapping occurrences count separately, since either may be meant.
func (e *editing) apply(path, content string, above int) (string, error) {
	old, replacement := e.in(content)
	n, places := placesOf(content, old, above)
	switch {
	case n == 0:
		return "", e.missing(path, content, above)
	case n > 1 && !e.all:
		return "", &fault{
			message: fmt.Sprintf("oldText occurs %d times in %s, on lines %s: give more context, or set replaceAll", n, path, numbers(places)),
			more:    map[string]any{"occurrences": n, "lines": places},
		}
	}
	e.count = strings.Count(content, old)
	return strings.ReplaceAll(content, old, replacement), nil
}

// in returns both texts with CRLF line ends if a file has those and the first is only found that way.
func (e *editing) in(content string) (old, replacement string) {
	if !strings.Contains(content, e.old) && strings.Contains(content, "\r\n") && !strings.Contains(e.old, "\r") {
		return strings.ReplaceAll(e.old, "\n", "\r\n"), strings.ReplaceAll(e.new, "\n", "\r\n")
	}
	return e.old, e.new
}

// times counts the occurrences of the text in a file.
func (e *editing) times(content string) int {
	old, _ := e.in(content)
	return strings.Count(content, old)
}

// missing returns the error for a text that does not occur, with lines that differ only in case and spaces.
func (e *editing) missing(path, content string, above int) error {
	want := spaced(e.old)
	var near []int
	if want != "" {
		lines := strings.Split(content, "\n")
		size := strings.Count(strings.TrimSpace(e.old), "\n") + 1
		for i := 0; i+size <= len(lines) && len(near) < maxPlaces; i++ {
			if strings.Contains(spaced(strings.Join(lines[i:i+size], "\n")), want) {
				near = append(near, above+i+1)
			}
		}
	}
	more := map[string]any{"occurrences": 0}
	message := fmt.Sprintf("oldText does not occur in %s (0 times): read the file and copy the text exactly", path)
	if len(near) > 0 {
		message += fmt.Sprintf("; with other spaces or capitals it occurs on line %s", numbers(near))
		more["similarLines"] = near
	}
	return &fault{message: message, more: more}
}

func spaced(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// placesOf counts the occurrences of text in content, and returns the lines on which they begin, at most maxPlaces,
// offset by above. It takes linear time, even if the text repeats itself.
func placesOf(content, text string, above int) (n int, places []int) {
	again := repeats(text)
	line, counted, same := above+1, 0, 0
	for i := range len(content) {
		for same > 0 && (same == len(text) || content[i] != text[same]) {
			same = again[same-1]
		}
		if content[i] == text[same] {
			same++
		}
		if same < len(text) {
			continue
		}
		if n++; len(places) < maxPlaces {
			at := i + 1 - len(text)
			line += strings.Count(content[counted:at], "\n")
			counted = at
			places = append(places, line)
		}
	}
	return n, places
}

// repeats returns, for each prefix of a text, the length of the longest proper prefix that is also its suffix.
func repeats(text string) []int {
	again := make([]int, len(text))
	for i, same := 1, 0; i < len(text); i++ {
		for same > 0 && text[i] != text[same] {
			same = again[same-1]
		}
		if text[i] == text[same] {
			same++
		}
		again[i] = same
	}
	return again
}

func numbers(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = fmt.Sprint(n)
	}
	if len(list) == maxPlaces {
		return strings.Join(words, ", ") + " …"
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
