package rank

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/language/analysis"
	"reverie/language/date"
	"reverie/search"
	"reverie/search/chunk"
	"reverie/search/index"
)

// places returns the units of a ranking, best first.
func places(ranked []Ranked) []int {
	units := make([]int, len(ranked))
	for i, r := range ranked {
		units[i] = r.Unit
	}
	return units
}

// byUnit returns the parts of a ranking by unit.
func byUnit(ranked []Ranked) map[int]LexicalParts {
	parts := make(map[int]LexicalParts, len(ranked))
	for _, r := range ranked {
		parts[r.Unit] = r.Parts
	}
	return parts
}

// only returns options that leave nothing but BM25.
func only() Options {
	o := DefaultOptions()
	return Options{K1: o.K1, B: o.B, TurnB: o.TurnB, Depth: o.Depth, RefineDepth: o.RefineDepth}
}

func TestRankOfWordsAlone(t *testing.T) {
	texts := []string{"nothing here", "a red boat", "boat boat boat and a red sail", "a red house"}
	q, c := collected(search.Memory, nil, texts, "red boat")
	ranked := Rank(q, c, only())
	want := BM25(q, c, only())
	for _, r := range ranked {
		if diff := gocmp.Diff(want[r.Unit], r.Score, near); diff != "" {
			t.Errorf("unit %d: %s", r.Unit, diff)
		}
	}
	if diff := gocmp.Diff([]int{2, 1, 3}, places(ranked)); diff != "" {
		t.Error(diff)
	}
}

// TestRankFindsAnswers checks that an answer is found that does not repeat the words of the question before it.
func TestRankFindsAnswers(t *testing.T) {
	texts := []string{
		"ben: shall we eat now", "ada: which instrument do you play", "ben: the clarinet since school", "ada: lovely",
		"ben: rain again", "ada: yes",
	}
	q, c := collected(search.Sessions, nil, texts, "instrument play")
	parts := byUnit(Rank(q, c, DefaultOptions()))
	if parts[2].Body != 0 || parts[2].Neighbours <= parts[3].Neighbours || parts[3].Neighbours <= 0 {
		t.Errorf("the answer has %+v, the next turn %+v", parts[2], parts[3])
	}
	if _, found := parts[5]; found {
		t.Error("a turn beyond the neighbourhood was found")
	}
	if onward, backward := parts[2].Neighbours, parts[0].Neighbours; onward <= backward {
		t.Errorf("the turn after the question has %g, the one before it %g", onward, backward)
	}
}

// TestRankNeighboursDoNotAddUp checks that a word repeated by neighbours counts once for the unit between them.
func TestRankNeighboursDoNotAddUp(t *testing.T) {
	o := DefaultOptions()
	texts := []string{"boat", "x", "y", "z", "x"}
	q, c := collected(search.Sessions, nil, texts, "boat")
	once := byUnit(Rank(q, c, o))[1]
	c.Body[0] = append(c.Body[0], index.Posting{Unit: 2, TF: 1}, index.Posting{Unit: 3, TF: 1}, index.Posting{Unit: 4, TF: 1})
	idfs := idf(5, 4) / idf(5, 1)
	if twice := byUnit(Rank(q, c, o))[1]; math.Abs(twice.Neighbours-once.Neighbours*idfs) > 1e-9 {
		t.Errorf("%g from one neighbour, %g from four", once.Neighbours*idfs, twice.Neighbours)
	}
}

func TestRankStaysInTheSession(t *testing.T) {
	texts := []string{"which instrument do you play", "the clarinet"}
	hour := int64(time.Hour / time.Second)
	for name, c := range map[string]struct {
		corpus search.Corpus
		second index.Unit
		found  bool
	}{
		"at once":              {search.Sessions, index.Unit{Group: 1, Seq: 2, At: 1000 + hour}, true},
		"the next day":         {search.Sessions, index.Unit{Group: 1, Seq: 2, At: 1000 + 24*hour}, false},
		"time not known":       {search.Sessions, index.Unit{Group: 1, Seq: 2}, true},
		"another conversation": {search.Sessions, index.Unit{Group: 2, Seq: 1, At: 1000}, false},
		"next entry of a note": {search.Memory, index.Unit{Group: 1, Seq: 2, At: 1000 + 24*hour}, true},
		"another document":     {search.Memory, index.Unit{Group: 2, Seq: 1, At: 1000}, false},
	} {
		t.Run(name, func(t *testing.T) {
			q, collection := collected(c.corpus, []index.Unit{{Group: 1, Seq: 1, At: 1000}, c.second}, texts, "instrument")
			if _, found := byUnit(Rank(q, collection, DefaultOptions()))[1]; found != c.found {
				t.Errorf("found is %v", found)
			}
		})
	}
}

