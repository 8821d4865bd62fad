package search

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/script"
)

// Limits of a keyword search.
const (
	// MinKeywordQuery and MaxKeywordQuery bound its query, in characters, spaces around it aside.
	MinKeywordQuery = 2
	MaxKeywordQuery = 64
	// MaxKeywordTerms is how many terms of it count; the first ones.
	MaxKeywordTerms = 6
	// MaxKeywordHitsPerFile is how many lines of one file are found; the best ones.
	MaxKeywordHitsPerFile = 5
)

// ErrKeywordQuery says that a query is too short or too long.
var ErrKeywordQuery = errors.New("the query must have 2 to 64 characters")

// KeywordScope says in which files a keyword search looks, by how their names begin.
type KeywordScope string

const (
	// KeywordAll is every file.
	KeywordAll KeywordScope = "all"
	// KeywordMemory is MEMORY.md and what is below memory/.
	KeywordMemory KeywordScope = "memory"
	// KeywordProfile is PROFILE.md.
	KeywordProfile KeywordScope = "profile"
	// KeywordPersona is AGENTS.md.
	KeywordPersona KeywordScope = "persona"
)

// Known reports whether s is one of the scopes.
func (s KeywordScope) Known() bool {
	return s == KeywordAll || s == KeywordMemory || s == KeywordProfile || s == KeywordPersona
}

// Has reports whether the file is looked at.
func (s KeywordScope) Has(filename string) bool {
	switch s {
	case KeywordAll:
		return true
	case KeywordMemory:
		return strings.HasPrefix(filename, "memory/") || strings.HasPrefix(filename, "MEMORY")
	case KeywordProfile:
		return strings.HasPrefix(filename, "PROFILE")
	case KeywordPersona:
		return strings.HasPrefix(filename, "AGENTS")
	}
	return false
}

// KeywordFile is a file that a keyword search looks at. Several may have one name; ID tells them apart for whoever asks, and may
// be empty.
type KeywordFile struct{ Filename, Content, ID string }

// KeywordHit is a line that was found.
type KeywordHit struct {
	Filename   string  `json:"filename"`
	LineNumber int     `json:"lineNumber"` // from 1
	Snippet    string  `json:"snippet"`    // 80 characters on either side of the first match, with [[marked]] terms
	Score      float64 `json:"score"`      // distinct terms in the line × weight of the file
	ID         string  `json:"-"`          // of the file, as it was given
}

// KeywordTerms cuts a query into at most six distinct folded terms: at everything that is no letter or digit, and where
// Chinese characters meet other ones. More than two Chinese characters in a row become pairs, of which the last two may
// overlap. A query of signs only has no terms. It returns ErrKeywordQuery for one that is too short or too long.
func KeywordTerms(query string) ([]string, error) {
	query = strings.TrimSpace(query)
	if n := utf8.RuneCountInString(query); n < MinKeywordQuery || n > MaxKeywordQuery {
		return nil, ErrKeywordQuery
	}
	var terms []string
	add := func(term []rune) {
		if found := string(term); len(terms) < MaxKeywordTerms && !slices.Contains(terms, found) {
			terms = append(terms, found)
		}
	}
	text := []rune(Fold(query))
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

// KeywordHits finds lines of the files that contain all terms of KeywordTerms somewhere, in any case: the best lines
// first, then by file and line, at most limit.
func KeywordHits(terms []string, files []KeywordFile, limit int) []KeywordHit {
	if len(terms) == 0 || limit <= 0 {
		return nil
	}
	var hits []KeywordHit
	for _, file := range files {
		hits = append(hits, hitsIn(file, terms)...)
	}
	slices.SortStableFunc(hits, compareHits)
	return hits[:min(limit, len(hits))]
}

func compareHits(a, b KeywordHit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.LineNumber, b.LineNumber))
}

// hitsIn are the best lines of one file, in their order of merit.
func hitsIn(file KeywordFile, terms []string) []KeywordHit {
	content := foldText(file.Content)
	for _, term := range terms {
		if !strings.Contains(content.text, term) {
			return nil
		}
	}
	type candidate struct{ number, start, end, distinct int }
	var lines []candidate
	number, start := 0, 0
	for line := range strings.SplitSeq(content.text, "\n") {
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
	var hits []KeywordHit
	for _, c := range lines[:min(MaxKeywordHitsPerFile, len(lines))] {
		hits = append(hits, KeywordHit{
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
