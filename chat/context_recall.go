package chat

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/text/width"

	"reverie/facts"
	"reverie/language/analysis"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/providers"
	"reverie/recall"
	"reverie/remember"
	"reverie/scan"
	"reverie/search"
	"reverie/search/excerpt"
	"reverie/search/rank"
	stored "reverie/store/facts"
	"reverie/toolbox"
	"reverie/window"
)

// Reasons why nothing was recalled.
const (
	skippedTrivial     = "trivial"     // a greeting or the like
	skippedOff         = "off"         // the agent's memory is off
	skippedDisabled    = "disabled"    // recall in turns is disabled
	skippedNothing     = "nothing"     // nothing matches, or the matches are already in the context
	skippedUnavailable = "unavailable" // the search failed or was too slow
)

const (
	// recallPatience bounds a search by default: a turn does not wait for memory.
	recallPatience = time.Second
	// recallResults is the least number of passages to search for; those already in the context are dropped.
	recallResults = 12
	// tokensPerResult is the size of a short passage, by which a larger budget searches for more.
	tokensPerResult = 16
	// maxQueryHalf bounds the query of a long message: characters from its beginning and from its end.
	maxQueryHalf = 1000
	// minQuery is the width in columns (an ideograph takes two) from which a message is a query on its own, and
	// minTerms the number of significant words that it then needs.
	minQuery = 12
	minTerms = 2
	// maxBefore bounds the previous turn that is added to a shorter message, in characters.
	maxBefore = 220
)

// finding is the memory that may be injected: what matches the message, and what does not depend on it.
type finding struct {
	request  recall.Request
	matched  []passage
	standing []passage
	outside  []passage            // from an external memory, which comes first
	provided []passage            // of other programs
	asked    []providers.Recalled // the same, with those that have failed
	skipped  string               // why nothing was searched for
}

// query returns the query for the current message, and whether it is sufficient on its own.
func (a *assembly) query() (query string, whole bool) {
	query = strings.TrimSpace(a.current.Content)
	if n := utf8.RuneCountInString(query); n > 2*maxQueryHalf {
		runes := []rune(query)
		query = string(runes[:maxQueryHalf]) + "\n" + string(runes[n-maxQueryHalf:])
	}
	query = strings.ToValidUTF8(query, "\uFFFD")
	if a.skip(query) != "" {
		return query, true
	}
	return query, columns(query) >= minQuery && terms(query) >= minTerms
}

// terms counts the significant words of a text: "and when is it?" has none.
func terms(text string) (n int) {
	for _, token := range analysis.Analyse(text) {
		if !token.Stop {
			n++
		}
	}
	return n
}

// columns returns the width of a text.
func columns(text string) (n int) {
	for _, r := range text {
		n++
		if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
			n++
		}
	}
	return n
}

// queryInContext adds the previous turn to a short message such as "and on Sunday?".
func (a *assembly) queryInContext(query string) string {
	for _, m := range slices.Backward(a.history()) {
		if m.Role != memory.RoleOfUser {
			continue
		}
		before := []rune(strings.ToValidUTF8(m.Content, "\uFFFD"))
		return query + "\n" + string(before[:min(len(before), maxBefore)])
	}
	return query
}

// skip returns why a message is not searched for; empty if it is.
func (a *assembly) skip(query string) string {
	if disabled := a.disabled(); disabled != "" {
		return disabled
	}
	if window.Trivial(query) {
		return skippedTrivial
	}
	return ""
}

// disabled returns why nothing is injected; empty if something may be.
func (a *assembly) disabled() string {
	switch {
	case !a.settings.MemoryEnabled:
		return skippedOff
	case !a.settings.AutoInject || a.settings.AutoInjectMaxTokens <= 0:
		return skippedDisabled
	}
	return ""
}