func TestRankSpeaker(t *testing.T) {
	texts := []string{"ada: my boat is red", "ben: my boat is red", "ben: ada has a boat", "ben: well", "eve: well"}
	q, c := collected(search.Sessions, nil, texts, "ada boat")
	o := only()
	o.Speaker, o.SpeakerInBody = 1, .2
	ranked := Rank(q, c, o)
	if diff := gocmp.Diff([]int{0, 2, 1}, places(ranked)); diff != "" {
		t.Error(diff)
	}
	if got, want := ranked[0].Parts.Speaker, 1+idf(5, 1); got != want {
		t.Errorf("to be the speaker adds %g, want %g", got, want)
	}

	// In a document the same word is its path or heading.
	q, c = collected(search.Memory, nil, texts, "ada boat")
	o.ContextWeight = 1
	if parts := byUnit(Rank(q, c, o)); parts[0].Speaker != 0 || parts[0].Body <= parts[1].Body {
		t.Errorf("%+v below the heading, %+v elsewhere", parts[0], parts[1])
	}
}

// TestRankEnclosing checks that of two sessions with the same turn, the one that is about the question as a whole
// scores higher.
func TestRankEnclosing(t *testing.T) {
	units := []index.Unit{
		{Group: 1, Seq: 1},
		{Group: 1, Seq: 2},
		{Group: 1, Seq: 3},
		{Group: 2, Seq: 1},
		{Group: 2, Seq: 2},
		{Group: 2, Seq: 3},
		{Group: 3, Seq: 1},
	}
	texts := []string{"red boat", "x y", "y z", "red boat", "new boat", "a boat", "z z"}
	q, c := collected(search.Sessions, units, texts, "boat")
	o := only()
	o.Enclosing = 1
	ranked := Rank(q, c, o)
	if parts := byUnit(ranked); parts[3].Body != parts[0].Body || parts[3].Enclosing <= parts[0].Enclosing || parts[0].Enclosing <= 0 {
		t.Errorf("%+v among boats, %+v elsewhere", parts[3], parts[0])
	}
}

// TestRankEnclosingAlone checks that a message that is all of its conversation is not evidence for itself.
func TestRankEnclosingAlone(t *testing.T) {
	units := []index.Unit{{Group: 1, Seq: 1}, {Group: 2, Seq: 1}, {Group: 2, Seq: 2}, {Group: 3, Seq: 1}}
	q, c := collected(search.Sessions, units, []string{"red boat", "red boat", "rain", "snow"}, "boat")
	o := only()
	o.Enclosing = 1
	if parts := byUnit(Rank(q, c, o)); parts[0].Enclosing != 0 || parts[1].Enclosing <= 0 {
		t.Errorf("%g alone, %g with another", parts[0].Enclosing, parts[1].Enclosing)
	}
	if parts := byUnit(Rank(q, &index.Collection{Corpus: search.Memory, Units: units, Body: c.Body, Context: c.Context}, o)); parts[0].Enclosing <= 0 {
		t.Error("a document of one chunk does not match as a whole")
	}
}

// TestRankPeriodInPassing checks that a long question counts only the periods of the sentences that ask.
func TestRankPeriodInPassing(t *testing.T) {
	day := time.Date(2023, 5, 8, 0, 0, 0, 0, time.UTC)
	units := []index.Unit{{Group: 1, Seq: 1, At: day.Unix()}}
	long := "Today the sun shines and birds sing while neighbours wash cars, mow lawns, paint fences, water roses, grill " +
		"sausages, chase dogs, fly kites. "
	for question, want := range map[string]float64{
		"Today I saw a boat. Which one?":            4,
		long + "Which boat was it?":                 0,
		long + "Which boat did I see today?":        4,
		long + "I want to know about the red boat.": 4, // nothing is asked
	} {
		q, c := collected(search.Sessions, units, []string{"red boat"}, question)
		q.Periods = []date.Period{{Text: "today", From: day, To: day.AddDate(0, 0, 1)}}
		if strings.HasPrefix(question, "Today") && !strings.HasSuffix(question, "today?") {
			q.Periods[0].Text = "Today"
		}
		o := only()
		o.Period = 4
		if got := byUnit(Rank(q, c, o))[0].Period; got != want {
			t.Errorf("%q: %g, want %g", question, got, want)
		}
	}
}

