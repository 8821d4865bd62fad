package toolbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"reverie/backend"
	"reverie/facts"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/structured"
	"reverie/remember"
	"reverie/scan"
	"reverie/store"
	stored "reverie/store/facts"
)

const (
	probedFacts = 20  // of fact_probe
	maxNumbered = 50  // of structured_memory_search
	maxContent  = 300 // bytes of a numbered statement, which is one line
	// confidenceOfTool and confidenceOfWish are sent to a memory backend, as MicroClaw does.
	confidenceOfTool = .85
	confidenceOfWish = .95

	weightOfTool  = .5 // of feedback that a model gives: half of a person's
	reasonAsked   = "asked"
	reasonHeard   = "heard"
	maxFactNumber = 1<<48 - 1
)

var feedbackKinds = []string{string(stored.Helpful), string(stored.Unhelpful)}

var numberParam = param{name: "id", kind: integer, required: true, max: maxFactNumber, doc: "Of the statement, from a result."}

// factTools are the tools for single statements that models are offered.
func factTools() []tool {
	return []tool{
		{
			name:  FactProbe,
			title: "What is known of somebody or something", result: probed{},
			description: "List statements about a person, project or thing by trust, from 1 to 0.",
			params: []param{{
				name: "entity", kind: text, required: true, min: 1, max: maxNamed,
				doc: "Its name, or a word of the statements.", models: nameOnly,
			}},
			run: (*call).probe,
		},
		{
			name:  MemoryFeedback,
			title: "Give feedback about a statement", result: judged{},
			description: "Say that a statement was helpful or unhelpful (wrong, outdated), which changes its trust and no file.",
			params: []param{
				numberParam,
				{name: "kind", kind: text, required: true, values: feedbackKinds, doc: "Which.", models: nameOnly},
			},
			writes: true, repeats: true,
			run: (*call).feedback,
		},
	}
}

// numberedTools are MicroClaw's tools for structured memories: a view of the facts. Like personal, they are for clients.
func numberedTools() []tool {
	contentParam := param{
		name: "content", kind: text, required: true, min: 2, max: maxContent, doc: "One plain statement, at most 300 bytes.",
	}
	categoryParam := param{name: "category", kind: text, values: categories, doc: "Default: KNOWLEDGE; of a change: as before."}
	return []tool{
		{
			name:  StructuredSearch,
			title: "Search statements", result: numbered{},
			description: "List statements of memory with their numbers, categories and trust, the most trusted first.",
			params: []param{
				{name: "query", kind: text, max: maxQuery, doc: "Part of the statement. Empty: all."},
				{name: "limit", kind: integer, min: 1, max: maxNumbered, doc: "Maximum number of statements. Default: 10."},
				{name: "include_archived", kind: boolean, doc: "Also archived statements. Default: false."},
			},
			run: (*call).searchNumbered,
		},
		{
			name:  StructuredUpdate,
			title: "Change a statement", result: upserted{},
			description: "Replace the text of a statement by its number. An archived one becomes current again. The answer has its number now.",
			params:      []param{numberParam, contentParam, categoryParam},
			writes:      true, replaces: true, repeats: true,
			run: (*call).updateNumbered,
		},
		{
			name:  StructuredDelete,
			title: "Archive a statement", result: upserted{},
			description: "Move a statement into the archive of its file: it is no longer shown or believed, and can be found when asked for. " +
				"To remove it for good, use " + ForgetTool + ".",
			params: []param{numberParam},
			writes: true, replaces: true, repeats: true,
			run: (*call).archiveNumbered,
		},
		{
			name:  WriteMemory,
			title: "Keep a statement", result: upserted{},
			description: "Keep one statement in memory and answer with its number.",
			params:      []param{contentParam, categoryParam, chatParam},
			writes:      true, repeats: true,
			run: (*call).writeNumbered,
		},
	}
}

// savedAs says under which number a statement was saved.
func savedAs(id int64, message string) string {
	return fmt.Sprintf("Noted. Saved memory #%d: (%d) saved%s", id, id, strings.TrimPrefix(message, "Saved"))
}

