// Package imports reads the memory of other systems, as folders, archives and exports, and returns documents and
// conversations. It reads only through fs.FS or an io.ReaderAt, and does not trust its input.
//
// A Tree lists the files of a source (Folder, Zip, File). Open detects the system, and Source.Items reads item by
// item: at most one conversation is in memory, however large the export. Keys of items and ids of messages derive
// from the source's ids, or from content and position, so that reading again gives the same, and a later and larger
// export of the same system only adds items.
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

// Format identifies the system that memory comes from.
type Format string

// Formats.
const (
	OpenClaw  Format = "openclaw"  // a workspace folder: AGENTS, SOUL, USER, MEMORY, memory/**, DREAMS
	MateClaw  Format = "mateclaw"  // a snapshot of documents, with or without manifest
	Reverie   Format = "reverie"   // a folder written by export or sync
	GoClaw    Format = "goclaw"    // an export of memory_documents
	MicroClaw Format = "microclaw" // a tree of AGENTS.md: global, channel, chat
	Mem0      Format = "mem0"      // JSON of memories
	Zep       Format = "zep"       // JSON of sessions, messages and facts
	ChatGPT   Format = "chatgpt"   // conversations.json
	Claude    Format = "claude"    // conversations.json
	LoCoMo    Format = "locomo"    // a file of long conversations
	Markdown  Format = "markdown"  // any folder of Markdown
)

// Limits of imports. The sizes of documents and messages are those of package memory.
const (
	// MaxFiles bounds the files of a folder or an archive. A workspace has hundreds; a source tree with dependencies,
	// or a home folder chosen by mistake, has more.
	MaxFiles = 100_000
	// MaxRecordBytes bounds one element of an export, such as a conversation with its tree; the largest reported are
	// some ten megabytes. Reading holds one in memory; a larger element is skipped.
	MaxRecordBytes = 64 << 20
	// MaxItemBytes bounds the text of one item. A longer conversation becomes several items, with the same
	// Conversation.ID and in order.
	MaxItemBytes = 4 << 20
	// MaxNotesBytes bounds the statements of one export that become notes (mem0, Zep): all must be known before the
	// first note is written.
	MaxNotesBytes = 128 << 20
)

// Item is a document or a conversation to import. Exactly one of the two is set.
type Item struct {
	// Key identifies the item within its source, and stays the same when the source is read again. It contains
	// nothing about the person: "<format>/doc/<hash>", "<format>/talk/<hash>" and, from the second part of a long
	// conversation on, "<format>/talk/<hash>/2".
	Key          string        `json:"key"`
	Document     *Document     `json:"document,omitempty"`
	Conversation *Conversation `json:"conversation,omitempty"`
}

// Document is a Markdown file.
type Document struct {
	Path    string       `json:"path"`            // destination, in the form of memory.ParsePath
	Source  string       `json:"source"`          // path in the source
	Scope   memory.Scope `json:"scope"`           // PERSONAL or TEAM
	Owner   memory.Owner `json:"owner,omitempty"` // of PERSONAL; empty: the importing person
	Content string       `json:"content"`
	At      time.Time    `json:"at,omitzero"` // last change, if known
}

// Conversation is a conversation of one owner, with its original dates.
type Conversation struct {
	ID       string           `json:"id"`              // the source's id, prefixed by the format
	Owner    memory.Owner     `json:"owner,omitempty"` // empty: the importing person
	Title    string           `json:"title,omitempty"`
	Messages []memory.Message `json:"messages"` // in order of time, each with a stable id and CreatedAt
}

// Skipped is a part of a source that is not imported.
type Skipped struct {
	Source string `json:"source"`          // path or id in the source
	Reason string `json:"reason"`          // what to do about it, or why nothing can be done
	Count  int    `json:"count,omitempty"` // number of messages of Source, if not all of Source is skipped
}

// Options supply what the source does not contain.
type Options struct {
	// Format of the source; empty: detect it.
	Format Format
	// Owners maps people of the source to owners.
	Owners Owners
	// Agent is the agent of the source to read, by its id there; required if there are several.
	Agent string
	// Zone is the time zone of dates without a zone and of days of notes; nil: UTC.
	Zone *time.Location
}