func TestRankFirstOfEachSession(t *testing.T) {
	units := []index.Unit{{Group: 1, Seq: 1}, {Group: 1, Seq: 2}, {Group: 1, Seq: 3}, {Group: 2, Seq: 1}, {Group: 3, Seq: 1}}
	texts := []string{"boat red", "boat red", "boat red", "boat red and another very long story about something else", "other words"}
	q, c := collected(search.Sessions, units, texts, "boat")
	o := only()
	if diff := gocmp.Diff([]int{0, 1, 2, 3}, places(Rank(q, c, o))); diff != "" {
		t.Error(diff)
	}
	o.First = 1
	if diff := gocmp.Diff([]int{0, 3, 1, 2}, places(Rank(q, c, o))); diff != "" {
		t.Error(diff)
	}
	c.Corpus = search.Memory
	if diff := gocmp.Diff([]int{0, 1, 2, 3}, places(Rank(q, c, o))); diff != "" {
		t.Error(diff)
	}
}

// TestRankProse checks that the long answers of an assistant weigh less than a person's words, unless the question asks
// for them, that words stay among the turns of persons, and that a session with an assistant has no best turn.
func TestRankProse(t *testing.T) {
	units := []index.Unit{
		{Group: 1, Seq: 1},
		{Group: 1, Seq: 2, Section: int(chunk.Assistant)},
		{Group: 1, Seq: 3},
		{Group: 1, Seq: 4, Section: int(chunk.Assistant)},
		{Group: 2, Seq: 1},
	}
	texts := []string{"red boat", "red boat", "new", "sea", "sun"}
	q, c := collected(search.Sessions, units, texts, "boat")
	o := DefaultOptions()
	ranked := Rank(q, c, o)
	if diff := gocmp.Diff([]int{0, 1, 2}, places(ranked)); diff != "" {
		t.Error(diff)
	}
	person, assistant := ranked[0].Parts, ranked[1].Parts
	if whole := assistant.total() - assistant.Prose; assistant.Prose != -o.Prose*whole || assistant.Neighbours != 0 || person.First != 0 {
		t.Errorf("person %+v, assistant %+v", person, assistant)
	}
	q.OfAssistant = true
	if got := byUnit(Rank(q, c, o))[1]; got.Prose != 0 {
		t.Errorf("asked for the assistant's words: %+v", got)
	}
	c.Corpus = search.Memory // sections of documents are numbered
	if got := byUnit(Rank(q, c, o))[1]; got.Prose != 0 {
		t.Errorf("in a document: %+v", got)
	}
}

// TestRankCharacters checks that a single character is found and does not count as coverage.
func TestRankCharacters(t *testing.T) {
	q, c := collected(search.Sessions, nil, []string{"北 北京 京", "京 京都", "海"}, "北京")
	q.Characters = []analysis.QueryTerm{{Text: "京", Forms: []string{"京"}}}
	c.Body = append(c.Body, []index.Posting{{Unit: 0, TF: 1}, {Unit: 1, TF: 1}})
	c.Context = append(c.Context, nil)
	o := DefaultOptions()
	o.Turns = Neighbourhood{}
	ranked := Rank(q, c, o)
	if diff := gocmp.Diff([]int{0, 1}, places(ranked)); diff != "" {
		t.Fatal(diff)
	}
	if ranked[0].Parts.Coverage != 1 || ranked[1].Parts.Coverage != 0 {
		t.Errorf("%+v", ranked)
	}
}

