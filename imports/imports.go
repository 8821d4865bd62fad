// Package imports reads memory that another system has kept: folders, archives and exports, as documents and conversations.
// It is pure: what it reads comes through fs.FS or an io.ReaderAt, is data, and is never trusted.
//
// A Tree is what a source consists of (Folder, Zip, File). Open finds out which system wrote it, and Source.Items reads it
// item by item: never more than one conversation is in memory, however large the export. Keys of items and ids of messages
// come from the source's own ids, or from what was said and in which place, so that reading again gives the same, and a
// later and larger export of the same system only adds.
package imports

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/memory"
)

// Format is where memory comes from.
type Format string

// Formats.
const (
	OpenClaw  Format = "openclaw"  // a workspace folder: AGENTS, SOUL, USER, MEMORY, memory/**, DREAMS
	MateClaw  Format = "mateclaw"  // a snapshot of documents, with or without manifest
	Reverie   Format = "reverie"   // a folder that was exported or is synced
	GoClaw    Format = "goclaw"    // an export of memory_documents
	MicroClaw Format = "microclaw" // a tree of AGENTS.md: global, channel, chat
	Mem0      Format = "mem0"      // JSON of memories
	Zep       Format = "zep"       // JSON of sessions, messages and facts
	ChatGPT   Format = "chatgpt"   // conversations.json
	Claude    Format = "claude"    // conversations.json
	LoCoMo    Format = "locomo"    // a file of long conversations
	Markdown  Format = "markdown"  // any folder of Markdown
)

// Limits of what is read. The sizes of documents and messages are those of memory.
const (
	// MaxFiles bounds the files of a folder or an archive; a workspace has hundreds, a tree with dependencies or a
	// whole home folder, chosen by mistake, has more.
	MaxFiles = 100_000
	// MaxRecordBytes bounds one element of an export, such as a conversation with its tree: the longest that people
	// report are some ten megabytes. It is what reading keeps in memory; a larger element is skipped.
	MaxRecordBytes = 64 << 20
	// MaxItemBytes bounds the words of one item. A longer conversation comes in several items, with the same
	// Conversation.ID and in order.
	MaxItemBytes = 4 << 20
	// MaxNotesBytes bounds the statements of one export that are gathered into notes (mem0, Zep), which have to be
	// known before the first note is written.
	MaxNotesBytes = 128 << 20
)

// Item is one thing to move in: a document, or a conversation. Exactly one of the two is set.
type Item struct {
	// Key tells it from every other item of the same source, and stays the same when the source is read again. It says
	// nothing about the person: "<format>/doc/<hash>", "<format>/talk/<hash>" and, from the second part of a long
	// conversation on, "<format>/talk/<hash>/2".
	Key          string        `json:"key"`
	Document     *Document     `json:"document,omitempty"`
	Conversation *Conversation `json:"conversation,omitempty"`
}

// Document is a Markdown file.
type Document struct {
	Path    string       `json:"path"`            // where it is to stand here, in the form of memory.ParsePath
	Source  string       `json:"source"`          // where it stood there
	Scope   memory.Scope `json:"scope"`           // PERSONAL or TEAM
	Owner   memory.Owner `json:"owner,omitempty"` // of PERSONAL; empty: whoever imports
	Content string       `json:"content"`
	At      time.Time    `json:"at,omitzero"` // last change, if it is known
}

// Conversation is a talk of one owner, with its own dates.
type Conversation struct {
	ID       string           `json:"id"`              // the source's, prefixed by the format
	Owner    memory.Owner     `json:"owner,omitempty"` // empty: whoever imports
	Title    string           `json:"title,omitempty"`
	Messages []memory.Message `json:"messages"` // in order of time, each with an id that stays the same and CreatedAt
}

// Skipped is what a source has and is not moved in.
type Skipped struct {
	Source string `json:"source"`          // path or id there
	Reason string `json:"reason"`          // what to do about it, or why there is nothing to do
	Count  int    `json:"count,omitempty"` // how many messages of Source, when it is not Source as a whole
}

