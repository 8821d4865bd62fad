package toolbox

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"reverie/backend"
	"reverie/language/analysis"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/recall"
	"reverie/remember"
	"reverie/scan"
	"reverie/search"
	"reverie/search/rank"
	"reverie/store"
)

// memory_query and memory_upsert are the two tools by which other agents use an MCP server as the backend of their structured
// memories; names, operations and fields are MicroClaw's. Here a structured memory is a statement of a document:
//
//   - PROFILE.md and MEMORY.md hold what is true in every chat, chats/<chat_id>.md what belongs to one chat of the owner. A chat
//     separates statements within the owner's memory; whose memory it is comes from the caller alone.
//   - The category is the heading: "Profile", "Events", else knowledge. Statements of PROFILE.md are of the profile.
//   - The id is a hash of path and text, so that it needs no table. It changes with the text.

// Operations of memory_query and memory_upsert.
const (
	opList, opContext, opSearch, opGet                  = "list", "context", "search", "get"
	opInsert, opUpdate, opArchive, opTouch, opSupersede = "insert", "update", "archive", "touch", "supersede"
	categoryProfile, categoryKnowledge, categoryEvent   = "PROFILE", "KNOWLEDGE", "EVENT"
	maxRows, defaultRows, maxReason, maxQuery           = 500, 50, 500, recall.MaxQuery
	chatFolder                                          = "chats/"
	confidenceOfDocuments                               = 0.8 // the default of the protocol: documents hold no confidence
	sourceOfDocuments                                   = "document"
	upsertRounds                                        = 12
	maxRowID, maxChat, pathBits                         = 1<<53 - 1, 1<<53 - 1, 12
)

var categories = []string{categoryProfile, categoryKnowledge, categoryEvent}

// headings are the headings under which new statements of a category are put.
var headings = map[string]string{categoryProfile: "Profile", categoryKnowledge: remember.Section, categoryEvent: "Events"}

var (
	chatParam = param{
		name: "chat_id", kind: integer, min: -maxChat, max: maxChat,
		doc: "Separates the statements of one chat within the owner's memory. Default: what is true in every chat.",
	}
	idParam = param{name: "id", kind: integer, max: maxRowID, doc: "Id of a statement, from a result."}
)

// memories is the result of memory_query.
type memories struct {
	Memories []row  `json:"memories"`
	Count    int    `json:"count"`
	Hint     string `json:"hint,omitempty"`

	Disagreements []disputed `json:"disagreements,omitempty"` // pairs of the shown statements that cannot both hold
}

// row is a statement as a structured memory.
type row struct {
	ID         int64   `json:"id"`
	ChatID     *int64  `json:"chat_id,omitempty"`
	Content    string  `json:"content"`
	Category   string  `json:"category"`
	Confidence float64 `json:"confidence"`
	Source     string  `json:"source"`
	UpdatedAt  string  `json:"updated_at"`
	IsArchived bool    `json:"is_archived"`
	Path       string  `json:"path"`
	Line       int     `json:"line"`
}

// upserted is the result of memory_upsert.
type upserted struct {
	OK      bool   `json:"ok"`
	ID      int64  `json:"id"` // of the statement as it is now; of archive, of the one removed
	Updated bool   `json:"updated"`
	Receipt string `json:"receipt,omitempty"`
	Message string `json:"message"`
}

// statement is an entry of a document.
type statement struct {
	document memory.Document
	entry    markdown.Entry
	at       int // index of the entry
}

// rowID returns the id of an entry: some bits of its path, so that few documents have to be read to find it, then some of its text.
func rowID(path string, entry markdown.EntryID) int64 {
	return pathHash(path)<<(53-pathBits) | int64(hash64(string(entry))>>(11+pathBits))
}

func pathHash(path string) int64 { return int64(hash64(path) >> (64 - pathBits)) }

func hash64(s string) uint64 {
	sum := sha256.Sum256([]byte(s))
	return binary.BigEndian.Uint64(sum[:])
}

func (s statement) id() int64 { return rowID(s.document.Path, s.entry.ID) }

func (s statement) category() string {
	switch {
	case s.document.Path == memory.ProfilePath, strings.EqualFold(s.entry.Heading, headings[categoryProfile]):
		return categoryProfile
	case strings.EqualFold(s.entry.Heading, headings[categoryEvent]):
		return categoryEvent
	}
	return categoryKnowledge
}