// factRow is a statement in results.
type factRow struct {
	ID        int64        `json:"id"`
	Fact      string       `json:"fact"` // id of 128 bits, as in the API
	Content   string       `json:"content"`
	Category  facts.Kind   `json:"category"`
	Scope     memory.Scope `json:"scope"`
	Trust     float64      `json:"trust"`
	Archived  bool         `json:"archived,omitempty"`
	Path      string       `json:"path"`
	Line      int          `json:"line,omitempty"`
	Subject   string       `json:"subject,omitempty"`
	Attribute string       `json:"attribute,omitempty"`
	Value     string       `json:"value,omitempty"`
}

// probed is the result of fact_probe.
type probed struct {
	Entity string    `json:"entity"`
	Count  int       `json:"count"`
	Facts  []factRow `json:"facts"`
	Text   string    `json:"text"`

	Disagreements []disputed `json:"disagreements,omitempty"` // pairs of the shown statements that cannot both hold
}

// numbered is the result of structured_memory_search.
type numbered struct {
	Count    int       `json:"count"`
	Memories []factRow `json:"memories"`
	Text     string    `json:"text"` // lines "[id=n] [CATEGORY] [scope] text"

	Disagreements []disputed `json:"disagreements,omitempty"` // pairs of the shown statements that cannot both hold
}

// rows returns facts as results show them, and which of them disagree.
func (k *call) rows(ctx context.Context, q stored.Query) (rows []factRow, pairs []disputed, err error) {
	listed, err := k.Store.ByTrust(ctx, k.Identity, q)
	if err != nil {
		return nil, nil, factFault(err)
	}
	rows = make([]factRow, len(listed.Items))
	texts := make([]string, len(listed.Items))
	for i, f := range listed.Items {
		rows[i] = factRow{
			ID: stored.Number(f.ID), Fact: f.ID.String(), Content: scan.Redacted(f.Text), Category: f.Kind, Scope: f.Scope,
			Trust: math.Round(f.Evidence.Trust(time.Now())*1000) / 1000, Archived: f.Archived, Path: f.Path, Line: f.FromLine,
			Subject: scan.Redacted(f.SubjectAsSaid()), Attribute: f.Attribute, Value: scan.Redacted(f.Value),
		}
		k.shown(memory.Document{
			ID: f.Document, Scope: f.Scope, Path: f.Path, Owner: f.Owner, Version: f.Version, UpdatedAt: f.At,
		}, f.FromLine, f.ToLine, rows[i].Content)
		texts[i] = f.Text
	}
	pairs, err = k.disputed(ctx, texts...)
	return rows, pairs, err
}

// linesOf returns a line of each row.
func linesOf(rows []factRow) string {
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = fmt.Sprintf("[id=%d] [%s] [%s] %s", r.ID, r.Category, strings.ToLower(string(r.Scope)), r.Content)
	}
	return strings.Join(lines, "\n")
}

// factFault explains an error about facts to a model.
func factFault(err error) error {
	switch {
	case errors.Is(err, store.ErrFactsOff):
		return faultf("%s: use %s", store.ErrFactsOff, MemorySearch)
	case errors.Is(err, store.ErrNotFound):
		return faultf("no statement has this number: it was changed or removed. List them again with %s", StructuredSearch)
	}
	return err
}

// probe implements fact_probe.
func (k *call) probe(ctx context.Context) (any, error) {
	entity := given(k.args, "entity", "")
	rows, pairs, err := k.rows(ctx, stored.Query{Text: entity, Page: store.Page{Limit: probedFacts}})
	return probed{Entity: entity, Count: len(rows), Facts: rows, Text: linesOf(rows), Disagreements: pairs}, err
}

