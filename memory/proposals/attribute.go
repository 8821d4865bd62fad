package proposals

import (
	"cmp"
	"slices"
	"strings"

	"reverie/language"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/transcripts"
)

const (
	// maxAttributed is the maximum number of source messages of one line.
	maxAttributed = 3
	// fewTerms is the maximum number of terms of a line for which one shared term suffices; longer lines need two.
	fewTerms = 3
	// matchShare: a source message has at least 1/matchShare of the line's terms.
	matchShare = 3
	// adds: each further source message adds at least 1/adds of the weight of the line's explained terms.
	adds = 4
)

// Attribute finds the source messages of each line of after that is not in before, by shared words: the message that shares
// most of them, and at most two more that share words missing in the first. Among equal messages a user's message wins, then
// the earlier one. Headings and lines that resemble no message are left out.
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
		if from := s.sources(s.termsOf(said)); len(from) > 0 {
			out = append(out, memory.LineSource{Line: line, Messages: from})
		}
	}
	return out
}

// speech is a transcript with the terms of its lines.
type speech struct {
	lines []transcripts.Line
	terms []map[string]bool // of each line
	heard map[string]int    // number of lines with a term
	in    language.Language // of the lines
	stems language.Stems
}

func listen(transcript []transcripts.Line) speech {
	var text strings.Builder
	for _, line := range transcript {
		text.WriteString(line.Text + "\n")
	}
	in := language.Likeliest(text.String(), stemmed.List(nil)...)
	s := speech{lines: transcript, heard: map[string]int{}, in: in, stems: language.Stems{}}
	for _, line := range transcript {
		t := s.termsOf(line.Text)
		s.terms = append(s.terms, t)
		for term := range t {
			s.heard[term]++
		}
	}
	return s
}

// sources returns the sequence numbers of the messages that explain the terms of a line, in ascending order.
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

// best returns the index of the message that explains most of the open terms, and their weight.
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

// stemmed are the languages with stems, English first.
const stemmed language.Set = 1<<language.StemmedCount - 1

// termsOf returns the stems of the content words of a text, so that "moving" and "moved" are equal.
func (s speech) termsOf(text string) map[string]bool {
	out := map[string]bool{}
	for word := range markdown.Words(text) {
		if !functionWords[word] && !strings.ContainsAny(word, functionCharacters) {
			out[cmp.Or(s.stems.Stem(word, s.in), word)] = true
		}
	}
	return out
}

// functionCharacters lists Chinese particles. A pair of characters that contains one is not a word.
const functionCharacters = "的是了在和与有也都把被吗呢吧着过就还很不"

// functionWords lists words without content. "user" and "assistant" are included because they occur in most transcripts and
// memories.
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

// Sources returns the source messages of each line that is in after and not in before: those that the engine names, if it was shown
// them, and otherwise those found by shared words.
func (p Proposal) Sources(before, after string, transcript []transcripts.Line) []memory.LineSource {
	shown := map[int64]bool{}
	for _, line := range transcript {
		shown[line.Seq] = true
	}
	written := map[string]bool{}
	for line := range strings.Lines(after) {
		written[strings.TrimRight(line, "\r\n")] = true
	}
	known := map[string]bool{}
	var out []memory.LineSource
	for _, e := range p.Evidence {
		named := slices.DeleteFunc(slices.Clone(e.Messages), func(seq int64) bool { return !shown[seq] })
		if written[e.Line] && len(named) > 0 && !known[e.Line] {
			known[e.Line] = true
			out = append(out, memory.LineSource{Line: e.Line, Messages: named})
		}
	}
	for _, e := range Attribute(before, after, transcript) {
		if !known[e.Line] {
			out = append(out, e)
		}
	}
	return out
}
