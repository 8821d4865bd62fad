package claim

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/analysis"
)

// MaxTags bounds the tags of one statement.
const MaxTags = 8

// maxTag bounds one tag, in characters; longer identifiers are none.
const maxTag = 32

// Tags are the concepts that a statement is about, as they are written in lower case, in their order, each once however it is
// inflected: names, identifiers and words that carry meaning. There are at most MaxTags. Numbers, dates, function words and
// words that are in statements about anything are none.
func Tags(text string) []string {
	var (
		out   []string
		known = map[string]bool{}
	)
	for _, c := range Concepts(text) {
		if known[c.Key] {
			continue
		}
		known[c.Key] = true
		if out = append(out, c.Word); len(out) == MaxTags {
			break
		}
	}
	return out
}

// Concept is a word that a statement is about: as it is shown, and the key under which its inflections are one.
type Concept struct{ Word, Key string }

// Concepts finds the concepts of a text, in order.
func Concepts(text string) []Concept {
	out := hanConcepts(text)
	within := 0
	for _, t := range analysed(text) {
		folded := t.Forms[0]
		if t.Kind == analysis.Ideographs || t.Start < within {
			continue
		}
		if t.Kind == analysis.Identifier && isWhole(t) {
			within = t.End
			if first, _ := utf8.DecodeRuneInString(folded); unicode.IsLetter(first) && utf8.RuneCountInString(folded) <= maxTag { // 9:30 and 3rd are none
				out = append(out, Concept{folded, t.Forms[len(t.Forms)-1]})
			}
			continue
		}
		if t.Kind != analysis.Word || t.Stop || isGeneric(folded) || !isLongEnough(t) {
			continue
		}
		key := inflectionKey(t)
		if same, ok := synonyms[folded]; ok {
			key = same
		}
		if !isGeneric(strings.TrimPrefix(key, englishMark)) {
			out = append(out, Concept{folded, key})
		}
	}
	return out
}

// isLongEnough reports whether a word can be a concept: three characters, two when it is a name such as "Go" or "UK".
func isLongEnough(t analysis.Token) bool {
	n := utf8.RuneCountInString(t.Forms[0])
	return n >= 3 && n <= maxTag || n == 2 && startsUpper(t.Text)
}

// isGeneric reports whether a word is in statements about anything.
func isGeneric(word string) bool {
	return genericWords[word] || fillers[word] || leads[word] || numberWords[word] != "" || turningWords[word] != 0
}

// genericWords are in statements about anything. Words for likes, verbs of everyday and times are among them: what somebody likes
// or does is what a statement is about, not that they do.
var genericWords = wordSet(`assistant system subagent conversation message messages session chat answer answers question questions
	like likes =like dislike =dislike love enjoy prefer use uses used using work works need needs make makes get gets take takes go goes going
	want wants have has keep keeps put puts set sets give gives know knows think thinks feel feels say see look try start starts started begin
	happen happens become stay stays come comes call called name named move thing things something stuff way lot bit kind sort part case
	instead live lives living =live become near one once twice day days daily week weeks weekly month months monthly year years yearly today tomorrow yesterday tonight time times hour
	hours minute minutes morning afternoon evening night weekend weekday weekdays monday tuesday wednesday thursday friday saturday sunday
	mondays tuesdays wednesdays thursdays fridays saturdays sundays january february march april may june july august september october
	november december new old good bad great nice big small long short right wrong able sure own next last people person around about
	http https www com org net`)