// Source is a source of memory to read.
type Source struct {
	// Format is the given or detected format.
	Format  Format
	tree    *Tree
	options Options
}

// SeveralAgentsError means that a source contains memory of several agents and none was chosen.
type SeveralAgentsError struct{ Agents []string }

// Error lists the agents.
func (e *SeveralAgentsError) Error() string {
	return "the source has memory of several agents: choose " + strings.Join(e.Agents, " or ")
}

// Open detects the format of a tree. It returns ErrUnknownFormat if that fails, and *WrongFormatError if
// Options.Format does not exist.
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

// Items reads the source from its beginning and yields documents and conversations, each key once. An error ends it:
// *DamagedError, ErrDamagedArchive, *SeveralAgentsError or a read error. skip is called with what is not imported; it
// may be nil.
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

// readers maps each format to its reader.
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

// errEnough stops a reading when the consumer stops.
var errEnough = errors.New("enough")

func (r *reading) skip(source, reason string) { r.skipped(Skipped{Source: source, Reason: reason}) }

// hash returns the part of a key that identifies its source.
func hash(parts ...string) (sum [12]byte) {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	copy(sum[:], h.Sum(nil))
	return sum
}

// first returns the key of a kind and id, and whether it occurs for the first time.
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

// document is a Document in progress, with the parts of its key.
type document struct {
	Document
	id []string // in addition to Source
}

// pathOf returns the normalised path of a document, or why the path is unusable.
func pathOf(given string) (at, why string) {
	at, err := memory.ParsePath(given)
	if wrong, found := errors.AsType[*memory.PathError](err); found {
		return "", "unusable path: " + wrong.Rule
	}
	return at, ""
}

// maxSourceBytes bounds the stored source path of a document.
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

// contentFault returns why a text cannot be a document; empty if it can.
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

// records reads the records of all matching JSON files. do returns why it did not take a record; empty if it did.
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

const reasonNoExport = "not a part of the export that contains memory"

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

// tryOpen opens a file to read only its beginning.
func (t *Tree) tryOpen(name string) (io.ReadCloser, error) { return t.open(t.prefix + name) }

// Owners maps people of a source to owners. The zero value gives items without a person to the importing person, and
// derives owners from the source's ids.
type Owners struct {
	// Default is the owner of items without a person; memory.NoOwner: none.
	Default memory.Owner
	// Shared imports documents without a person into the memory shared by all users of the agent.
	Shared bool
	// Map maps a person of the source, by the source's id or by the owner that it would become, to an owner.
	Map map[string]memory.Owner
}

// of returns the owner for a person of the source: an id that is an owner key is kept, others get the prefix. It
// returns false for an id that cannot be part of an owner key.
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

const reasonOwner = "its person is not a valid owner: map it with an owner map"

// Formats lists all formats, in the order of the documentation.
func Formats() []Format {
	return []Format{OpenClaw, MateClaw, Reverie, GoClaw, MicroClaw, Mem0, Zep, ChatGPT, Claude, Markdown, LoCoMo}
}

// ErrUnknownFormat is returned if no format is detected.
var ErrUnknownFormat = errors.New("unknown format: no Markdown and no known export found; specify the format")

// WrongFormatError means that a format does not exist.
type WrongFormatError struct{ Format Format }

// Error lists the formats that exist.
func (e *WrongFormatError) Error() string {
	var names []string
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return fmt.Sprintf("unknown format %q: use %s", cutTo(string(e.Format), 40), strings.Join(names, ", "))
}

// detect finds the format of a tree, and the folder in which the source begins: archivers put everything into one
// folder, and MicroClaw's groups are some folders deep. If given is set, it only finds the folder.
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

// formatOf detects the format of a tree that begins here; empty: unknown.
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

// isGroups reports whether the files are MicroClaw's: AGENTS.md global, of channels and of chats, and USER.md of
// chats.
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

// groupsRoot returns the folder of MicroClaw's groups if that is not the root of the tree.
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

// sniffed records the fields seen in the first records of an export.
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

// format returns the format whose records look like this; empty: none.
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

// sniffedRecords is the number of records to examine before a file counts as unknown.
const sniffedRecords = 20

// sniff detects the format of a JSON file by its first records. A file that is damaged before them is not an export.
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