// Options say what the source cannot.
type Options struct {
	// Format of the source; empty: it is found out.
	Format Format
	// Owners says whose the things are.
	Owners Owners
	// Agent is the one agent of the source to read, by its id there; needed when it has several.
	Agent string
	// Zone is where dates without a zone and days of notes are meant; nil: UTC.
	Zone *time.Location
}

// Source is memory that can be read.
type Source struct {
	// Format that was asked for or found out.
	Format  Format
	tree    *Tree
	options Options
}

// SeveralAgentsError is a source with memory of several agents, none of which was chosen.
type SeveralAgentsError struct{ Agents []string }

// Error names them.
func (e *SeveralAgentsError) Error() string {
	return "the source has memory of several agents: choose " + strings.Join(e.Agents, " or ")
}

// Open finds out what the tree is. It returns ErrUnknownFormat when that cannot be told, and *WrongFormatError when
// Options.Format is none.
func Open(tree *Tree, options Options) (*Source, error) {
	if options.Zone == nil {
		options.Zone = time.UTC
	}
	if options.Format != "" && readers[options.Format] == nil {
		return nil, &WrongFormatError{options.Format}
	}
	format, at, err := detect(tree, options.Format)
	if err != nil {
		return nil, err
	}
	return &Source{Format: format, tree: at, options: options}, nil
}

// Items reads the source from its beginning: documents and conversations as they come, each key once. An error ends it:
// *DamagedError, ErrDamagedArchive, *SeveralAgentsError or what reading failed with. skip hears of what is not moved; nil is allowed.
func (s *Source) Items(skip func(Skipped)) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		if skip == nil {
			skip = func(Skipped) {}
		}
		if s.tree.inflated != nil {
			s.tree.inflated.Store(0)
		}
		r := &reading{Source: s, skipped: skip, keys: map[[12]byte]struct{}{}, yield: func(item Item) bool { return yield(item, nil) }}
		for _, one := range s.tree.skipped {
			skip(one)
		}
		if err := readers[s.Format](r); err != nil && !errors.Is(err, errEnough) {
			yield(Item{}, err)
		}
	}
}

// readers read a source of each format, item by item.
var readers = map[Format]func(*reading) error{
	OpenClaw: readOpenClaw, MateClaw: readMateClaw, Reverie: readReverie, GoClaw: readGoClaw, MicroClaw: readMicroClaw, Mem0: readMem0,
	Zep: readZep, ChatGPT: readChatGPT, Claude: readClaude, LoCoMo: readLoCoMo, Markdown: readMarkdown,
}

// reading is one pass over a source.
type reading struct {
	*Source
	skipped func(Skipped)
	keys    map[[12]byte]struct{}
	yield   func(Item) bool
}

// errEnough ends a reading that nobody listens to any more.
var errEnough = errors.New("enough")

func (r *reading) skip(source, reason string) { r.skipped(Skipped{Source: source, Reason: reason}) }

// hash is what a key says of its source.
func hash(parts ...string) (sum [12]byte) {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	copy(sum[:], h.Sum(nil))
	return sum
}

// first reports whether nothing of this kind and id came before, and its key.
func (r *reading) first(kind string, id ...string) (key string, first bool) {
	sum := hash(append([]string{kind}, id...)...)
	_, known := r.keys[sum]
	r.keys[sum] = struct{}{}
	return string(r.Format) + "/" + kind + "/" + hex.EncodeToString(sum[:]), !known
}

func (r *reading) emit(item Item) error {
	if !r.yield(item) {
		return errEnough
	}
	return nil
}

// document is a Document on its way, with what its key is made of.
type document struct {
	Document
	id []string // besides Source
}

