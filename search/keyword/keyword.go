// Package keyword finds the lines of files that contain all words of a query.
package keyword

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/fold"
	"reverie/language/script"
)

// Limits of a keyword search.
const (
	// MinQuery and MaxQuery bound a query, in characters without surrounding spaces.
	MinQuery = 2
	MaxQuery = 64
	// MaxWords is the number of words used; further ones are ignored.
	MaxWords = 6
	// MaxHitsPerFile is the maximum number of lines found per file; the best ones are kept.
	MaxHitsPerFile = 5
)

// ErrQuery reports that a query is too short or too long.
var ErrQuery = errors.New("the query must have 2 to 64 characters")

// Scope selects the files of a keyword search by the beginning of their names.
type Scope string

const (
	// All selects every file.
	All Scope = "all"
	// Memory selects MEMORY.md and the files below memory/.
	Memory Scope = "memory"
	// Profile selects PROFILE.md.
	Profile Scope = "profile"
	// Persona selects AGENTS.md.
	Persona Scope = "persona"
)

// Known reports whether s is one of the scopes.
func (s Scope) Known() bool {
	return s == All || s == Memory || s == Profile || s == Persona
}

// Has reports whether the scope includes the file.
func (s Scope) Has(filename string) bool {
	switch s {
	case All:
		return true
	case Memory:
		return strings.HasPrefix(filename, "memory/") || strings.HasPrefix(filename, "MEMORY")
	case Profile:
		return strings.HasPrefix(filename, "PROFILE")
	case Persona:
		return strings.HasPrefix(filename, "AGENTS")
	}
	return false
}

// File is a file to search. Names need not be unique; ID distinguishes files for the caller and may be empty.
type File struct{ Filename, Content, ID string }

// Hit is a matching line.
type Hit struct {
	Filename   string  `json:"filename"`
	LineNumber int     `json:"lineNumber"` // 1-based
	Snippet    string  `json:"snippet"`    // 80 characters on either side of the first match, with [[marked]] terms
	Score      float64 `json:"score"`      // distinct words, or pairs of them, in the line × weight of the file
	ID         string  `json:"-"`          // ID of the file
}

// Word is a word of a query: its folded text, or the overlapping pairs of a longer run in a script whose words cannot be distinguished
// by spaces alone (Chinese, Japanese, Korean). A file has the word if it contains one of them.
type Word []string

// Words splits a query into at most six distinct words: at everything that is not a letter or digit, and where scripts with and
// without spaces meet. A query of signs only has no words. Words returns ErrQuery if the query is too short or too long.
func Words(query string) ([]Word, error) {
	query = strings.TrimSpace(query)
	if n := utf8.RuneCountInString(query); n < MinQuery || n > MaxQuery {
		return nil, ErrQuery
	}
	var words []Word
	text := []rune(fold.Text(query))
	for i := 0; i < len(text) && len(words) < MaxWords; {
		if !isKeywordLetter(text[i]) {
			i++
			continue
		}
		kind := kindOf(text[i])
		end := i + 1
		for end < len(text) && isKeywordLetter(text[end]) && (kindOf(text[end]) == kind || unicode.IsMark(text[end])) {
			end++
		}
		word := Word{string(text[i:end])}
		if kind != spaced && end-i > 2 {
			word = pairs(text[i:end])
		}
		if !slices.ContainsFunc(words, func(w Word) bool { return slices.Equal(w, word) }) {
			words = append(words, word)
		}
		i = end
	}
	return words, nil
}

// pairs returns the distinct overlapping pairs of a run.
func pairs(run []rune) Word {
	var word Word
	for i := range len(run) - 1 {
		if pair := string(run[i : i+2]); !slices.Contains(word, pair) {
			word = append(word, pair)
		}
	}
	return word
}

// kind is a group of scripts in which a run of letters is cut alike.
type kind uint8

const (
	spaced  kind = iota // runs are words
	chinese             // Han and kana: there are no spaces
	korean              // particles are attached to words
)

func kindOf(r rune) kind {
	switch {
	case script.IsHanOrKana(r):
		return chinese
	case script.IsHangul(r):
		return korean
	}
	return spaced
}

func isKeywordLetter(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// Hits returns lines of the files that contain all words, ignoring case: the best lines first, then by file and line, at most limit.
func Hits(words []Word, files []File, limit int) []Hit {
	if len(words) == 0 || limit <= 0 {
		return nil
	}
	var hits []Hit
	for _, file := range files {
		hits = append(hits, hitsIn(file, words)...)
	}
	slices.SortStableFunc(hits, compareHits)
	return hits[:min(limit, len(hits))]
}

func compareHits(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.LineNumber, b.LineNumber))
}

