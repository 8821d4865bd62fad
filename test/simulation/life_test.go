package simulation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// life is what one owner says, notes, looks for and takes back, day by day; the same seed makes the same life. Names and things
// are made-up words that no other life has, so that whatever leaks or comes from nowhere is seen.
type life struct {
	name   string
	random *rand.Rand
	used   map[string]bool

	lasting   []fact // told again and again
	corrected fact   // told on two days, corrected, and still found by searches afterwards
	change    fact   // what takes its place
	list      []fact // twelve items, noted together
}

// fact is something that holds: as the person says it, and as a note has it.
type fact struct {
	said  string
	noted string
	word  string // in it, that nothing else has
	days  []int  // on which it is told, ascending; the first is day 0
}

// frames are ways to tell a lasting fact; %[1]s is the owner, %[2]s a word of its own. No two of them say something about the
// same thing.
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

// nights is how many nights the plan of a life reaches.
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

// chatter is something that is said once.
func (l *life) chatter() fact {
	all := []string{
		"The lift at %[2]s was out of order.", "Somebody from %[2]s called by mistake.",
		"A parcel for %[2]s was left at the door.",
	}
	said := all[l.random.IntN(len(all))]
	return fact{said: said, noted: said}.about(l.name, l.word())
}

// word is a made-up name that this life alone has: its end is that of its owner.
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

// factsOn are the facts that are told on a day.
func (l *life) factsOn(day int) []fact {
	var out []fact
	for _, f := range append(slices.Clone(l.lasting), l.corrected, l.change) {
		if slices.Contains(f.days, day) {
			out = append(out, f)
		}
	}
	return out
}

// facts are all that are told more than once, or correct another one.
func (l *life) facts() []fact {
	return append(append(slices.Clone(l.lasting), l.list...), l.corrected, l.change)
}

// wordIn is the word of this life that a text has; empty when it has none.
func (l *life) wordIn(text string) string {
	for word := range l.used {
		if strings.Contains(text, word) {
			return word
		}
	}
	return ""
}
