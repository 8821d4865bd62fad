package index

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/language/analysis"
	"reverie/search"
	"reverie/search/chunk"
)

// TestPiecesKeepTheirTerms checks that pieces analysed together have the same terms as each alone.
func TestPiecesKeepTheirTerms(t *testing.T) {
	pieces := []chunk.Piece{
		{Seq: 1, Text: "The houses of the cities were painted by the children of the city.", Context: "memory Houses"},
		{Seq: 2, Text: "Die Kinder haben die Häuser der Städte gesehen, und wir haben sie gemalt.", Context: "memory Houses"},
		{Seq: 3, Text: "houses Kinder", Context: "Städte"},
	}
	var apart []Entry
	for _, p := range pieces {
		apart = append(apart, Entries(1, 0, []chunk.Piece{p})...)
	}
	if diff := cmp.Diff(apart, Entries(1, 0, pieces)); diff != "" {
		t.Errorf("entries (-apart +together):\n%s", diff)
	}
}

func TestEntries(t *testing.T) {
	pieces := []chunk.Piece{
		{Seq: 1, Text: "Paintings of a painting", Context: "Anna", FromLine: 2, ToLine: 3, Start: 10, End: 33, At: 7},
		{Seq: 2, Part: 1, Section: 4, Text: "!!!"},
		{Seq: 3, Text: " \n"},
		{Seq: 4, Text: "db_port 北京"},
	}
	got := Entries(9, 5, pieces)
	want := []Unit{
		{Group: 9, Seq: 1, Length: 4, At: 7, FromLine: 2, ToLine: 3, Start: 10, End: 33},
		{Group: 9, Seq: 2, Part: 1, Section: 4, At: 5},
		{Group: 9, Seq: 4, Length: 4, At: 5},
	}
	var units []Unit
	for _, e := range got {
		units = append(units, e.Unit)
	}
	if diff := cmp.Diff(want, units); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff(map[TermID]int{
		Body.ID("paintings"): 1, Body.ID("painting"): 1, Body.ID("en~paint"): 2, Body.ID("of"): 1, Body.ID("a"): 1,
		Context.ID("anna"): 1, Context.ID("en~anna"): 1,
	}, got[0].Terms); diff != "" {
		t.Error(diff)
	}
	if len(got[1].Terms) != 0 {
		t.Errorf("terms of signs: %v", got[1].Terms)
	}
	if got[2].Terms[Body.ID("db_port")] != 1 || got[2].Terms[Body.ID("北京")] != 1 || got[2].Terms[Body.ID("port")] != 1 {
		t.Errorf("terms: %v", got[2].Terms)
	}
}

func TestFieldID(t *testing.T) {
	if Body.ID("word") == Context.ID("word") || Body.ID("word") == Body.ID("words") {
		t.Error("different terms have one id")
	}
	// The hash is part of every index: a change invalidates them all.
	if got, want := fmt.Sprintf("%x", uint64(Body.ID("word"))), "20c9cb42a1b80ed2"; got != want {
		t.Errorf("id %s, want %s", got, want)
	}
}

// TestSpeakersBySound checks that a speaker is found by a name that nobody wrote and that sounds alike, and only then.
func TestSpeakersBySound(t *testing.T) {
	for name, c := range map[string]struct {
		texts []string
		found bool
	}{
		"nobody wrote it":  {[]string{"I was ill"}, true},
		"somebody else is": {[]string{"I was ill", "Muhammad was ill too"}, false},
	} {
		var messages []chunk.Piece
		for i, text := range c.texts {
			messages = append(messages, chunk.Turn(chunk.Message{Seq: int64(i + 1), Speaker: "Muhhamed Khan", Text: text}, chunk.DefaultOptions())...)
		}
		q := analysis.NewQuery("When was Muhammad ill?", time.Time{})
		g := Gather(q)
		if err := g.AddPacked(1, NewSegment(Entries(1, 0, messages)).Pack()); err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(q.Terms, func(t analysis.QueryTerm) bool { return t.Text == "Muhammad" })
		if got := len(g.Collection(search.Sessions, q, nil).Context[at]) > 0; got != c.found {
			t.Errorf("%s: found is %v", name, got)
		}
	}
}