func (s statement) row() row {
	return row{
		ID: s.id(), ChatID: chatOf(s.document.Path), Content: scan.Redacted(s.entry.Text), Category: s.category(),
		Confidence: confidenceOfDocuments, Source: sourceOfDocuments, UpdatedAt: s.document.UpdatedAt.UTC().Format(time.RFC3339),
		Path: s.document.Path, Line: s.entry.FromLine,
	}
}

// pathOfChat returns the document of a chat; nil: of every chat.
func pathOfChat(chat *int64) string {
	if chat == nil {
		return memory.MemoryPath
	}
	return chatFolder + strconv.FormatInt(*chat, 10) + ".md"
}

// chatOf returns the chat of a document; nil: it is of none.
func chatOf(path string) *int64 {
	name, is := strings.CutPrefix(path, chatFolder)
	id, err := strconv.ParseInt(strings.TrimSuffix(name, ".md"), 10, 64)
	if !is || err != nil || pathOfChat(&id) != path {
		return nil
	}
	return &id
}

func (k *call) chat() *int64 {
	if n, ok := k.args["chat_id"].(int); ok {
		id := int64(n)
		return &id
	}
	return nil
}

// statementsOf reads the statements of documents that exist, last written first, without archived ones.
func (k *call) statementsOf(ctx context.Context, paths ...string) ([]statement, error) {
	var out []statement
	for _, path := range paths {
		d, found, err := k.current(ctx, k.Identity, memory.Ref{Scope: k.scope(k.Caller), Path: path})
		if err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		archive, end := markdown.ArchivedLines(d.Content)
		for i, e := range slices.Backward(markdown.EntriesOf(d.Content)) {
			if strings.TrimSpace(e.Text) != "" && (e.FromLine < archive || e.FromLine > end) {
				out = append(out, statement{d, e, i})
			}
		}
	}
	return out, nil
}

// statementWith finds a statement by its id.
func (k *call) statementWith(ctx context.Context, id int64) (statement, error) {
	listed, err := k.ownDocuments(ctx, "")
	if err != nil {
		return statement{}, err
	}
	var paths []string
	for _, d := range listed {
		mine := d.Path == memory.MemoryPath || d.Path == memory.ProfilePath || chatOf(d.Path) != nil
		if mine && pathHash(d.Path) == id>>(53-pathBits) {
			paths = append(paths, d.Path)
		}
	}
	all, err := k.statementsOf(ctx, paths...)
	if err != nil {
		return statement{}, err
	}
	all = slices.DeleteFunc(all, func(s statement) bool { return s.id() != id })
	if len(all) == 0 {
		return statement{}, faultf("no statement has the id %d: it was changed or removed. Read the list again with %s", id, MemoryQuery)
	}
	return all[0], nil
}

// query implements memory_query.
func (k *call) query(ctx context.Context) (any, error) {
	op, limit := given(k.args, "op", ""), given(k.args, "limit", 0)
	if limit == 0 {
		limit = map[bool]int{true: maxRows, false: defaultRows}[op == opList]
	}
	if answer, done, err := k.queryOutside(ctx, op, limit); done || err != nil {
		return answer, err
	}
	var found []statement
	if op == opGet {
		id, ok := k.args["id"].(int)
		if !ok {
			return nil, faultf("id is missing: get reads one statement by its id")
		}
		s, err := k.statementWith(ctx, int64(id))
		if err != nil {
			return nil, err
		}
		found = append(found, s)
	} else {
		all, err := k.statementsOf(ctx, slices.Compact([]string{memory.ProfilePath, pathOfChat(k.chat()), memory.MemoryPath})...)
		if err != nil {
			return nil, err
		}
		if query := strings.TrimSpace(given(k.args, "query", "")); query != "" && op != opList {
			if found, err = k.fitting(ctx, query, all, limit); err != nil {
				return nil, err
			}
		}
		if op != opSearch || given(k.args, "query", "") == "" {
			found = append(found, all...)
		}
	}
	out := memories{Memories: []row{}}
	seen, room := map[int64]bool{}, maxShown
	var texts []string
	for _, s := range found {
		r := s.row()
		if room -= len(r.Content); seen[r.ID] || len(out.Memories) == limit || room < 0 {
			continue
		}
		seen[r.ID] = true
		out.Memories = append(out.Memories, r)
		k.shown(s.document, s.entry.FromLine, s.entry.ToLine, r.Content)
		texts = append(texts, s.entry.Text)
	}
	if out.Count = len(out.Memories); out.Count == 0 {
		out.Hint = "Nothing was found. " + MemorySearch + " also finds conversations and other files."
	}
	var err error
	out.Disagreements, err = k.disputed(ctx, texts...)
	return out, err
}