// hitsIn returns the best lines of one file, best first.
func hitsIn(file File, words []Word) []Hit {
	content := fold.Fold(file.Content)
	isFound := func(term string) bool { return strings.Contains(content.Text, term) }
	for _, word := range words {
		if !slices.ContainsFunc(word, isFound) {
			return nil
		}
	}
	terms := distinct(words)
	type candidate struct{ number, start, end, distinct int }
	var lines []candidate
	number, start := 0, 0
	for line := range strings.SplitSeq(content.Text, "\n") {
		number++
		c := candidate{number: number, start: start, end: start + len(line)}
		for _, term := range terms {
			if strings.Contains(line, term) {
				c.distinct++
			}
		}
		if c.distinct > 0 {
			lines = append(lines, c)
		}
		start = c.end + 1
	}
	slices.SortStableFunc(lines, func(a, b candidate) int { return cmp.Compare(b.distinct, a.distinct) })
	weight := keywordWeight(file.Filename)
	var hits []Hit
	for _, c := range lines[:min(MaxHitsPerFile, len(lines))] {
		hits = append(hits, Hit{
			Filename: file.Filename, LineNumber: c.number, Score: float64(c.distinct*weight) / 10, ID: file.ID,
			Snippet: keywordSnippet(file.Content, content, c.start, c.end, terms),
		})
	}
	return hits
}

// distinct returns the terms of all words without repetitions.
func distinct(words []Word) []string {
	var terms []string
	for _, word := range words {
		for _, term := range word {
			if !slices.Contains(terms, term) {
				terms = append(terms, term)
			}
		}
	}
	return terms
}

// keywordWeight returns the weight of a file in tenths: files of standing knowledge weigh more than daily notes.
func keywordWeight(filename string) int {
	switch {
	case strings.HasPrefix(filename, "MEMORY"):
		return 10
	case strings.HasPrefix(filename, "PROFILE"):
		return 9
	case strings.HasPrefix(filename, "AGENTS"):
		return 8
	case strings.HasPrefix(filename, "memory/"):
		return 7
	}
	return 2
}

// keywordContext is the number of characters of the line shown on either side of the first match.
const keywordContext = 80

// keywordSnippet returns the text around the first match in the line content.text[start:end], with the terms marked. A
// match covers whole characters of the original: "ﬁ" is marked for "f".
func keywordSnippet(original string, content fold.Folded, start, end int, terms []string) string {
	lineStart, lineEnd := content.Origin(start, end)
	first, last := -1, -1
	for _, term := range terms {
		if at := strings.Index(content.Text[start:end], term); at >= 0 && (first < 0 || start+at < first) {
			first, last = start+at, start+at+len(term)
		}
	}
	matchStart, matchEnd := content.Origin(first, last)
	from := back(original[lineStart:matchStart], keywordContext) + lineStart
	to := forward(original[matchEnd:lineEnd], keywordContext) + matchEnd
	line := original[lineStart:lineEnd]
	if rest := strings.TrimLeftFunc(line, unicode.IsSpace); from <= lineEnd-len(rest) {
		from = lineEnd - len(rest)
		lineStart = from
	}
	if rest := strings.TrimRightFunc(line, unicode.IsSpace); to >= lineEnd-len(line)+len(rest) {
		to = lineEnd - len(line) + len(rest)
		lineEnd = to
	}

	var snippet strings.Builder
	if from > lineStart {
		snippet.WriteString("...")
	}
	at := from
	for _, mark := range keywordMarks(original, content, start, end, from, to, terms) {
		snippet.WriteString(original[at:mark[0]])
		snippet.WriteString("[[")
		snippet.WriteString(original[mark[0]:mark[1]])
		snippet.WriteString("]]")
		at = mark[1]
	}
	snippet.WriteString(original[at:to])
	if to < lineEnd {
		snippet.WriteString("...")
	}
	return snippet.String()
}

// keywordMarks returns the matches between the bytes from and to of the original, in order. Those that overlap are joined.
func keywordMarks(original string, content fold.Folded, start, end, from, to int, terms []string) [][2]int {
	line := content.Text[start:end]
	var matches [][2]int
	for _, term := range terms {
		for at := 0; ; {
			i := strings.Index(line[at:], term)
			if i < 0 {
				break
			}
			matchStart, matchEnd := content.Origin(start+at+i, start+at+i+len(term))
			at += i + len(term)
			matchEnd += script.MarksAt(original[matchEnd:max(matchEnd, to)])
			if matchStart >= from && matchEnd <= to {
				matches = append(matches, [2]int{matchStart, matchEnd})
			}
		}
	}
	slices.SortFunc(matches, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	var marks [][2]int
	for _, match := range matches {
		if last := len(marks) - 1; last >= 0 && match[0] < marks[last][1] {
			marks[last][1] = max(marks[last][1], match[1])
		} else {
			marks = append(marks, match)
		}
	}
	return marks
}

// forward returns the offset after the first n characters of text.
func forward(text string, n int) int {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at + script.MarksAt(text[at:])
}

// back returns the offset before the last n characters of text.
func back(text string, n int) int {
	at := len(text)
	step := func() (rune, int) { return utf8.DecodeLastRuneInString(text[:at]) }
	for ; n > 0 && at > 0; n-- {
		_, size := step()
		at -= size
	}
	for range script.MaxMarks {
		r, _ := utf8.DecodeRuneInString(text[at:])
		if at == 0 || !script.IsAttached(r) {
			break
		}
		_, size := step()
		at -= size
	}
	return at
}