// searchNumbered implements structured_memory_search.
func (k *call) searchNumbered(ctx context.Context) (any, error) {
	query, limit := strings.TrimSpace(given(k.args, "query", "")), given(k.args, "limit", defaultNumbered)
	if rows, done, err := k.rowsOutside(ctx, query, limit); done || err != nil {
		return numbered{Count: len(rows), Memories: rows, Text: linesOf(rows)}, err
	}
	rows, pairs, err := k.rows(ctx, stored.Query{
		Text: query, Archived: given(k.args, "include_archived", false), Page: store.Page{Limit: limit},
	})
	return numbered{Count: len(rows), Memories: rows, Text: linesOf(rows), Disagreements: pairs}, err
}

const defaultNumbered = 10

// judged is the result of memory_feedback.
type judged struct {
	ID       int64   `json:"id"`
	Trust    float64 `json:"trust"`
	Feedback string  `json:"feedback"`
	Message  string  `json:"message"`
}

// feedback implements memory_feedback.
func (k *call) feedback(ctx context.Context) (any, error) {
	number := int64(given(k.args, "id", 0))
	fact, err := k.Store.Numbered(ctx, k.Identity, number)
	if err != nil {
		return nil, factFault(err)
	}
	given, err := k.Store.GiveFeedback(ctx, k.by(memory.Author{Kind: memory.AuthorTool, ID: MemoryFeedback}), fact.ID, stored.Feedback{
		Opinion: stored.Opinion(given(k.args, "kind", "")), Weight: weightOfTool, Reason: reasonAsked, Key: k.key,
	})
	if err != nil {
		return nil, factFault(err)
	}
	if fact, err = k.Store.Numbered(ctx, k.Identity, number); err != nil {
		return nil, factFault(err)
	}
	return judged{
		ID: number, Trust: math.Round(fact.Evidence.Trust(time.Now())*1000) / 1000, Feedback: given.String(), Message: "Noted; no file was changed",
	}, nil
}

// numbered returns the fact with the number of a call, which must be of the caller's documents.
func (k *call) numbered(ctx context.Context) (stored.Fact, error) {
	if k.Speaker != memory.NoOwner {
		return stored.Fact{}, faultf("statements of a group have no numbers: use %s", Remember)
	}
	fact, err := k.Store.Numbered(ctx, k.Identity, int64(given(k.args, "id", 0)))
	if err != nil {
		return stored.Fact{}, factFault(err)
	}
	if fact.Scope != k.scope(k.Caller) {
		return stored.Fact{}, faultf("this statement is shared with others: it is changed in %s by a person. Tell the user", fact.Path)
	}
	return fact, nil
}

// rewriteFact changes the document of a fact. If another write removes the fact's words concurrently, the model reads again.
func (k *call) rewriteFact(
	ctx context.Context, fact stored.Fact, author, reason string, change func(content string, at int) (string, error),
) (memory.Receipt, error) {
	ref := memory.Ref{Scope: fact.Scope, Path: fact.Path}
	return k.rewrite(ctx, k.by(memory.Author{Kind: memory.AuthorTool, ID: author}), ref, reason, func(d memory.Document) (string, error) {
		at := slices.IndexFunc(markdown.EntriesOf(d.Content), func(e markdown.Entry) bool { return e.ID == fact.Entry })
		if at < 0 {
			return "", factFault(store.ErrNotFound)
		}
		return change(d.Content, at)
	})
}