func TestRankPeriods(t *testing.T) {
	day := func(d int) int64 { return time.Date(2023, 5, d, 12, 0, 0, 0, time.UTC).Unix() }
	units := []index.Unit{
		{Group: 1, Seq: 1, At: day(1)},
		{Group: 2, Seq: 1, At: day(8)},
		{Group: 3, Seq: 1, At: day(10)},
		{Group: 4, Seq: 1},
		{Group: 5, Seq: 1, At: day(8)},
	}
	texts := []string{"red boat", "red boat", "red boat", "red boat", "rain"}
	q, c := collected(search.Sessions, units, texts, "boat may")
	from := time.Date(2023, 5, 8, 0, 0, 0, 0, time.UTC)
	q.Periods = []date.Period{{Text: "8 may", From: from, To: from.AddDate(0, 0, 1)}}
	o := only()
	o.Period, o.PeriodTerms = 4, .5
	ranked := Rank(q, c, o)
	// In the period, two days from it, a week from it, at an unknown time; and a unit that matches by time only.
	if diff := gocmp.Diff([]int{1, 4, 2, 0, 3}, places(ranked)); diff != "" {
		t.Fatal(diff)
	}
	parts := byUnit(ranked)
	if parts[1].Period != 4 || parts[3].Period != 0 {
		t.Errorf("%g in the period, %g of unknown time", parts[1].Period, parts[3].Period)
	}
	if parts[1].Coverage != 1 {
		t.Errorf("what lies in the period has all of the question, and not %g", parts[1].Coverage)
	}
	// Noon of the 10th is 1½ days after the end of the 8th, where closeness is 1/(1+1½).
	if got := parts[2].Period; math.Abs(got-4/2.5) > 1e-3 {
		t.Errorf("%g two days later", got)
	}

	q.Terms, c.Body, c.Context = nil, nil, nil
	if diff := gocmp.Diff([]int{1, 4}, places(Rank(q, c, o))); diff != "" {
		t.Errorf("with a period and no words: %s", diff)
	}
}

// TestRankCoverage checks that coverage is a share of inverse document frequencies. "boat" is in two of four units,
// "oar" in one, "mast" in none and counts as if it were in one.
func TestRankCoverage(t *testing.T) {
	units := []index.Unit{{Group: 1, Seq: 1}, {Group: 2, Seq: 1}, {Group: 3, Seq: 1}, {Group: 3, Seq: 2}}
	q, c := collected(search.Sessions, units, []string{"the boat oar", "the boat sea", "the sea sun", "the sea sun"}, "~the boat oar mast")
	parts := byUnit(Rank(q, c, only()))
	whole := idf(4, 2) + 2*idf(4, 1)
	want := map[int]float64{0: (idf(4, 2) + idf(4, 1)) / whole, 1: idf(4, 2) / whole}
	got := map[int]float64{}
	for unit, p := range parts {
		got[unit] = p.Coverage
	}
	if diff := gocmp.Diff(want, got, near); diff != "" {
		t.Error(diff) // stop words alone match nothing
	}

	q, c = collected(search.Sessions, nil, []string{"ada: hello", "ben: hello"}, "ada")
	if parts := byUnit(Rank(q, c, only())); len(parts) != 0 {
		t.Errorf("with nothing for the speaker %v", parts)
	}
	if parts := byUnit(Rank(q, c, DefaultOptions())); parts[0].Coverage != 1 {
		t.Errorf("a question that is a name is covered to %g by what she says", parts[0].Coverage)
	}
}

func TestRankOfNothing(t *testing.T) {
	q, c := collected(search.Memory, nil, []string{"", ""}, "boat")
	if ranked := Rank(q, c, DefaultOptions()); len(ranked) != 0 {
		t.Errorf("found %v", ranked)
	}
	if ranked := Rank(analysis.Query{}, c, DefaultOptions()); len(ranked) != 0 {
		t.Errorf("found %v without a question", ranked)
	}
	empty := &index.Collection{Body: make([][]index.Posting, 1), Context: make([][]index.Posting, 1)}
	if ranked := Rank(q, empty, DefaultOptions()); len(ranked) != 0 {
		t.Errorf("found %v in nothing", ranked)
	}
}

