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
	// MaxTerms is the number of terms used; further ones are ignored.
	MaxTerms = 6
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
	Score      float64 `json:"score"`      // distinct terms in the line × weight of the file
	ID         string  `json:"-"`          // ID of the file
}

// Terms splits a query into at most six distinct folded terms: at everything that is not a letter or digit, and where
// Chinese characters meet other ones. Runs of more than two Chinese characters become pairs, of which the last two may
// overlap. A query of signs only has no terms. Terms returns ErrQuery if the query is too short or too long.
func Terms(query string) ([]string, error) {
	query = strings.TrimSpace(query)
	if n := utf8.RuneCountInString(query); n < MinQuery || n > MaxQuery {
		return nil, ErrQuery
	}
	var terms []string
	add := func(term []rune) {
		if found := string(term); len(terms) < MaxTerms && !slices.Contains(terms, found) {
			terms = append(terms, found)
		}
	}
	text := []rune(fold.Text(query))
	for i := 0; i < len(text); {
		if !isKeywordLetter(text[i]) {
			i++
			continue
		}
		han := script.IsHan(text[i])
		end := i + 1
		for end < len(text) && isKeywordLetter(text[end]) && script.IsHan(text[end]) == han {
			end++
		}
		switch run := text[i:end]; {
		case !han || len(run) <= 2:
			add(run)
		default:
			for ; len(run) > 1; run = run[2:] {
				add(run[:2])
			}
			if len(run) == 1 {
				add(text[end-2 : end])
			}
		}
		i = end
	}
	return terms, nil
}

func isKeywordLetter(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// Hits returns lines of the files that contain all terms of Terms, ignoring case: the best lines first, then by file
// and line, at most limit.
func Hits(terms []string, files []File, limit int) []Hit {
	if len(terms) == 0 || limit <= 0 {
		return nil
	}
	var hits []Hit
	for _, file := range files {
		hits = append(hits, hitsIn(file, terms)...)
	}
	slices.SortStableFunc(hits, compareHits)
	return hits[:min(limit, len(hits))]
}

func compareHits(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.LineNumber, b.LineNumber))
}

// hitsIn returns the best lines of one file, best first.
func hitsIn(file File, terms []string) []Hit {
	content := fold.Fold(file.Content)
	for _, term := range terms {
		if !strings.Contains(content.Text, term) {
			return nil
		}
	}
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

// keywordWeight returns the weight of a file in tenths: consolidated files weigh more than daily notes.
func keywordWeight(filename string) int {
	switch {
	case strings.HasPrefix(filename, "MEMORY"):
		return 10
	case strings.HasPrefix(filename, "memory/"):
		return 7
	case strings.HasPrefix(filename, "PROFILE"):
		return 5
	case strings.HasPrefix(filename, "AGENTS"):
		return 3
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

// keywordMarks returns the matches between the bytes from and to of the original, in order and without overlap; where
// terms overlap, the longest wins.
func keywordMarks(original string, content fold.Folded, start, end, from, to int, terms []string) [][2]int {
	longest := slices.Clone(terms)
	slices.SortStableFunc(longest, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	line := content.Text[start:end]
	var marks [][2]int
	for _, term := range longest {
		taken := len(marks)
		next := 0
		for at := 0; ; {
			i := strings.Index(line[at:], term)
			if i < 0 {
				break
			}
			matchStart, matchEnd := content.Origin(start+at+i, start+at+i+len(term))
			at += i + len(term)
			matchEnd += script.MarksAt(original[matchEnd:max(matchEnd, to)])
			if matchEnd > to {
				break
			}
			if matchStart < from {
				continue
			}
			// Both are in order, so each range taken by a longer term is passed once.
			for next < taken && marks[next][1] <= matchStart {
				next++
			}
			if (next == taken || matchEnd <= marks[next][0]) && (len(marks) == taken || marks[len(marks)-1][1] <= matchStart) {
				marks = append(marks, [2]int{matchStart, matchEnd})
			}
		}
		slices.SortFunc(marks, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
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