// search finds what matches the message, within its patience. A failed search does not fail the turn.
func (a *assembly) search(ctx context.Context, query string) finding {
	if skipped := a.skip(query); skipped != "" {
		return finding{skipped: skipped}
	}
	if terms(query) == 0 { // such words match unrelated texts
		return finding{skipped: skippedNothing}
	}
	limit, least := a.results(), a.settings.AutoInjectThreshold
	r := recall.Request{
		Query: query, MaxResults: &limit, MinScore: &least, Unrecorded: true, Undisclosed: true, Synthetic: a.synthetic, Agent: a.agent.Settings,
		Zone: a.now.Location(), StatementsFirst: true, Past: a.request.AsOf, Conversation: a.request.Conversation,
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(a.RecallPatience, recallPatience))
	defer cancel()
	outside := make(chan []passage, 1)
	go func() { outside <- a.outside(ctx, query) }()
	found, err := a.Search.Search(ctx, a.id, r)
	first := <-outside
	switch {
	case err != nil && len(first) > 0:
		a.Log.WarnContext(ctx, "Could not search the store in a turn", "error", err, "agent", a.agent.ID)
		return finding{request: r, outside: first}
	case err != nil:
		a.Log.WarnContext(ctx, "Could not recall memory in a turn", "error", err, "agent", a.agent.ID)
		return finding{skipped: skippedUnavailable}
	case found.Disabled:
		return finding{skipped: skippedOff}
	}
	own := a.own(providers.Recollection{Hits: found.Results}).Hits
	hits := a.useful(ctx, slices.DeleteFunc(own, func(h recall.Hit) bool { return h.Score < least || a.repeats(h) }))
	people := sections{}
	if a.request.Speaker != memory.NoOwner {
		if people, err = a.sectionsOf(ctx, hits); err != nil {
			a.Log.WarnContext(ctx, "Could not name the speakers of recalled passages", "error", err, "agent", a.agent.ID)
		}
	}
	return finding{request: r, outside: first, matched: readable(analysis.NewQuery(query, a.now), hits, people)}
}

// outside returns what an external memory has for a query, in its order; statements about the person are of their layer.
func (a *assembly) outside(ctx context.Context, query string) (passages []passage) {
	if a.Tools == nil || !a.request.AsOf.IsZero() {
		return nil
	}
	rows, server := a.Tools.FromOutside(ctx, toolbox.Caller{Identity: a.id, Agent: a.agent, Speaker: a.request.Speaker}, query, a.results())
	for _, r := range rows {
		layer := window.Matched
		if r.Category == string(facts.Profile) {
			layer = window.Identity
		}
		line := int(r.ID)
		passages = append(passages, passage{
			hit: recall.Hit{
				Corpus: toolbox.Outside, Path: toolbox.OutsideFolder + server, FromLine: line, ToLine: line, Text: r.Content, At: r.UpdatedAt,
				Score: r.Confidence, Source: recall.SourceRef{Scope: memory.ScopePersonal, Agent: a.agent.ID},
			},
			statements: []statement{{text: r.Content}}, line: line, layer: layer,
		})
	}
	return passages
}

// results returns the number of passages to search for.
func (a *assembly) results() int {
	return min(max(recallResults, a.settings.AutoInjectMaxTokens/tokensPerResult), recall.MaxResults)
}

// repeats reports whether a hit is the current message, or one of the user's with the same words.
func (a *assembly) repeats(h recall.Hit) bool {
	if a.current.Seq > 0 && h.Source.Conversation == a.request.Conversation && int64(h.FromLine) == a.current.Seq {
		return true
	}
	return h.Message.Role == memory.RoleOfUser && words(h.Text) == words(a.current.Content)
}

// record records which passages the search found and the context contains, once. What is injected whatever the message
// says was not looked for.
func (a *assembly) record(ctx context.Context) {
	var hits []recall.Hit
	for _, p := range a.shown {
		if p.layer == window.Matched && p.hit.Corpus != toolbox.Outside {
			hits = append(hits, p.hit)
		}
	}
	if a.recorded || len(hits) == 0 {
		return
	}
	a.recorded = true
	a.Search.Used(ctx, a.id, a.found.request, hits)
}

