package claim

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"reverie/language/lazyregexp"
	"reverie/language/sentence"
)

// Claimed holds the claims of statements, each as a key of subject, attribute and value, to find their other wordings: "Home: Munich" of
// "I live in Munich".
type Claimed map[string]bool

// With adds what a statement claims, and returns c. A sentence that is negated, doubted, planned, limited or past claims nothing; nor does a
// dependent one that names no subject, because it has that of the line or the heading above it.
func (c Claimed) With(text string, dependent bool) Claimed {
	keys, _ := claimed(text, dependent)
	for _, key := range keys {
		c[key] = true
	}
	return c
}

// AnyMadeBy reports whether a text makes one of the claims of c, whatever else it says.
func (c Claimed) AnyMadeBy(text string) bool {
	keys, _ := claimed(text, false)
	return slices.ContainsFunc(keys, func(key string) bool { return c[key] })
}

// MadeBy reports whether a text says nothing but claims of c.
func (c Claimed) MadeBy(text string, dependent bool) bool {
	if len(c) == 0 {
		return false
	}
	keys, only := claimed(text, dependent)
	return only && !slices.ContainsFunc(keys, func(key string) bool { return !c[key] })
}

var (
	// namesUser matches words that name the user as the subject.
	namesUser = lazyregexp.New(`(?i)\b(?:i|my|user|ich|mein\w*)\b|我|用户`)
	// attributeWords are words for attributes of people, which add nothing to a claim.
	attributeWords = sync.OnceValue(func() Content {
		all := Content{}
		for word := range strings.FieldsSeq(`name birthday age employer company job profession occupation role location city home residence diet
			status live lives living resides based located moved relocated works working work employed joined got became promoted born years year
			old turned aged called named goes ich bin ist habe wohne wohnt wohnen lebe lebt leben arbeite arbeitet heiße heißt jahre alt nutzer
			yo en à au vivo vive vivimos resido trabajo trabaja llamo llama tengo tiene años je habite habitons vis vit loge travaille appelle ans
			我住在 住在 居住在`) {
			maps.Copy(all, ContentOf(word)) // a list of words of two languages would be read as one of them
		}
		return all
	})
)

// claimed returns the claims of a statement, and whether it says nothing else. An answer that needs its question claims nothing.
func claimed(text string, dependent bool) (keys []string, only bool) {
	text = strings.TrimSpace(Comment.ReplaceAllString(text, " "))
	q, quoted := QuoteOf(text)
	if !quoted {
		q = Quote{Words: text}
	}
	if q.Question != "" {
		return nil, false
	}
	only = true
	for _, said := range sentence.Split(q.Words) {
		said = Quote{Speaker: q.Speaker, Words: sentence.WithoutRequest(said)}.Plain()
		slots, rest := slotsOf(said)
		turned, unnamed := WordsOf(said).Turns != 0, dependent && !namesUser.MatchString(said)
		slots = slices.DeleteFunc(slots, func(s slot) bool { return turned || unnamed && strings.HasPrefix(s.key, "\x00") })
		for _, s := range slots {
			rest = strings.ReplaceAll(rest, s.value, " ")
		}
		others := ContentOf(plainWords(rest)).without(stateWords).without(attributeWords())
		for _, s := range slots {
			subject, attribute := s.about()
			others = others.without(ContentOf(attribute))
			for stem := range strings.FieldsSeq(subject) {
				delete(others, stem)
			}
			value := make([]string, 0, len(s.words))
			for stem := range s.words {
				value = append(value, stem)
			}
			keys = append(keys, subjectOf(subject)+"\x00"+attribute+"\x00"+subjectOf(strings.Join(value, " ")))
		}
		only = only && len(slots) > 0 && len(others) == 0
	}
	return keys, only && len(keys) > 0
}