// pathOf is a path as documents have it, or why there can be no document of this path.
func pathOf(given string) (at, why string) {
	at, err := memory.ParsePath(given)
	if wrong, found := errors.AsType[*memory.PathError](err); found {
		return "", "its path cannot be used: " + wrong.Rule
	}
	return at, ""
}

// maxSourceBytes bounds what is kept of where a document stood.
const maxSourceBytes = 1000

// document checks a document and emits it.
func (r *reading) document(d document) error {
	d.Content = strings.ReplaceAll(strings.TrimPrefix(d.Content, "\ufeff"), "\r\n", "\n")
	to, why := pathOf(d.Path)
	if why == "" {
		why = contentFault(d.Content)
	}
	key, first := r.first("doc", append([]string{d.Source}, d.id...)...)
	if why == "" && !first {
		why = reasonTwice
	}
	d.Path, d.Source = to, cutTo(textOf(d.Source), maxSourceBytes)
	if why != "" {
		r.skip(d.Source, why)
		return nil
	}
	if d.Scope == memory.ScopePersonal && d.Owner == memory.NoOwner {
		d.Owner = r.options.Owners.Default
	}
	if d.Scope == memory.ScopePersonal && d.Owner == memory.NoOwner && r.options.Owners.Shared {
		d.Scope = memory.ScopeTeam
	}
	return r.emit(Item{Key: key, Document: &d.Document})
}

// contentFault is why a text cannot be a document; empty: it can.
func contentFault(content string) string {
	switch {
	case strings.TrimSpace(content) == "":
		return reasonEmpty
	case len(content) > memory.MaxDocumentBytes:
		return reasonTooLarge
	case memory.ValidContent(content) != nil:
		return reasonNoText
	}
	return ""
}

// file emits a file of the tree as a document.
func (r *reading) file(f file, to string, scope memory.Scope, owner memory.Owner) error {
	content, err := r.tree.read(f.path, memory.MaxDocumentBytes)
	why := ""
	switch {
	case errors.Is(err, ErrDamagedArchive):
		return err
	case errors.Is(err, errTooLarge):
		why = reasonTooLarge
	case err != nil:
		why = reasonPermission
	case !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0:
		why = reasonNoText
	}
	if why != "" {
		r.skip(f.path, why)
		return nil
	}
	return r.document(document{Document: Document{
		Path: to, Source: f.path, Scope: scope, Owner: owner, Content: string(content), At: plausible(f.at),
	}})
}

// records reads the records of all JSON files of the tree. do says why it did not take a record; empty: it did.
func (r *reading) records(containers []string, match func(name string) bool, do func(f file, found record) (why string, err error)) error {
	for _, f := range r.tree.files {
		if !match(f.path) {
			r.skip(f.path, reasonNoExport)
			continue
		}
		if err := r.recordsOf(f, containers, do); err != nil {
			return err
		}
	}
	return nil
}

const reasonNoExport = "not a part of the export that has memory"

func (r *reading) recordsOf(f file, containers []string, do func(f file, found record) (why string, err error)) error {
	open, err := r.tree.open(r.tree.prefix + f.path)
	if err != nil {
		return err
	}
	defer open.Close()
	return records(path.Base(f.path), open, containers, func(found record) error {
		why := reasonTooLong
		if found.raw != nil {
			if why, err = do(f, found); err != nil {
				return err
			}
		}
		if why != "" {
			r.skip(fmt.Sprintf("%s, element %d", f.path, found.number), why)
		}
		return nil
	})
}

// tryOpen is a reader of the file for those who only look at its beginning.
func (t *Tree) tryOpen(name string) (io.ReadCloser, error) { return t.open(t.prefix + name) }

// Owners says whose the things of a source are. The zero value leaves things without a person to whoever imports, and
// makes owners of the source's own ids.
type Owners struct {
	// Default is the owner of what the source says no person of; memory.NoOwner: nobody.
	Default memory.Owner
	// Shared moves documents without a person into the memory that everybody reads who uses the agent.
	Shared bool
	// Map says who a person of the source is: by the source's id, or by the owner that it would become.
	Map map[string]memory.Owner
}

