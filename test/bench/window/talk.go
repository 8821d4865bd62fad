package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"reverie/test/deployment"
)

// owner is who talks.
const owner = "api:bench"

// The words of a conversation follow Zipf's law as those of natural texts do: a few come up all the time, most of them hardly ever.
// Every other word is one that a search leaves out.
const (
	vocabulary   = 8000
	zipfExponent = 1.07
	zipfShift    = 30 // the most frequent word that means something is about one in a hundred
)

var (
	syllables = strings.Fields("ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bar cen dil fom gur hal jen kir lom mun")
	between   = strings.Fields("the and of to in for that with on as at by from this or which it is was but")
)

// talk makes up a conversation. The same seed gives the same.
type talk struct {
	rng  *rand.Rand
	zipf *rand.Zipf
	n    int
}

func newTalk(seed uint64) *talk {
	rng := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // the same seed has to make the same texts
	return &talk{rng: rng, zipf: rand.NewZipf(rng, zipfExponent, zipfShift, vocabulary-1)}
}

// word is one of the vocabulary, by its rank.
func word(rank uint64) string {
	var b strings.Builder
	for n := rank + uint64(len(syllables)); n > 0; n /= uint64(len(syllables)) {
		b.WriteString(syllables[n%uint64(len(syllables))])
	}
	return b.String()
}

// sentence has so many words.
func (t *talk) sentence(words int) string {
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if i%2 == 0 {
			b.WriteString(between[t.rng.IntN(len(between))])
		} else {
			b.WriteString(word(t.zipf.Uint64()))
		}
	}
	return strings.ToUpper(b.String()[:1]) + b.String()[1:]
}

// question is what the user says next: a number makes it differ from all others.
func (t *talk) question() string {
	t.n++
	return fmt.Sprintf("Point %d: %s. %s?", t.n, t.sentence(10+t.rng.IntN(10)), t.sentence(8+t.rng.IntN(8)))
}

// answer is what the assistant says to it, some sentences long.
func (t *talk) answer() string {
	var b strings.Builder
	fmt.Fprintf(&b, "As to point %d: %s.", t.n, t.sentence(8+t.rng.IntN(10)))
	for range 6 + t.rng.IntN(12) {
		b.WriteString(" " + t.sentence(8+t.rng.IntN(12)) + ".")
	}
	return b.String()
}

// turn is a question with its answer.
func (t *talk) turn() []deployment.Message {
	question := t.question()
	return []deployment.Message{
		{ID: fmt.Sprintf("q%d", t.n), Role: "user", Content: question},
		{ID: fmt.Sprintf("a%d", t.n), Role: "assistant", Content: t.answer()},
	}
}
