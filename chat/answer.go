package chat

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"reverie/language/analysis"
	"reverie/memory"
	"reverie/recall"
	"reverie/search"
	"reverie/search/rank"
	"reverie/window"
)

const (
	// maxQuoted is how many statements an answer quotes.
	maxQuoted = 4
	// maxQuote bounds one of them, in characters.
	maxQuote = 300
)

// quotation is a statement of memory, and where it stands.
type quotation struct {
	text, source string
	by           memory.Owner // who said it, in a group
	words        int          // of the question
	hit          recall.Hit
	shown        recall.Hit // of hit, only the statement
}

// answerFromMemory answers without a model: it quotes what of memory has most to do with the question, and where it stands, and
// says so when there is nothing. In a group it names who said so.
func (t *turning) answerFromMemory(ctx context.Context) error {
	// Nothing is sent to a model. What is quoted counts as used, and a window that cannot be made stops nobody.
	t.recorded, t.assembly.request.NoWait = true, true
	if err := t.remake(ctx); err != nil && !isFull(err) {
		return err
	}
	say := phrasesFor(languageOf(t.request.Message))
	query, _ := t.query()
	switch {
	case !t.settings.MemoryEnabled:
		return t.say(say.off+"\n"+say.noModel, builtinRecall)
	case window.Trivial(query):
		return t.say(say.hello+"\n"+say.noModel, builtinRecall)
	}
	r := recall.Request{Query: query, Unrecorded: true, Synthetic: t.synthetic, Agent: t.agent.Settings, Zone: t.now.Location()}
	found, err := t.Search.Search(ctx, t.id, r)
	if err != nil {
		return err
	}
	hits := t.useful(ctx, found.Results)
	people, err := t.sectionsOf(ctx, hits)
	if err != nil {
		return err
	}
	quoted := t.quotations(query, hits, people)
	if len(quoted) == 0 {
		return t.say(say.nothing+"\n"+say.noModel, builtinRecall)
	}
	t.Search.Used(ctx, t.id, r, hitsOf(quoted))
	for _, q := range quoted {
		t.turn.Quoted = append(t.turn.Quoted, Recalled{Hit: q.shown, Line: q.shown.FromLine, Person: q.by})
	}
	var b strings.Builder
	b.WriteString(say.found)
	if quoted[0].hit.Score < found.Settings.MinScore {
		b.Reset()
		b.WriteString(say.closest)
	}
	for _, q := range quoted {
		b.WriteString("\n- " + saidBy(q.by, q.text) + " (" + q.source + ")")
	}
	b.WriteString("\n" + say.noModel)
	return t.say(b.String(), builtinRecall)
}

// isFull reports whether a context was not made because there is no room.
func isFull(err error) bool {
	_, tooLarge := errors.AsType[*window.TooLargeError](err)
	return tooLarge || errors.Is(err, ErrUnreachable) || errors.Is(err, ErrStillRunning)
}

// quotations are the statements of what was found that have most words of the question, those of the best passages first. A
// question answers nothing.
func (t *turning) quotations(query string, hits []recall.Hit, people sections) []quotation {
	asked := analysis.NewQuery(query, t.now)
	var all []quotation
	most := 0
	for _, hit := range hits {
		here := hit.Source.Conversation == t.request.Conversation && int64(hit.FromLine) >= t.user.Seq
		if here {
			continue
		}
		for _, q := range statements(asked, hit) {
			q.by = people.by(hit, q.shown.FromLine)
			if !slices.ContainsFunc(all, func(other quotation) bool { return other.by == q.by && contains(other.text, q.text) }) {
				all = append(all, q)
				most = max(most, q.words)
			}
		}
	}
	// What shares one word with a question, where others share three, was found by the company that it keeps.
	all = slices.DeleteFunc(all, func(q quotation) bool { return 2*q.words < most })
	return all[:min(len(all), maxQuoted)]
}

// statements are the statements of a result that have most words of a question. What was found by its meaning needs none.
func statements(asked analysis.Query, hit recall.Hit) (best []quotation) {
	entries := []memory.EntryAt{{Text: hit.Text, FromLine: 1}}
	if hit.Corpus == search.Memory {
		entries = memory.EntriesOf(hit.Text)
	}
	most := 1
	for _, entry := range entries {
		scanned := memory.Scan(entry.Text)
		text := quote(scanned.Text)
		if scanned.Verdict == memory.VerdictQuarantine || text == "" || isQuestion(text) {
			continue
		}
		words := len(rank.Matches(asked, entry.Text))
		if hit.VectorScore > hit.TextScore {
			words = max(words, 1)
		}
		if words > most {
			best, most = nil, words
		}
		if words == most {
			shown := hit
			shown.Text, shown.Snippet = entry.Text, scanned.Text
			if hit.Corpus == search.Memory {
				shown.FromLine, shown.ToLine = hit.FromLine+entry.FromLine-1, hit.FromLine+entry.ToLine-1
			}
			best = append(best, quotation{text: text, source: window.Escape(sourceOf(hit, shown.FromLine)), words: words, hit: hit, shown: shown})
		}
	}
	return best
}

// quote is a text on one line, escaped, and cut where it is long.
func quote(text string) string {
	text = window.Escape(strings.Join(strings.Fields(text), " "))
	if utf8.RuneCountInString(text) > maxQuote {
		text = string([]rune(text)[:maxQuote]) + "…"
	}
	return text
}

func isQuestion(text string) bool {
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？")
}

// hitsOf are the results that statements are from, each once.
func hitsOf(quoted []quotation) (hits []recall.Hit) {
	for _, q := range quoted {
		same := func(h recall.Hit) bool { return h.Path == q.hit.Path && h.FromLine == q.hit.FromLine }
		if !slices.ContainsFunc(hits, same) {
			hits = append(hits, q.hit)
		}
	}
	return hits
}