// of returns the owner for a person of the source: an id that is an owner key already stays what it is, others get the prefix.
// An id that cannot be a part of an owner key gives no owner.
func (o Owners) of(prefix, id string) (memory.Owner, bool) {
	if id == "" {
		return o.Default, true
	}
	if to, mapped := o.Map[id]; mapped {
		return to, true
	}
	owner, err := memory.ParseOwner(id)
	if err != nil || owner == memory.SystemOwner {
		owner, err = memory.ParseOwner(prefix + ":" + id)
	}
	if to, mapped := o.Map[string(owner)]; mapped && err == nil {
		return to, true
	}
	return owner, err == nil
}

const reasonOwner = "its person cannot be an owner here: say who it is with an owner map"

// Formats lists every format that can be read, in the order in which they are documented.
func Formats() []Format {
	return []Format{OpenClaw, MateClaw, Reverie, GoClaw, MicroClaw, Mem0, Zep, ChatGPT, Claude, Markdown, LoCoMo}
}

// ErrUnknownFormat is returned for a source that nothing is known about.
var ErrUnknownFormat = errors.New("it has neither Markdown nor an export that is known: name its format")

// WrongFormatError is a format that does not exist.
type WrongFormatError struct{ Format Format }

// Error names those that do.
func (e *WrongFormatError) Error() string {
	var names []string
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return fmt.Sprintf("there is no format %q: use %s", cutTo(string(e.Format), 40), strings.Join(names, ", "))
}

// detect finds the format of a tree, and where in it the source begins: an archiver puts everything into one folder, and
// MicroClaw's groups lie some folders deep. With a format given, only the place is looked for.
func detect(t *Tree, given Format) (Format, *Tree, error) {
	at := t
	for range 4 {
		format, err := formatOf(at)
		if err != nil {
			return "", nil, err
		}
		if format == MicroClaw || given == MicroClaw {
			if root := groupsRoot(at); root != "" {
				at = at.below(root)
				continue
			}
		}
		switch wrapper := at.wrapper(); {
		case given != "" && (wrapper == "" || wrapper == "memory" || format == given || given == MicroClaw || given == Markdown):
			return given, at, nil
		case format != "" && (wrapper == "" || wrapper == "conversations" || format != Markdown && format != ChatGPT && format != Claude):
			return format, at, nil
		case wrapper == "" || wrapper == "memory":
			at = t // nothing better was found inside
			if format, err = formatOf(at); format != "" {
				return format, at, err
			}
			return "", nil, errors.Join(err, ErrUnknownFormat)
		default:
			at = at.below(wrapper)
		}
	}
	if format, err := formatOf(t); format != "" || err != nil {
		return format, t, err
	}
	return "", nil, ErrUnknownFormat
}

// formatOf finds the format of a tree that begins here; empty: unknown.
func formatOf(t *Tree) (Format, error) {
	markdown := t.named(isMarkdown)
	switch {
	case t.kept() != nil:
		return Reverie, nil
	case t.isSnapshot():
		return MateClaw, nil
	case hasOpenClawState(t), slices.ContainsFunc([]string{"USER.md", "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md"}, t.has):
		return OpenClaw, nil
	}
	exports := t.named(func(name string) bool {
		return isJSON(name) && (!strings.Contains(name, "/") || isExport(name) || isChats(name))
	})
	for _, f := range exports {
		if format, err := t.sniff(f.path); format != "" || err != nil {
			return format, err
		}
	}
	switch {
	case len(markdown) == 0:
		return "", nil
	case slices.ContainsFunc([]string{"PROFILE.md", "KNOWLEDGE.md"}, t.has):
		return MateClaw, nil
	case isGroups(markdown):
		return MicroClaw, nil
	case t.has("SOUL.md"), t.has("MEMORY.md") && t.hasFolder("memory"), t.has("AGENTS.md") && t.hasFolder("memory"):
		return OpenClaw, nil
	}
	return Markdown, nil
}