// archiveNumbered implements structured_memory_delete.
func (k *call) archiveNumbered(ctx context.Context) (any, error) {
	out, outside, err := k.upsertOutside(ctx, backend.Change{Op: backend.Archive, ID: int64(given(k.args, "id", 0))})
	if outside || err != nil {
		return out, err
	}
	author := k.by(memory.Author{Kind: memory.AuthorTool, ID: StructuredDelete})
	receipt, again, err := k.replayed(ctx, author, k.key)
	if err != nil {
		return nil, err
	}
	out = upserted{OK: true, ID: int64(given(k.args, "id", 0)), Message: "It was archived before; nothing was written"}
	for round := 1; !again; round++ {
		fact, err := k.numbered(ctx)
		if err != nil {
			return nil, err
		}
		changes, err := k.archiving(ctx, fact)
		if err != nil || len(changes) == 0 {
			return out, err
		}
		receipt, err = k.Store.Apply(ctx, author, k.key, changes)
		if _, stale := errors.AsType[*store.StaleBaseError](err); stale && round < upsertRounds {
			if err := pause(ctx, round); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		break
	}
	k.changed(author, receipt)
	k.result.Written = &receipt
	out.Receipt = receipt.Token
	for _, done := range receipt.Changes {
		out.Updated = out.Updated || done.Changed
		if not := notSaved(done, true); not != "" {
			out.OK, out.Message = false, not
			return out, nil
		}
	}
	out.Message = "Archived"
	return out, nil
}

// archiving returns the changes that archive a fact: in every document of the same people that says it, since lists show it as one. Daily
// notes stay, as records of their days; what only a note says is put into the archive of MEMORY.md.
func (k *call) archiving(ctx context.Context, fact stored.Fact) (changes []memory.Change, err error) {
	if fact.Archived {
		return nil, nil
	}
	own, err := k.ownDocuments(ctx, "")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, d := range own {
		if facts.Rank(d.Path) != facts.NotesRank && memory.Searchable(d.Path) {
			paths = append(paths, d.Path)
		}
	}
	copies, err := k.Store.OfDocuments(ctx, k.Identity, fact.Scope, paths...)
	if err != nil {
		return nil, factFault(err)
	}
	change := func(path string, archived func(content string) (string, error)) error {
		ref := memory.Ref{Scope: fact.Scope, Path: path}
		d, _, err := k.current(ctx, k.Identity, ref)
		if err != nil {
			return err
		}
		next, err := archived(d.Content)
		if err == nil && next != d.Content {
			changes = append(changes, memory.Change{
				Ref: ref, Op: memory.OpReplace, Content: next, Base: d.Version, Reason: "archived", Sources: k.sources(),
			})
		}
		return err
	}
	for _, c := range copies {
		if c.Entry != fact.Entry {
			continue
		}
		err := change(c.Path, func(content string) (string, error) {
			return facts.Archive(c.Path, content, memory.EntrySet{c.Entry: true})
		})
		if err != nil {
			return nil, err
		}
	}
	if len(changes) > 0 {
		return changes, nil
	}
	if facts.Rank(fact.Path) != facts.NotesRank {
		return nil, factFault(store.ErrNotFound)
	}
	err = change(memory.MemoryPath, func(content string) (string, error) {
		current, archive := markdown.CutArchive(content)
		return markdown.WithArchive(current, strings.TrimSpace(archive)+"\n- "+strings.Join(strings.Fields(fact.Text), " "))
	})
	return changes, err
}

// updateNumbered implements structured_memory_update.
func (k *call) updateNumbered(ctx context.Context) (any, error) {
	content, err := k.oneLine()
	if err != nil {
		return nil, err
	}
	out, outside, err := k.upsertOutside(ctx, backend.Change{
		Op: backend.Update, ID: int64(given(k.args, "id", 0)), Content: content, Category: given(k.args, "category", ""),
	})
	if outside || err != nil {
		return out, err
	}
	fact, err := k.numbered(ctx)
	if err != nil {
		return nil, err
	}
	category, merged := given(k.args, "category", string(fact.Kind)), false
	if _, is := structured.TypeOf(fact.Path); is && category != string(fact.Kind) {
		return nil, faultf("the category of an entry of %s follows from the file: leave category out", fact.Path)
	}
	receipt, err := k.rewriteFact(ctx, fact, StructuredUpdate, "changed by number", func(text string, at int) (string, error) {
		merged = false
		id := markdown.EntryIDOf("- " + content)
		if _, is := structured.TypeOf(fact.Path); is || id == fact.Entry || !isCurrent(text, id) {
			return k.restated(ctx, fact, text, at, content)
		}
		if from, to := markdown.ArchivedLines(text); isWithin(markdown.EntriesOf(text)[at], from, to) {
			return text, nil // another statement says it, and this one does not hold
		}
		merged = true
		return statement{document: memory.Document{Content: text}, entry: markdown.EntriesOf(text)[at], at: at}.merged()
	})
	if err != nil {
		return nil, err
	}
	if merged && len(receipt.Changes) > 0 {
		return k.known(ctx, memory.Ref{Scope: fact.Scope, Path: fact.Path}, content, receipt)
	}
	return k.saved(ctx, memory.Ref{Scope: fact.Scope, Path: fact.Path}, content, stored.Number(fact.ID), receipt)
}

// oneLine returns the content of a call as one line.
func (k *call) oneLine() (string, error) {
	content := strings.Join(strings.Fields(given(k.args, "content", "")), " ")
	switch {
	case !markdown.HasText(content):
		return "", faultf("content is empty: write one plain statement")
	case len(content) > maxContent:
		return "", faultf("content has more than %d bytes: write one short statement, or use %s", maxContent, RememberStructured)
	}
	return content, nil
}

// restated returns a document in which statement at says something else, and is no longer archived: then it is back where it was.
func (k *call) restated(ctx context.Context, fact stored.Fact, text string, at int, content string) (string, error) {
	entry := markdown.EntriesOf(text)[at]
	from, to := markdown.ArchivedLines(text)
	archived := isWithin(entry, from, to)
	if _, is := structured.TypeOf(fact.Path); is {
		key := entry.Heading
		if !archived {
			key = markdown.TopHeadingAt(text, entry.FromLine)
		}
		return structured.Set(text, structured.Entry{Key: key, Content: content, Source: k.source(), Updated: k.today()})
	}
	category := given(k.args, "category", "")
	if archived {
		next, err := k.back(ctx, fact.Path, text, fact)
		if err != nil {
			return "", err
		}
		text = next
		at = slices.IndexFunc(markdown.EntriesOf(text), func(e markdown.Entry) bool { return e.ID == entry.ID })
	}
	if archived || category == "" || category == string(fact.Kind) {
		if next, ok := remember.Replace(text, at, content); ok {
			return memory.Unarchived(next), nil
		}
		return "", faultf("this statement spans several lines or is part of a table: change it with %s", EditFile)
	}
	s := statement{document: memory.Document{Content: text}, entry: entry, at: at}
	next, ok := remember.Add(s.without(), headings[category], content)
	if !ok {
		return "", faultf("content is not a plain statement: write one sentence without Markdown")
	}
	return next, nil
}

// isWithin reports whether a statement is on lines from to to.
func isWithin(e markdown.Entry, from, to int) bool { return e.FromLine >= from && e.FromLine <= to }

// back returns a document in which an archived fact is current again, where it was before or where the category of the call says.
func (k *call) back(ctx context.Context, path, text string, fact stored.Fact) (string, error) {
	heading, named := headings[given(k.args, "category", "")]
	if !named {
		known, err := k.Store.Fact(ctx, k.Identity, fact.ID)
		if err != nil {
			return "", factFault(err)
		}
		for _, w := range slices.Backward(known.Wordings) {
			if !w.Archived {
				heading, named = w.Heading, true
				break
			}
		}
	}
	if !named && path == memory.MemoryPath {
		heading = remember.Section
	}
	next, found, err := facts.Restore(path, text, fact.Entry, heading)
	if err == nil && !found {
		err = factFault(store.ErrNotFound)
	}
	return next, err
}

// writeNumbered implements write_memory.
func (k *call) writeNumbered(ctx context.Context) (any, error) {
	if k.Speaker != memory.NoOwner {
		return nil, faultf("%s keeps no sections of persons: use %s", WriteMemory, Remember)
	}
	content, err := k.oneLine()
	if err != nil {
		return nil, err
	}
	out, outside, err := k.upsertOutside(ctx, backend.Change{
		Op: backend.Insert, Content: content, Category: given(k.args, "category", categoryKnowledge), Confidence: confidenceOfTool,
	})
	if outside || err != nil {
		out.Message = savedAs(out.ID, "")
		return out, err
	}
	ref := memory.Ref{Scope: k.scope(k.Caller), Path: pathOfChat(k.chat())}
	if known, found, err := k.confirmRestated(ctx, ref, content); found || err != nil {
		return known, err
	}
	author := k.by(memory.Author{Kind: memory.AuthorTool, ID: WriteMemory})
	receipt, err := k.rewrite(ctx, author, ref, "statement kept", func(d memory.Document) (string, error) {
		entry := markdown.EntryIDOf("- " + content)
		if isCurrent(d.Content, entry) {
			return d.Content, nil
		}
		if _, archive := markdown.CutArchive(d.Content); isCurrent(archive, entry) {
			switch fact, err := k.Store.Stated(ctx, k.Identity, d.ID, entry); {
			case err == nil && fact.Archived:
				return k.back(ctx, d.Path, d.Content, fact)
			case err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrFactsOff):
				return "", err
			}
		}
		next, ok := remember.Add(d.Content, headings[given(k.args, "category", categoryKnowledge)], content)
		if !ok {
			return "", faultf("content is not a plain statement: write one sentence without Markdown")
		}
		return next, nil
	})
	if err != nil {
		return nil, err
	}
	return k.saved(ctx, ref, content, 0, receipt)
}