// fitting returns the statements on the lines that a search finds, best first: the hits are in its order, and before what is only next
// to a match on the lines of its hit come all others. A hit without a match was found by its meaning.
func (k *call) fitting(ctx context.Context, query string, all []statement, limit int) ([]statement, error) {
	request := recall.Request{
		Query: query, Corpus: search.Memory, MaxResults: new(recall.MaxResults), Undisclosed: true, Unrecorded: true, Agent: k.Agent.Settings,
		Zone: time.UTC, Conversation: k.Conversation,
	}
	answer, err := k.Search.Search(ctx, k.Identity, request)
	if bad, is := errors.AsType[*recall.InvalidError](err); is {
		return nil, faultf("%s", bad)
	}
	if err != nil {
		return nil, err
	}
	asked := analysis.NewQuery(query, k.Search.Time())
	var found, beside []statement
	var used []recall.Hit
	for _, hit := range answer.Results {
		here := map[int][]statement{} // by the number of words that they share with the query
		for _, s := range slices.Backward(all) {
			if s.document.ID == hit.Source.ID && s.entry.FromLine <= hit.ToLine && s.entry.ToLine >= hit.FromLine {
				n := len(rank.Matches(asked, s.entry.Heading+"\n"+s.entry.Text))
				here[n] = append(here[n], s)
			}
		}
		if len(here) > 0 && len(found) < limit {
			used = append(used, hit)
		}
		if len(here) > 1 {
			beside = append(beside, here[0]...)
			delete(here, 0)
		}
		for _, n := range slices.Backward(slices.Sorted(maps.Keys(here))) {
			found = append(found, here[n]...)
		}
	}
	k.Search.Used(ctx, k.Identity, request, used)
	return append(found, beside...), nil
}

// upsert implements memory_upsert.
func (k *call) upsert(ctx context.Context) (any, error) {
	if k.Speaker != memory.NoOwner {
		return nil, faultf("%s keeps no sections of persons: use %s", MemoryUpsert, Remember)
	}
	op := given(k.args, "op", "")
	from := "id"
	if op == opSupersede {
		from = "from_memory_id"
	}
	id, named := k.args[from].(int)
	content := strings.Join(strings.Fields(given(k.args, "content", "")), " ")
	switch {
	case !named && op != opInsert:
		return nil, faultf("%s is missing: %s changes a statement by its id", from, op)
	case content == "" && (op == opInsert || op == opSupersede):
		return nil, faultf("content is missing: %s writes a statement", op)
	}
	done, outside, err := k.upsertOutside(ctx, backend.Change{
		Op: backend.Op(op), ID: int64(id), Content: content, Category: given(k.args, "category", ""), Source: given(k.args, "source", ""),
		Confidence: given(k.args, "confidence", 0.0), Floor: given(k.args, "confidence_floor", 0.0), Reason: given(k.args, "reason", ""),
	})
	if outside || err != nil {
		return done, err
	}
	for round := 1; ; round++ {
		out, err := k.upsertRound(ctx, op, int64(id), content)
		if _, stale := errors.AsType[*store.StaleBaseError](err); !stale || round == upsertRounds {
			return out, err
		}
		if err := pause(ctx, round); err != nil {
			return nil, err
		}
	}
}

func (k *call) upsertRound(ctx context.Context, op string, id int64, content string) (any, error) {
	author := k.by(memory.Author{Kind: memory.AuthorTool, ID: MemoryUpsert})
	receipt, again, err := k.replayed(ctx, author, k.key)
	if err != nil {
		return nil, err
	}
	if again {
		path := receipt.Changes[0].Path
		if not := notSaved(receipt.Changes[0], op != opInsert); not != "" {
			return upserted{ID: id, Receipt: receipt.Token, Message: not}, nil
		}
		if op != opArchive && content != "" {
			id = rowID(path, markdown.EntryIDOf("- "+content))
		}
		return upserted{OK: true, ID: id, Updated: true, Receipt: receipt.Token, Message: "This was done before; nothing was written"}, nil
	}
	category := given(k.args, "category", "")
	if op == opInsert {
		ref := memory.Ref{Scope: k.scope(k.Caller), Path: pathOfChat(k.chat())}
		d, _, err := k.current(ctx, k.Identity, ref)
		if err != nil {
			return nil, err
		}
		if category == "" {
			category = categoryKnowledge
		}
		d.Path = ref.Path
		return k.put(ctx, author, ref, d, d.Content, category, content, 0)
	}
	s, err := k.statementWith(ctx, id)
	if err != nil {
		return nil, err
	}
	ref := memory.Ref{Scope: s.document.Scope, Path: s.document.Path}
	switch {
	case op == opTouch:
		return upserted{OK: true, ID: id, Updated: true, Message: "Already up to date"}, nil
	case op == opArchive:
		return k.commit(ctx, author, ref, s.document, s.without(), id, id, "Removed; the history of the file keeps it")
	case content == "":
		content = s.entry.Text
	}
	if category == "" || category == s.category() {
		if id := markdown.EntryIDOf("- " + content); id != s.entry.ID && isCurrent(s.document.Content, id) {
			next, err := s.merged()
			if err != nil {
				return nil, err
			}
			return k.commit(ctx, author, ref, s.document, next, s.id(), rowID(ref.Path, id), "Already known; the other one was removed")
		}
		next, ok := remember.Replace(s.document.Content, s.at, content)
		if !ok {
			return nil, faultf("this statement spans several lines or is part of a table: change it with %s", EditFile)
		}
		next = memory.Unarchived(next)
		return k.commit(ctx, author, ref, s.document, next, id, rowID(ref.Path, s.renamed(content)), "Replaced; the history of the file has the old text")
	}
	return k.put(ctx, author, ref, s.document, s.without(), category, content, id)
}

