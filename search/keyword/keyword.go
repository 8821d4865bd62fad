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
	// MinQuery and MaxKeywordQuery bound its query, in characters, spaces around it aside.
	MinQuery = 2
	MaxQuery = 64
	// MaxTerms is how many terms of it count; the first ones.
	MaxTerms = 6
	// MaxHitsPerFile is how many lines of one file are found; the best ones.
	MaxHitsPerFile = 5
)

// ErrQuery says that a query is too short or too long.
var ErrQuery = errors.New("the query must have 2 to 64 characters")

// Scope says in which files a keyword search looks, by how their names begin.
type Scope string

const (
	// All is every file.
	All Scope = "all"
	// Memory is MEMORY.md and what is below memory/.
	Memory Scope = "memory"
	// Profile is PROFILE.md.
	Profile Scope = "profile"
	// Persona is AGENTS.md.
	Persona Scope = "persona"
)

// Known reports whether s is one of the scopes.
func (s Scope) Known() bool {
	return s == All || s == Memory || s == Profile || s == Persona
}

// Has reports whether the file is looked at.
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

// File is a file that a keyword search looks at. Several may have one name; ID tells them apart for whoever asks, and may
// be empty.
type File struct{ Filename, Content, ID string }

// Hit is a line that was found.
type Hit struct {
	Filename   string  `json:"filename"`
	LineNumber int     `json:"lineNumber"` // from 1
	Snippet    string  `json:"snippet"`    // 80 characters on either side of the first match, with [[marked]] terms
	Score      float64 `json:"score"`      // distinct terms in the line × weight of the file
	ID         string  `json:"-"`          // of the file, as it was given
}

// Terms cuts a query into at most six distinct folded terms: at everything that is no letter or digit, and where
// Chinese characters meet other ones. More than two Chinese characters in a row become pairs, of which the last two may
// overlap. A query of signs only has no terms. It returns ErrKeywordQuery for one that is too short or too long.
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

// Hits finds lines of the files that contain all terms of KeywordTerms somewhere, in any case: the best lines
// first, then by file and line, at most limit.
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

// hitsIn are the best lines of one file, in their order of merit.
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

// keywordWeight is how much a file counts, in tenths: what was consolidated counts more than what was noted on a day.
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
