package providers

import (
	"math"
	"strings"
	"unicode/utf8"

	"reverie/recall"
	"reverie/scan"
	"reverie/search"
	"reverie/search/excerpt"
)

const (
	maxPassage = 2000 // characters of one passage; the rest is cut
	maxSource  = 100  // characters of a passage's source
	// unscored is the score of the first passage without one, and fading the factor from each to the next.
	unscored = .6
	fading   = .97
)

// hits returns the passages of an answer that may be shown: of bounded size, without secrets, and without orders to a model.
func hits(provider string, passages []Passage) (all []recall.Hit) {
	for i, p := range passages[:min(len(passages), MaxPassages)] {
		text := strings.TrimSpace(cut(strings.ToValidUTF8(p.Text, "\uFFFD"), maxPassage))
		scanned := scan.Scan(text)
		if text == "" || scanned.Verdict == scan.VerdictQuarantine {
			continue
		}
		snippet, _ := excerpt.Snippet(scanned.Text, nil, excerpt.DefaultSnippet)
		all = append(all, recall.Hit{
			Corpus: search.Corpus(provider), Path: pathOf(provider, p.Source), Text: scanned.Text, Snippet: snippet, Score: score(p.Score, i),
			At: p.At,
		})
	}
	return all
}

// score returns a passage's score within 0 and 1.
func score(given *float64, place int) float64 {
	if given == nil || math.IsNaN(*given) {
		return unscored * math.Pow(fading, float64(place))
	}
	return max(0, min(*given, 1))
}

// pathOf returns the text that replaces a path: the provider, and its own reference.
func pathOf(provider, source string) string {
	scanned := scan.Scan(strings.ToValidUTF8(source, "\uFFFD"))
	source = strings.Join(strings.Fields(scanned.Text), " ")
	if scanned.Verdict == scan.VerdictQuarantine || source == "" {
		return provider + ":"
	}
	return provider + ":" + cut(source, maxSource)
}

func cut(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}
