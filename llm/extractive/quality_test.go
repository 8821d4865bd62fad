package extractive

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"reverie/test/corpus"
)

var set = flag.String("set", developmentSet, "folder of the conversations that TestQuality judges")

var show = flag.String("show", "", "print the faults in conversations whose id begins with this")

// TestQuality prints what the engine keeps of the corpus and holds it to the floors.
func TestQuality(t *testing.T) {
	scores := map[string]*corpus.Score{}
	var all corpus.Score
	for _, talk := range loadSet(t, *set) {
		in, err := talk.Input()
		if err != nil {
			t.Fatal(err)
		}
		p := propose(in)
		kept := corpus.KeptOf(in, p)
		for _, l := range slices.Concat(kept.Daily, kept.Lasting) {
			if !corpus.IsFaithful(l, in) {
				t.Errorf("%s: not what was said: %s", talk.ID, l)
			}
		}
		verbose := *show != "" && strings.HasPrefix(talk.ID, *show)
		if verbose {
			fmt.Fprintf(os.Stderr, "\n=== %s %v\n", talk.ID, talk.Hard)
			for i, m := range talk.Messages {
				if m.Role == "user" {
					fmt.Fprintf(os.Stderr, "%3d %s\n", i+1, m.Text)
				}
			}
			fmt.Fprintf(os.Stderr, "--- profile\n%s\n--- memory\n%s\n--- daily\n%s\n", p.ProfileUpdate, p.MemoryUpdate, p.DailyEntry)
		}
		s := talk.Judge(kept, func(fault, text string) {
			if verbose {
				fmt.Fprintf(os.Stderr, "%s %s: %s\n", talk.ID, strings.ToUpper(fault), text)
			}
		})
		if scores[talk.Lang] == nil {
			scores[talk.Lang] = &corpus.Score{}
		}
		scores[talk.Lang].Add(s)
		all.Add(s)
	}
	langs := []string{}
	for l := range scores {
		langs = append(langs, l)
	}
	slices.Sort(langs)
	for _, l := range langs {
		t.Log(corpus.Row(l, *scores[l]))
	}
	t.Log(corpus.Row("all", all))
}