// confirmRestated finds a fact of a document that says the same in other words, and confirms it instead of adding a line.
func (k *call) confirmRestated(ctx context.Context, ref memory.Ref, content string) (any, bool, error) {
	listed, err := k.Store.ByTrust(ctx, k.Identity, stored.Query{Path: ref.Path, Page: store.Page{Limit: store.MaxPage}})
	if errors.Is(err, store.ErrFactsOff) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	all := slices.DeleteFunc(listed.Items, func(f stored.Fact) bool { return f.Scope != ref.Scope || f.Path != ref.Path })
	at := facts.Restated(textsOf(all), []string{content}, k.vectors(ctx, k.Identity))[0]
	if at < 0 {
		return nil, false, nil
	}
	fact := all[at]
	opinion := stored.Feedback{Opinion: stored.Heard, Weight: 1, Reason: reasonHeard, Key: reasonHeard + "/" + k.today().Format(time.DateOnly)}
	if _, err := k.Store.GiveFeedback(ctx, k.by(memory.Author{Kind: memory.AuthorTool, ID: WriteMemory}), fact.ID, opinion); err != nil {
		return nil, false, factFault(err)
	}
	return upserted{OK: true, ID: stored.Number(fact.ID), Message: "Already known; it was said once more"}, true, nil
}

