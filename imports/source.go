package imports

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/memory"
)

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