func hasOpenClawState(t *Tree) bool {
	return slices.ContainsFunc(t.hidden, func(name string) bool {
		return name == "memory/.dreams" || strings.HasPrefix(path.Base(name), ".openclaw")
	})
}

// isGroups finds MicroClaw's tree: AGENTS.md of everyone, of channels and of chats, and USER.md of chats.
func isGroups(markdown []file) bool {
	deep := false
	for _, f := range markdown {
		switch path.Base(f.path) {
		case "AGENTS.md":
			deep = deep || strings.Contains(f.path, "/")
		case "USER.md":
			if strings.Count(f.path, "/") < 2 {
				return false
			}
		default:
			return false
		}
	}
	return deep
}

// groupsRoot is the folder in which MicroClaw's groups lie, when that is not the beginning of the tree.
func groupsRoot(t *Tree) string {
	for _, folder := range []string{"runtime/groups", "groups"} {
		if t.hasFolder(folder) {
			return folder
		}
	}
	wrapper := t.wrapper()
	if wrapper == "" {
		return ""
	}
	for _, f := range t.named(isMarkdown) {
		if strings.Count(f.path, "/") == 3 {
			return wrapper // one folder more than channel and chat
		}
	}
	return ""
}

// sniffed is what the first records of an export may have.
type sniffed struct {
	Mapping      json.RawMessage `json:"mapping"`
	ChatMessages json.RawMessage `json:"chat_messages"`
	Conversation json.RawMessage `json:"conversation"`
	SpeakerA     json.RawMessage `json:"speaker_a"`
	Path         json.RawMessage `json:"path"`
	Content      json.RawMessage `json:"content"`
	Memory       json.RawMessage `json:"memory"`
	SessionID    json.RawMessage `json:"session_id"`
	Messages     json.RawMessage `json:"messages"`
	Facts        json.RawMessage `json:"facts"`
	Fact         json.RawMessage `json:"fact"`
	RoleType     json.RawMessage `json:"role_type"`
	Relevant     json.RawMessage `json:"relevant_facts"`
}

// format is the one whose records look like this; empty: none.
func (s sniffed) format() Format {
	switch {
	case isObject(s.Mapping):
		return ChatGPT
	case isArray(s.ChatMessages):
		return Claude
	case isObject(s.Conversation), isText(s.SpeakerA):
		return LoCoMo
	case isText(s.Path) && isText(s.Content):
		return GoClaw
	case isText(s.Memory):
		return Mem0
	case isText(s.RoleType), isText(s.Fact), isText(s.SessionID) && (isArray(s.Messages) || isArray(s.Facts) || s.Messages == nil),
		isArray(s.Messages) && (isArray(s.Facts) || isArray(s.Relevant)):
		return Zep
	}
	return ""
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }
func isArray(raw json.RawMessage) bool  { return len(raw) > 0 && raw[0] == '[' }
func isText(raw json.RawMessage) bool   { return len(raw) > 0 && raw[0] == '"' }

// sniffedRecords is how many records are looked at before a file counts as unknown.
const sniffedRecords = 20

// sniff finds the format of a JSON file by its first records. A file that is damaged in front of them is no export.
func (t *Tree) sniff(name string) (Format, error) {
	r, err := t.tryOpen(name)
	if err != nil {
		return "", nil
	}
	defer r.Close()
	var format Format
	containers := slices.Concat(chatContainers, rowContainers, mem0Containers, zepContainers)
	err = records(name, r, containers, func(found record) error {
		var s sniffed
		if found.raw == nil || !decoded(found.raw, &s) {
			return nil
		}
		if format = s.format(); format != "" || found.number >= sniffedRecords {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, ErrDamagedArchive) {
		return "", err
	}
	return format, nil
}