func TestLexicalPartsInJSON(t *testing.T) {
	data, err := json.Marshal(LexicalParts{Body: 1.5, Coverage: .5, Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"body":1.5,"speaker":0,"neighbours":0,"enclosing":0,"together":0,` +
		`"period":0,"prose":0,"rule":0,"question":0,"asking":0,"answer":0,"feedback":0,"first":0,"coverage":0.5,"exact":true}`
	if diff := gocmp.Diff(want, string(data)); diff != "" {
		t.Error(diff)
	}
}

// view is a collection of random texts in random sessions, with a question.
type view struct {
	corpus   search.Corpus
	units    []index.Unit
	texts    []string
	question string
}

func drawView(t *rapid.T) view {
	word := rapid.Custom(func(t *rapid.T) string { return fmt.Sprint("w", rapid.IntRange(0, 9).Draw(t, "word")) })
	v := view{corpus: rapid.SampledFrom(search.Corpora()).Draw(t, "corpus")}
	group, at := int64(1), int64(1_700_000_000)
	for range rapid.IntRange(1, 30).Draw(t, "units") {
		if rapid.IntRange(0, 5).Draw(t, "new group") == 0 {
			group++
		}
		at += rapid.SampledFrom([]int64{60, 7200, 90_000}).Draw(t, "pause")
		text := strings.Join(rapid.SliceOfN(word, 0, 8).Draw(t, "words"), " ")
		if rapid.Bool().Draw(t, "spoken") {
			text = word.Draw(t, "speaker") + ": " + text
		}
		v.units = append(v.units, index.Unit{Group: group, Seq: int64(len(v.units) + 1), At: at})
		v.texts = append(v.texts, text)
	}
	terms := rapid.SliceOfNDistinct(word, 1, 5, rapid.ID[string]).Draw(t, "terms")
	for i := range terms {
		if rapid.IntRange(0, 4).Draw(t, "stop") == 0 {
			terms[i] = "~" + terms[i]
		}
	}
	v.question = strings.Join(terms, " ")
	return v
}

// TestRankIsSound checks that scores are the sum of their finite parts, with a coverage from 0 to 1, in descending
// order; that the depth keeps the best; and that ranking is deterministic.
func TestRankIsSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawView(t)
		q, c := collected(v.corpus, v.units, v.texts, v.question)
		o := DefaultOptions()
		ranked := Rank(q, c, o)
		for i, r := range ranked {
			if math.Abs(r.Score-r.Parts.total()) > 1e-9 || math.IsNaN(r.Score) || r.Score <= 0 {
				t.Fatalf("score %g of %+v", r.Score, r.Parts)
			}
			if r.Parts.Coverage < 0 || r.Parts.Coverage > 1+1e-9 || r.Parts.Neighbours < -1e-9 {
				t.Fatalf("parts %+v", r.Parts)
			}
			if i > 0 && cmp.Or(cmp.Compare(r.Score, ranked[i-1].Score), cmp.Compare(ranked[i-1].Unit, r.Unit)) > 0 {
				t.Fatalf("%+v stands behind %+v", r, ranked[i-1])
			}
		}
		again := Rank(q, c, o)
		if !slices.Equal(ranked, again) {
			t.Fatal("the second ranking differs")
		}
		o.First = 0
		all := Rank(q, c, o)
		o.Depth = rapid.IntRange(0, 10).Draw(t, "depth")
		if diff := gocmp.Diff(places(all)[:min(len(all), o.Depth)], places(Rank(q, c, o))); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestRankKeepsHitsBesideUnrelatedUnits checks that units without a word of the question do not remove any hits.
func TestRankKeepsHitsBesideUnrelatedUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawView(t)
		o := DefaultOptions()
		q, c := collected(v.corpus, v.units, v.texts, v.question)
		before := places(Rank(q, c, o))
		for i := range rapid.IntRange(1, 20).Draw(t, "unrelated") {
			v.units = append(v.units, index.Unit{Group: 1000, Seq: int64(i + 1), At: 1_800_000_000})
			v.texts = append(v.texts, strings.Repeat("unrelated ", rapid.IntRange(0, 20).Draw(t, "length")))
		}
		q, c = collected(v.corpus, v.units, v.texts, v.question)
		after := places(Rank(q, c, o))
		slices.Sort(before)
		slices.Sort(after)
		if diff := gocmp.Diff(before, after); diff != "" {
			t.Fatal(diff)
		}
	})
}