// known answers a write that took out a statement because another one says the same.
func (k *call) known(ctx context.Context, ref memory.Ref, content string, receipt memory.Receipt) (any, error) {
	entry, done := markdown.EntryIDOf("- "+content), receipt.Changes[0]
	id, err := k.numberOf(ctx, ref, func(_ string, e markdown.Entry) bool { return e.ID == entry })
	return upserted{
		OK: done.Changed, ID: id, Updated: done.Changed, Receipt: receipt.Token,
		Message: "Already known; the other one was removed" + redacted(done),
	}, err
}

// saved answers a write of one statement with its number. was is the number of the statement that it was to replace; 0: none.
func (k *call) saved(ctx context.Context, ref memory.Ref, content string, was int64, receipt memory.Receipt) (any, error) {
	out := upserted{OK: true, Message: "Already known; nothing was written"}
	if len(receipt.Changes) > 0 {
		done := receipt.Changes[0]
		out.Updated, out.Receipt, out.Message = done.Changed, receipt.Token, "Saved"+redacted(done)
		if not := notSaved(done, was != 0); not != "" || done.Waiting > 0 {
			out.OK, out.ID, out.Updated, out.Message = false, was, false, cmp.Or(not, "Not saved"+redacted(done))
			return out, nil
		}
	}
	entry := markdown.EntryIDOf("- " + scan.Redacted(content))
	number, err := k.numberOf(ctx, ref, func(_ string, e markdown.Entry) bool { return e.ID == entry })
	if err != nil {
		return nil, err
	}
	if out.ID = number; number != 0 && out.Updated {
		out.Message = savedAs(number, out.Message)
	}
	return out, nil
}