// useful removes requests to remember or to forget that were answered without a model. What they say is in a document by now, or
// was corrected or forgotten since, and the request would bring it back.
func (a *assembly) useful(ctx context.Context, hits []recall.Hit) []recall.Hit {
	asked := map[string][]string{} // ids of the answers to possible requests, by conversation
	for _, hit := range hits {
		if mayBeRequest(hit) {
			asked[hit.Source.Conversation] = append(asked[hit.Source.Conversation], answerID(hit.Message.ID, 0))
		}
	}
	for conversation, ids := range asked {
		answers, err := a.Store.MessagesByID(ctx, a.id, conversation, ids)
		if err != nil {
			a.Log.WarnContext(ctx, "Could not filter answered requests to remember", "error", err, "agent", a.agent.ID)
			continue
		}
		hits = slices.DeleteFunc(hits, func(hit recall.Hit) bool {
			return hit.Source.Conversation == conversation && mayBeRequest(hit) && slices.ContainsFunc(answers, func(m memory.Message) bool {
				return (m.Name == builtinRemember || m.Name == builtinForget) && m.ID == answerID(hit.Message.ID, 0)
			})
		})
	}
	return hits
}

// mayBeRequest reports whether a hit is a message that asks to remember or to forget something.
func mayBeRequest(hit recall.Hit) bool {
	if hit.Message.Role != memory.RoleOfUser || hit.Message.ID == "" {
		return false
	}
	_, is := remember.Parse(hit.Text)
	if !is {
		_, is = remember.ParseForget(hit.Text)
	}
	return is
}

const (
	// maxShown bounds the text shown of one passage, in characters, so that several fit.
	maxShown = 280
	// maxStatements is the maximum number of statements shown of one passage.
	maxStatements = 3
)

// passage is a hit that may be shown: secrets are removed, and it contains no instructions.
type passage struct {
	hit        recall.Hit
	statements []statement // statements to show
	heading    string      // shown above them if it has words of the question that they lack
	line       int         // line of the first of them
	layer      window.Layer
	fact       uuid.UUID // zero for what the search has found
}

// statement is a part of a passage, with its speaker in a group.
type statement struct {
	text string
	by   memory.Owner
	at   stored.Lines // of the document; zero: all lines of the hit
}

// partOf returns a part of the text of a hit, at an offset in bytes, as a statement.
func partOf(hit recall.Hit, text, part string, offset int, people sections) statement {
	s := statement{text: part, by: people.by(hit, hit.FromLine)}
	if hit.Corpus == search.Memory {
		s.at.From = hit.FromLine + strings.Count(text[:offset], "\n")
		s.at.To = s.at.From + strings.Count(part, "\n")
	}
	return s
}

// shown returns the lines of the statements; none: those of the hit.
func (p passage) shown() (lines []stored.Lines) {
	for _, s := range p.statements {
		if s.at != (stored.Lines{}) {
			lines = append(lines, s.at)
		}
	}
	return lines
}

func (p passage) text() string {
	lines := make([]string, len(p.statements))
	for i, s := range p.statements {
		lines[i] = saidBy(s.by, s.text)
	}
	text := strings.Join(lines, "\n")
	if p.heading != "" {
		return p.heading + ": " + text
	}
	return text
}

// source returns the passage's location in the form that people and tools use.
func (p passage) source() string { return sourceOf(p.hit, p.line) }

func sourceOf(h recall.Hit, line int) string {
	if line == 0 { // what another program keeps has no lines
		return h.Path
	}
	return fmt.Sprintf("%s:%d", h.Path, line)
}

// readable returns the hits that may be shown, best first. Memory is scanned when it is written, but it is scanned
// again here, because not all hits came through that gate, and messages did not.
func readable(asked analysis.Query, hits []recall.Hit, people sections) (readable []passage) {
	wanted := wordsOf(asked)
	for _, hit := range hits {
		scanned := scan.Scan(hit.Text)
		if scanned.Verdict == scan.VerdictQuarantine || strings.TrimSpace(scanned.Text) == "" || onlySeeds(hit) {
			continue
		}
		p := passage{hit: hit, line: hit.FromLine}
		if hit.Corpus == search.Memory {
			p.choose(asked, scanned.Text, people)
		}
		if len(p.statements) == 0 {
			snippet, offset := excerpt.Snippet(scanned.Text, wanted, maxShown)
			p.statements = []statement{partOf(hit, scanned.Text, snippet, offset, people)}
		}
		readable = append(readable, p)
	}
	return readable
}

