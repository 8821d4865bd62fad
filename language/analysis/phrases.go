package analysis

import "strings"

// quotes are pairs of characters around a phrase, as they are after folding.
var quotes = [][2]string{{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"„", "”"}, {"«", "»"}, {"»", "«"}, {"「", "」"}, {"『", "』"}, {"《", "》"}, {"`", "`"}}

// maxPhrases bounds the phrases of one question.
const maxPhrases = 16

// phrases are what the question has in quotes, and its identifiers.
func (s *scan) phrases() []Phrase {
	var found []Phrase
	add := func(text string, quoted bool) {
		text = strings.Join(strings.Fields(text), " ")
		if text == "" || len(found) == maxPhrases {
			return
		}
		for _, known := range found {
			if known.Text == text {
				return
			}
		}
		found = append(found, Phrase{Text: text, Quoted: quoted})
	}
	text := s.folded.Text
	for i := 0; i < len(text) && len(found) < maxPhrases; {
		end := i + 1
		for _, pair := range quotes {
			inner, ok := strings.CutPrefix(text[i:], pair[0])
			if !ok {
				continue
			}
			if to := strings.Index(inner[:min(len(inner), maxPhrase)], pair[1]); to >= 0 {
				if len(scanText(inner[:to]).words) > 0 {
					add(inner[:to], true)
				}
				end = i + len(pair[0]) + to + len(pair[1])
				break
			}
		}
		i = end
	}
	for i := range s.words {
		if w := &s.words[i]; w.kind == Identifier && w.of == 0 && w.end-w.start <= maxPhrase {
			add(w.folded, false)
		}
	}
	return found
}

// maxPhrase is the longest phrase, in bytes.
const maxPhrase = 200
