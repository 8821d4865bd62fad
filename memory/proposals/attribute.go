package proposals

import (
	"slices"
	"strings"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/transcripts"
)

const (
	// maxAttributed is how many messages are named for one line.
	maxAttributed = 3
	// fewTerms is how many terms a line may have for one common term to be enough; longer lines need two.
	fewTerms = 3
	// matchShare is the part of a line's terms that one message must have to be where the line came from: 1/matchShare.
	matchShare = 3
	// adds is the part of a line's explained terms that a further message must add: 1/adds.
	adds = 4
)

// Attribute ties each line of after that does not stand in before to the messages that it came from, as far as its words
// tell: the message that shares most of them, and at most two more that explain words which the first does not. Of equally
// good messages the user's comes first, then the earlier one. A line that no message resembles is left out: it came from
// the conversation as a whole. So are headings.
func Attribute(before, after string, transcript []transcripts.Line) []memory.LineSource {
	known := lineSet(markdown.Lines(before))
	titles := markdown.HeadingLines(after)
	s := listen(transcript)
	var out []memory.LineSource
	for i, line := range markdown.Lines(after) {
		said := markdown.LineKey(line)
		if titles[i] || known[said] {
			continue
		}
		known[said] = true
		if from := s.sources(terms(said)); len(from) > 0 {
			out = append(out, memory.LineSource{Line: line, Messages: from})
		}
	}
	return out
}

// speech is what was said, as terms.
type speech struct {
	lines []transcripts.Line
	terms []map[string]bool // of each line
	heard map[string]int    // in how many lines a term is
}

func listen(transcript []transcripts.Line) speech {
	s := speech{lines: transcript, heard: map[string]int{}}
	for _, line := range transcript {
		t := terms(line.Text)
		s.terms = append(s.terms, t)
		for term := range t {
			s.heard[term]++
		}
	}
	return s
}

// sources are the sequence numbers of the messages that explain the terms of a line, ascending.
func (s speech) sources(line map[string]bool) []int64 {
	open := map[string]int{} // terms to explain, rare ones weigh more
	total := 0
	for term := range line {
		if n := s.heard[term]; n > 0 {
			open[term] = wordWeight / n
			total += open[term]
		}
	}
	var out []int64
	for len(open) > 0 && len(out) < maxAttributed {
		best, weight := s.best(open)
		if len(out) == 0 && !resembles(line, s.terms[best]) || len(out) > 0 && weight*adds < total {
			break
		}
		out = append(out, s.lines[best].Seq)
		for term := range s.terms[best] {
			delete(open, term)
		}
	}
	slices.Sort(out)
	return out
}

// best is the message that explains most of what is open, and how much that is.
func (s speech) best(open map[string]int) (at, weight int) {
	for i, said := range s.terms {
		w := 0
		for term, n := range open {
			if said[term] {
				w += n
			}
		}
		if w > weight || w == weight && w > 0 && s.lines[at].Role != memory.RoleOfUser && s.lines[i].Role == memory.RoleOfUser {
			at, weight = i, w
		}
	}
	return at, weight
}

// resembles reports whether a message shares enough with a line to be its source.
func resembles(line, said map[string]bool) bool {
	common := 0
	for term := range line {
		if said[term] {
			common++
		}
	}
	return common*matchShare >= len(line) && (common > 1 || common == 1 && len(line) <= fewTerms)
}

// terms are the words of a text that carry meaning, without their English endings: who speaks of "moving" and "moved" means
// the same.
func terms(text string) map[string]bool {
	out := map[string]bool{}
	for word := range markdown.Words(text) {
		if !functionWords[word] && !strings.ContainsAny(word, functionCharacters) {
			out[stem(word)] = true
		}
	}
	return out
}

// stem takes off the endings of English verbs and nouns that leave at least three letters; that two words with different
// meanings may get one stem does no harm here.
func stem(word string) string {
	for _, ending := range []string{"ing", "ies", "ed", "es", "s", "e", "y"} {
		if rest, found := strings.CutSuffix(word, ending); found && len(rest) >= 3 {
			return rest
		}
	}
	return word
}

// functionCharacters are the Chinese particles; a pair of characters with one of them is no word.
const functionCharacters = "的是了在和与有也都把被吗呢吧着过就还很不"

// functionWords say nothing about what a sentence is about. "user" and "assistant" are among them: a transcript and a memory
// written from it speak of little else.
var functionWords = func() map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(`
		a about after again all also am an and any are as at be because been before being but by can could did do does doing
		don for from get got had has have he her here him his how i if in into is it its just know let like ll make me more
		most my no not now of off on one only or our out over own please re really said same say says she should so some such
		than that the their them then there these they this those to too up us ve very was we were what when where which
		while who why will with would yes yet you your s t d m user users assistant
		good great nice well much very thing things way day time need want use used using new sure thanks thank
		用户 助手 我们 你们 他们 她们 这个 那个 一个 但是 因为 所以 如果 可以 什么 怎么 已经`) {
		out[word] = true
	}
	return out
}()