// wordsOf returns the significant words of a query, in all their forms.
func wordsOf(q analysis.Query) (words []string) {
	for _, term := range q.Terms {
		if !term.Stop {
			words = append(words, term.Forms...)
		}
	}
	return words
}

// choose selects the statements that share most words with the question; none if the passage was found by its meaning
// alone.
func (p *passage) choose(asked analysis.Query, text string, people sections) {
	best, most := []markdown.Entry(nil), 1
	for _, entry := range markdown.EntriesOf(text) {
		if memory.IsSeedEntry(entry.ID) {
			continue
		}
		n := len(rank.Matches(asked, entry.Heading+"\n"+entry.Text))
		if n > most {
			best, most = nil, n
		}
		if n == most && len(best) < maxStatements {
			best = append(best, entry)
		}
	}
	wanted := wordsOf(asked)
	for i, entry := range best {
		first := p.hit.FromLine - 1
		at := stored.Lines{From: first + entry.FromLine, To: first + entry.ToLine}
		by := people.by(p.hit, at.From)
		if i == 0 {
			p.line += entry.FromLine - 1
			if most > len(rank.Matches(asked, entry.Text)) && entry.Heading != memory.PersonHeading+string(by) {
				p.heading = entry.Heading
			}
		}
		snippet, _ := excerpt.Snippet(entry.Text, wanted, maxShown)
		p.statements = append(p.statements, statement{snippet, by, at})
	}
}

// eligible returns the passages that are not in the context otherwise: in a document of the system prompt, or in this
// conversation after message behind. Duplicates within a layer are removed. reasons says why the others are not eligible, in
// the order of found.
func (a *assembly) eligible(behind int64) (eligible []passage, reasons []string) {
	inPrompt := make(map[uuid.UUID]bool, len(a.load.Documents))
	for _, d := range a.load.Documents {
		inPrompt[d.ID] = true
	}
	for _, p := range a.found.all() {
		source := p.hit.Source
		here := source.Conversation != "" && source.Conversation == a.request.Conversation
		reason := ""
		switch {
		case source.Conversation == "" && inPrompt[source.ID]:
			reason = omittedPrompt
		case here && int64(p.hit.FromLine) > behind:
			reason = omittedWindow
		default:
			p.statements = slices.DeleteFunc(slices.Clone(p.statements), func(s statement) bool {
				why := a.known(s, behind)
				if why == "" && slices.ContainsFunc(eligible, func(other passage) bool {
					return other.layer == p.layer && contains(other.text(), saidBy(s.by, s.text))
				}) {
					why = omittedDuplicate
				}
				reason = cmp.Or(why, reason)
				return why != ""
			})
			if len(p.statements) > 0 {
				reason = ""
				eligible = append(eligible, p)
			}
		}
		reasons = append(reasons, reason)
	}
	return eligible, reasons
}

// known returns where the context contains a statement already; empty: nowhere.
func (a *assembly) known(s statement, behind int64) string {
	switch {
	case contains(a.prompt, s.text):
		return omittedPrompt
	case contains(a.current.Content, s.text), a.said(s.text, behind):
		return omittedWindow
	}
	return ""
}

// said reports whether a message after behind contains the text.
func (a *assembly) said(text string, behind int64) bool {
	return slices.ContainsFunc(a.history(), func(m memory.Message) bool { return m.Seq > behind && contains(m.Content, text) })
}

func contains(text, part string) bool { return strings.Contains(text, strings.TrimSpace(part)) }

// candidates converts passages for a window, with what disagrees with them.
func (a *assembly) candidates(passages []passage) []window.Recalled {
	all := make([]window.Recalled, len(passages))
	for i, p := range passages {
		text := p.text()
		text += facts.Beside(a.disagree, text)
		if newer := p.hit.SupersededBy; newer != "" {
			text += " (superseded by " + newer + ")"
		}
		all[i] = window.Recalled{Text: text, Source: p.source(), At: p.hit.At, Score: p.hit.Score, Found: i, Layer: p.layer}
	}
	return all
}

// pick returns the elements with these indexes.
func pick[T any](all []T, indexes []int) (picked []T) {
	for _, i := range indexes {
		picked = append(picked, all[i])
	}
	return picked
}