// renamed returns the id of the statement with another text.
func (s statement) renamed(content string) markdown.EntryID {
	next, _ := remember.Replace(s.document.Content, s.at, content)
	return markdown.EntriesOf(next)[s.at].ID
}

// without returns the statement's document without it, and without what is nested under it.
func (s statement) without() string {
	set := memory.EntrySet{s.entry.ID: true}
	_, _, lines := set.Find(s.document.Content)
	return memory.WithoutLines(s.document.Content, lines)
}

// merged returns the statement's document without it, because another one already says the new text.
func (s statement) merged() (string, error) {
	entries := markdown.EntriesOf(s.document.Content)
	if s.at+1 < len(entries) && entries[s.at+1].Parent == s.at {
		return "", faultf("another statement says this already, and others are nested under this one: change it with %s", EditFile)
	}
	return s.without(), nil
}

// isCurrent reports whether a document has a statement outside of its archive.
func isCurrent(content string, id markdown.EntryID) bool {
	current, _ := markdown.CutArchive(content)
	return slices.ContainsFunc(markdown.EntriesOf(current), func(e markdown.Entry) bool { return e.ID == id })
}

// put adds a statement under the heading of a category, to a text based on the current version of a document.
func (k *call) put(
	ctx context.Context, author memory.Identity, ref memory.Ref, d memory.Document, text, category, content string, was int64,
) (any, error) {
	entry := markdown.EntryIDOf("- " + content)
	if isCurrent(text, entry) {
		if text == d.Content {
			return upserted{OK: true, ID: rowID(ref.Path, entry), Message: "Already known; nothing was written"}, nil
		}
		return k.commit(ctx, author, ref, d, text, was, rowID(ref.Path, entry), "Already known; the other one was removed")
	}
	next, ok := remember.Add(text, headings[category], content)
	if !ok {
		return nil, faultf("content is not a plain statement: write one sentence without Markdown")
	}
	return k.commit(ctx, author, ref, d, next, was, rowID(ref.Path, entry), "Saved")
}

// commit writes the new text of a document, in which statement was became statement id; 0: it is new.
func (k *call) commit(
	ctx context.Context, author memory.Identity, ref memory.Ref, d memory.Document, text string, was, id int64, message string,
) (any, error) {
	reason := strings.Join(strings.Fields(given(k.args, "source", "")+" "+given(k.args, "reason", "")), " ")
	if reason == "" {
		reason = "changed by " + MemoryUpsert
	}
	receipt, err := k.Store.Apply(ctx, author, k.key, []memory.Change{{
		Ref: ref, Op: memory.OpReplace, Content: text, Base: d.Version, Reason: reason, Sources: k.sources(),
	}})
	if err != nil {
		return nil, err
	}
	k.changed(author, receipt)
	k.result.Written = &receipt
	done := receipt.Changes[0]
	out := upserted{OK: done.Changed, ID: id, Updated: done.Changed, Receipt: receipt.Token, Message: message + redacted(done)}
	if not := notSaved(done, was != 0); not != "" || done.Waiting > 0 {
		out.OK, out.ID, out.Updated, out.Message = false, was, false, cmp.Or(not, out.Message)
	}
	return out, nil
}

// forgetting explains an error of forget.
func forgetting(path string, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return faultf("%s has no such statement: read it, and copy the statement exactly", path)
	}
	return err
}
