package rank

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/language/analysis"
	"reverie/search"
	"reverie/search/chunk"
	"reverie/search/index"
)

// question returns an analysed question and an indexed collection of texts, one unit and one session each.
func question(corpus search.Corpus, asked string, texts ...string) (analysis.Query, *index.Collection, func(int) Text) {
	q := analysis.NewQuery(asked, time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	var entries []index.Entry
	for i, text := range texts {
		entries = append(entries, index.Entries(int64(i+1), 0, []chunk.Piece{{Seq: 1, Text: text, End: len(text)}})...)
	}
	return q, collectEntries(corpus, q, entries), func(unit int) Text { return Text{texts[unit], "Ada"} }
}

func TestRefineVerbatim(t *testing.T) {
	for name, c := range map[string]struct {
		question string
		text     string
		exact    bool
	}{
		"identifier":                       {"what is db_port", "Set DB_PORT to 5432.", true},
		"identifier in a longer one":       {"what is db_port", "Set db_port_old to 5432.", false},
		"its parts":                        {"what is db_port", "The port of the db is 5432.", false},
		"quoted":                           {`who said "the sea is calm"`, "And then: The sea  is\ncalm tonight.", true},
		"quoted, other order":              {`who said "the sea is calm"`, "Calm is the sea.", false},
		"quoted, within a word":            {`where is "art"`, "We start with a party.", false},
		"quoted, within one and by itself": {`where is "art"`, "We start with art.", true},
		"address":                          {"mail of ada@example.com", "Write to ada@example.com, please.", true},
		"Chinese":                          {"「数据库端口」是多少", "默认的数据库端口是5432。", true},
		"no phrase":                        {"what is the port", "The port is 5432.", false},
	} {
		t.Run(name, func(t *testing.T) {
			q, collection, text := question(search.Memory, c.question, c.text, "Something else altogether.")
			refined := Refine(q, collection, Rank(q, collection, DefaultOptions()), text, DefaultOptions())
			got := byUnit(refined)[0]
			if got.Exact != c.exact {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestRefineAsking(t *testing.T) {
	for text, share := range map[string]float64{
		"Do you have a boat?":                      1,
		"I have a boat. Do you?":                   2. / 6,
		"I have a boat! Really? Yes.":              1. / 6,
		"See https://example.com/boat?id=1 for it": 0,
		"你有船吗？有。":                                  7. / 8, // four characters and their three pairs
		"A boat":                                   0,
	} {
		if got := asked(text, analysis.Analyse(text)); math.Abs(got-share) > 1e-9 {
			t.Errorf("%q asks to %g, want %g", text, got, share)
		}
	}

	q, c, text := question(search.Sessions, "boat", "Do you have a boat?", "Yes, I have a boat", "No")
	o := only()
	o.Asking = .5
	refined := Refine(q, c, Rank(q, c, o), text, o)
	if diff := cmp.Diff([]int{1, 0}, places(refined)); diff != "" {
		t.Error(diff)
	}
	if got := byUnit(refined)[0]; got.Asking != -.5*got.Body {
		t.Errorf("%+v", got)
	}
	c.Corpus = search.Memory // a document may ask what it answers
	if got := byUnit(Refine(q, c, Rank(q, c, o), text, o))[0]; got.Asking != 0 {
		t.Errorf("in a document %+v", got)
	}
	c.Corpus, c.Units[0].Group = search.Sessions, c.Units[1].Group
	if got := byUnit(Refine(q, c, Rank(q, c, o), func(unit int) Text { return Text{text(unit).Content, ""} }, o))[0]; got.Asking != 0 {
		t.Errorf("of nobody with a name %+v", got)
	}
	c.Units[1].Section = int(chunk.Assistant) // a message to an assistant says what it asks about
	for name, at := range map[string]int64{"a moment later": 1, "the day after": 1 + 24*60*60} {
		c.Units[0].At, c.Units[1].At, o.Pause = 1, at, time.Hour
		if got := byUnit(Refine(q, c, Rank(q, c, o), text, o))[0]; got.Asking != 0 {
			t.Errorf("to an assistant who answers %s: %+v", name, got)
		}
	}
}

// TestRefineAnswer checks that the turn after one that asks the question gains score, in the same session only.
func TestRefineAnswer(t *testing.T) {
	texts := []string{"Which instrument did you play?", "The clarinet.", "I like that instrument.", "Good for you."}
	var entries []index.Entry
	for i, text := range texts {
		entries = append(entries, index.Entries(int64(1+i/2), 0, []chunk.Piece{{Seq: int64(i%2 + 1), Text: text, End: len(text)}})...)
	}
	q := analysis.NewQuery("What instrument was it?", time.Time{})
	c := collectEntries(search.Sessions, q, entries)
	o := DefaultOptions()
	parts := byUnit(Refine(q, c, Rank(q, c, o), func(unit int) Text { return Text{texts[unit], "Ada"} }, o))
	if got, want := parts[1].Answer, o.Answer*parts[0].Body; got != want || got == 0 {
		t.Errorf("the answer is given %g, want %g", got, want)
	}
	if parts[2].Answer != 0 || parts[3].Answer != 0 {
		t.Errorf("%g after the end of a session, %g after what is not asked", parts[2].Answer, parts[3].Answer)
	}
}

func TestRefineDepth(t *testing.T) {
	q, c, _ := question(search.Memory, `"red boat"`, "red boat", "red boat", "red boat", "water")
	o := DefaultOptions()
	o.RefineDepth = 2
	hits := Rank(q, c, o)
	kept := slices.Clone(hits)
	var read []int
	refined := Refine(q, c, hits, func(unit int) Text {
		read = append(read, unit)
		if unit == 0 {
			return Text{} // deleted after the search
		}
		return Text{Content: "a red boat"}
	}, o)
	if diff := cmp.Diff([]int{0, 1}, read); diff != "" {
		t.Error(diff)
	}
	if parts := byUnit(refined); parts[0].Exact || !parts[1].Exact || parts[2].Exact {
		t.Errorf("%+v", parts)
	}
	if !slices.Equal(kept, hits) {
		t.Error("the given ranking was changed")
	}
}

func TestMatches(t *testing.T) {
	q := analysis.NewQuery("Which boats did Ada paint for db_port?", time.Time{})
	got := Matches(q, "Ada's boat, painted; a BOAT at the port. What did she do?")
	if diff := cmp.Diff([]string{"ada", "boat", "painted", "port"}, got); diff != "" {
		t.Error(diff)
	}
	if got := Matches(analysis.NewQuery("数据库", time.Time{}), "数据库端口"); len(got) == 0 {
		t.Error("no character of a Chinese question matches")
	}
}

// TestRefineFeedback checks that a turn with the words that most of the first hits share rises, in conversations only.
func TestRefineFeedback(t *testing.T) {
	texts := []string{
		"paint boat", "paint boat", "paint boat", "paint boat", "snow boat", "rain boat", "paint boat", "wind boat",
	}
	for alone, want := range map[bool][]int{false: {0, 1, 2, 3, 6, 4, 5, 7}, true: {0, 1, 2, 3, 4, 5, 6, 7}} {
		units := make([]index.Unit, len(texts))
		for i := range units {
			units[i] = index.Unit{Group: 1, Seq: int64(i + 1)}
			if alone {
				units[i] = index.Unit{Group: int64(i + 1), Seq: 1}
			}
		}
		q, c := collected(search.Sessions, units, texts, "boat")
		o := only()
		o.Feedback, o.RefineDepth = .5, 40
		refined := Refine(q, c, Rank(q, c, o), func(unit int) Text { return Text{texts[unit], "Ada"} }, o)
		if diff := cmp.Diff(want, places(refined)); diff != "" {
			t.Errorf("alone %t: %s", alone, diff)
		}
	}
}
