package simulation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// life is the messages, notes, searches and retractions of one owner, day by day; the same seed gives the same life.
// Names and things are invented words that no other life has, so that leaks are detected.
type life struct {
	name   string
	random *rand.Rand
	used   map[string]bool

	lasting   []fact // repeated
	corrected fact   // repeated twice, corrected, and still found by searches afterwards
	change    fact   // replaces corrected
	list      []fact // twelve items, noted together
}

// fact is a statement, in the wording of the person and of a note.
type fact struct {
	said  string
	noted string
	word  string // a unique word in it
	days  []int  // on which it is stated, ascending; the first is day 0
}

// frames are sentences for repeated facts; %[1]s is the owner, %[2]s a unique word. No two of them are about the same
// thing.
var frames = []fact{
	{said: "My dog is called %[2]s.", noted: "The dog of %[1]s is called %[2]s."},
	{said: "I play the %[2]s in a quartet.", noted: "%[1]s plays the %[2]s in a quartet."},
	{said: "The key of the cellar lies behind the %[2]s.", noted: "The key of the cellar lies behind the %[2]s."},
	{said: "Our heating is serviced by %[2]s.", noted: "The heating is serviced by %[2]s."},
	{said: "I write my thesis about %[2]s.", noted: "%[1]s writes a thesis about %[2]s."},
	{said: "My grandmother was born in %[2]s.", noted: "The grandmother of %[1]s was born in %[2]s."},
	{said: "The invoices go to %[2]s for approval.", noted: "Invoices go to %[2]s for approval."},
	{said: "We back the server up to %[2]s.", noted: "The server is backed up to %[2]s."},
	{said: "My bicycle was built by %[2]s.", noted: "The bicycle of %[1]s was built by %[2]s."},
	{said: "I sing in the choir of %[2]s.", noted: "%[1]s sings in the choir of %[2]s."},
}

// nights is the number of nights that a life covers.
const nights = 60

func newLife(name string, seed uint64) *life {
	l := &life{name: name, random: rand.New(rand.NewPCG(seed, xxhash.Sum64String(name))), used: map[string]bool{}}
	for i, f := range frames {
		told := f.about(name, l.word())
		for day := i * 5; day < nights && len(told.days) < 4; day += 1 + l.random.IntN(3) {
			told.days = append(told.days, day)
		}
		l.lasting = append(l.lasting, told)
	}
	old, next := l.word(), l.word()
	l.corrected = fact{said: "I live in " + old + ".", noted: name + " lives in " + old + ".", word: old, days: []int{10, 11}}
	l.change = fact{
		said:  "I no longer live in " + old + ", I live in " + next + " now.",
		noted: name + " no longer lives in " + old + ", but in " + next + ".",
		word:  next, days: []int{12},
	}
	for i := range 12 {
		thing := l.word()
		l.list = append(l.list, fact{
			said: "Pack the " + thing + ".", noted: fmt.Sprintf("Box %d holds the %s.", i+1, thing), word: thing,
			days: []int{20, 21, 22},
		})
	}
	return l
}

func (f fact) about(name, word string) fact {
	return fact{said: fill(f.said, name, word), noted: fill(f.noted, name, word), word: word}
}

func fill(frame, name, word string) string {
	return strings.NewReplacer("%[1]s", name, "%[2]s", word).Replace(frame)
}

// chatter returns a statement that is made once.
func (l *life) chatter() fact {
	all := []string{
		"The lift at %[2]s was out of order.", "Somebody from %[2]s called by mistake.",
		"A parcel for %[2]s was left at the door.",
	}
	said := all[l.random.IntN(len(all))]
	return fact{said: said, noted: said}.about(l.name, l.word())
}

// word returns an invented name that is unique to this life: it ends with its owner's name.
func (l *life) word() string {
	onsets, vowels := []string{"b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z"}, []string{"a", "e", "i", "o", "u"}
	for {
		var b strings.Builder
		for range 3 {
			b.WriteString(onsets[l.random.IntN(len(onsets))] + vowels[l.random.IntN(len(vowels))])
		}
		w := b.String() + strings.ToLower(l.name[:2])
		w = strings.ToUpper(w[:1]) + w[1:]
		if !l.used[w] {
			l.used[w] = true
			return w
		}
	}
}

// factsOn returns the facts that are stated on a day.
func (l *life) factsOn(day int) []fact {
	var out []fact
	for _, f := range append(slices.Clone(l.lasting), l.corrected, l.change) {
		if slices.Contains(f.days, day) {
			out = append(out, f)
		}
	}
	return out
}

// facts returns all facts that are repeated, or correct another one.
func (l *life) facts() []fact {
	return append(append(slices.Clone(l.lasting), l.list...), l.corrected, l.change)
}

// wordIn returns the word of this life in a text; empty if there is none.
func (l *life) wordIn(text string) string {
	for word := range l.used {
		if strings.Contains(text, word) {
			return word
		}
	}
	return ""
}
