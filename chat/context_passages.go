package chat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"reverie/language/analysis"
	"reverie/memory"
	"reverie/recall"
	"reverie/search"
	"reverie/search/excerpt"
	"reverie/search/rank"
	"reverie/window"
)

const (
	// maxShown bounds what is shown of one passage, in characters: several are to fit.
	maxShown = 280
	// maxStatements is how many statements of one passage are shown.
	maxStatements = 3
)

// passage is a result that may be shown: without secrets, and nothing in it gives orders.
type passage struct {
	hit        recall.Hit
	statements []statement // what is shown of it
	heading    string      // above them, where it has words of the question that they lack
	line       int         // where the first of them stands
}

// statement is a part of a passage, and who said it, in a group.
type statement struct {
	text string
	by   memory.Owner
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

// source says where a passage stands, as people and tools name it.
func (p passage) source() string { return sourceOf(p.hit, p.line) }

func sourceOf(h recall.Hit, line int) string { return fmt.Sprintf("%s:%d", h.Path, line) }

// readable are the results that may be shown, best first. Memory is scanned when it is written; here it is once more, since not
// all of what is found came through that gate, and messages did not.
func readable(asked analysis.Query, hits []recall.Hit, people sections) (readable []passage) {
	wanted := wordsOf(asked)
	for _, hit := range hits {
		scanned := memory.Scan(hit.Text)
		if scanned.Verdict == memory.VerdictQuarantine || strings.TrimSpace(scanned.Text) == "" {
			continue
		}
		p := passage{hit: hit, line: hit.FromLine}
		if hit.Corpus == search.Memory {
			p.choose(asked, scanned.Text, people)
		}
		if len(p.statements) == 0 {
			snippet, _ := excerpt.Snippet(scanned.Text, wanted, maxShown)
			p.statements = []statement{{snippet, people.by(hit, hit.FromLine)}}
		}
		readable = append(readable, p)
	}
	return readable
}

// wordsOf are the words of a question that say something, in all their forms.
func wordsOf(q analysis.Query) (words []string) {
	for _, term := range q.Terms {
		if !term.Stop {
			words = append(words, term.Forms...)
		}
	}
	return words
}

// choose takes the statements of a document's passage that have most words of the question. There are none when it was found by
// its meaning alone.
func (p *passage) choose(asked analysis.Query, text string, people sections) {
	best, most := []memory.EntryAt(nil), 1
	for _, entry := range memory.EntriesOf(text) {
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
		by := people.by(p.hit, p.hit.FromLine+entry.FromLine-1)
		if i == 0 {
			p.line += entry.FromLine - 1
			if most > len(rank.Matches(asked, entry.Text)) && entry.Heading != memory.PersonHeading+string(by) {
				p.heading = entry.Heading
			}
		}
		snippet, _ := excerpt.Snippet(entry.Text, wanted, maxShown)
		p.statements = append(p.statements, statement{snippet, by})
	}
}

// eligible are the passages that are not in the context anyway: in a document of the system prompt, or in this conversation
// behind a message. Nor is anything twice.
func (a *assembly) eligible(system string, behind int64) (eligible []passage) {
	inPrompt := make(map[uuid.UUID]bool, len(a.load.Documents))
	for _, d := range a.load.Documents {
		inPrompt[d.ID] = true
	}
	for _, p := range a.found.passages {
		source := p.hit.Source
		here := source.Conversation != "" && source.Conversation == a.request.Conversation
		if source.Conversation == "" && inPrompt[source.ID] || here && int64(p.hit.FromLine) > behind {
			continue
		}
		p.statements = slices.DeleteFunc(slices.Clone(p.statements), func(s statement) bool {
			return contains(system, s.text) || contains(a.current.Content, s.text) || a.said(s.text, behind) ||
				slices.ContainsFunc(eligible, func(other passage) bool { return contains(other.text(), saidBy(s.by, s.text)) })
		})
		if len(p.statements) > 0 {
			eligible = append(eligible, p)
		}
	}
	return eligible
}

// said reports whether a text stands in a message behind another one.
func (a *assembly) said(text string, behind int64) bool {
	return slices.ContainsFunc(a.history(), func(m memory.Message) bool { return m.Seq > behind && contains(m.Content, text) })
}

func contains(text, part string) bool { return strings.Contains(text, strings.TrimSpace(part)) }

// recalled are passages as a window takes them.
func recalled(passages []passage) []window.Recalled {
	all := make([]window.Recalled, len(passages))
	for i, p := range passages {
		all[i] = window.Recalled{Text: p.text(), Source: p.source(), At: p.hit.At, Score: p.hit.Score, Found: i}
	}
	return all
}

// pick are the elements with these indexes.
func pick[T any](all []T, indexes []int) (picked []T) {
	for _, i := range indexes {
		picked = append(picked, all[i])
	}
	return picked
}
