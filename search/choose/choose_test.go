package choose

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/search"
	"reverie/search/fuse"
	"reverie/search/index"
)

var selectNow = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func candidate(ordinal int64, score float64, change ...func(*Candidate)) Candidate {
	c := Candidate{
		Unit: index.UnitKey{Group: 1, Ordinal: ordinal}, Corpus: search.Memory,
		Fused: fuse.Fused{Unit: index.UnitKey{Group: 1, Ordinal: ordinal}, Score: score, TextRank: 1},
	}
	for _, f := range change {
		f(&c)
	}
	return c
}

func personal(c *Candidate)             { c.Personal = true }
func evergreen(c *Candidate)            { c.Evergreen = true }
func vectorsOnly(c *Candidate)          { c.Fused.TextRank, c.Fused.VectorRank = 0, 1 }
func text(name string) func(*Candidate) { return func(c *Candidate) { c.CopyOf = name } }
func said(at int64) func(*Candidate) {
	return func(c *Candidate) { c.At = at; c.Statement().First, c.Statement().Last = at, at }
}

func undated(n index.TermID) func(*Candidate) {
	return func(c *Candidate) { c.Statement = func() *Statement { return stating(n) } }
}
func terms(t ...index.TermID) func(*Candidate) { return func(c *Candidate) { c.Terms = t } }
func message(n int64) func(*Candidate) {
	return func(c *Candidate) { c.Whole = index.UnitKey{Group: 1, Ordinal: n} }
}

// says makes a candidate state some numbers of the same unit.
func says(numbers ...index.TermID) func(*Candidate) {
	s := stating(numbers...)
	return func(c *Candidate) { c.Corpus, c.Statement = search.Sessions, func() *Statement { return s } }
}

// notes makes a document state some numbers of the same unit on a day of January.
func notes(day int64, numbers ...index.TermID) func(*Candidate) {
	s := stating(numbers...)
	s.First, s.Last = day*100, day*100+99
	return func(c *Candidate) { c.Statement = func() *Statement { return s } }
}

func stating(numbers ...index.TermID) *Statement {
	s := &Statement{Asked: []index.TermID{1, 2}, Words: []index.TermID{1, 2, 3}}
	for _, n := range numbers {
		s.Values = append(s.Values, Value{7, n})
	}
	return s
}

func daysAgo(days int) func(*Candidate) {
	return func(c *Candidate) { c.At = selectNow.AddDate(0, 0, -days).Unix() }
}

// outcome returns the units of the results and the drop reasons of the others.
func outcome(t *testing.T, o Options, candidates ...Candidate) (kept []int64, dropped map[int64]DropReason) {
	t.Helper()
	results, out := Select(candidates, o, selectNow)
	dropped = map[int64]DropReason{}
	for _, r := range results {
		kept = append(kept, r.Candidate.Unit.Ordinal)
	}
	for _, d := range out {
		dropped[d.Candidate.Unit.Ordinal] = d.Reason
	}
	return kept, dropped
}

// many returns n terms from 100.
func many(n int) (terms []index.TermID) {
	for i := range n {
		terms = append(terms, index.TermID(100+i))
	}
	return terms
}

func TestSelect(t *testing.T) {
	with := func(f func(*Options)) Options {
		o := DefaultOptions()
		f(&o)
		return o
	}
	for name, c := range map[string]struct {
		options    Options
		candidates []Candidate
		kept       []int64
		dropped    map[int64]DropReason
	}{
		"in order of score, ties by unit": {
			DefaultOptions(), []Candidate{candidate(3, .5), candidate(1, .5), candidate(2, .9)}, []int64{2, 1, 3}, nil,
		},
		"limit": {
			with(func(o *Options) { o.Limit = 1 }),
			[]Candidate{candidate(1, .5), candidate(2, .9)},
			[]int64{2},
			map[int64]DropReason{1: BeyondLimit},
		},
		"floor": {
			DefaultOptions(), []Candidate{candidate(1, .24, personal), candidate(2, .25, personal)}, []int64{2}, map[int64]DropReason{1: BelowFloor},
		},
		"the floor is relaxed for what the words found": {
			DefaultOptions(),
			[]Candidate{candidate(1, .1), candidate(2, .2, vectorsOnly)},
			[]int64{1},
			map[int64]DropReason{2: BelowFloor},
		},
		"personal passages count more": {
			DefaultOptions(), []Candidate{candidate(1, .5), candidate(2, .45, personal)}, []int64{2, 1}, nil,
		},
		"a personal copy gets the place of the shared one": {
			DefaultOptions(),
			[]Candidate{candidate(1, .9, text("a")), candidate(2, .1, text("a"), personal), candidate(3, .8), candidate(4, .7)},
			[]int64{2, 3, 4},
			map[int64]DropReason{1: PersonalCopy},
		},
		"texts without a name are not copies": {
			DefaultOptions(), []Candidate{candidate(1, .9), candidate(2, .5, personal)}, []int64{1, 2}, nil,
		},
		"period": {
			with(func(o *Options) { o.From, o.To = selectNow.AddDate(0, 0, -10), selectNow }),
			[]Candidate{candidate(1, .9, daysAgo(11)), candidate(2, .9, daysAgo(10)), candidate(3, .9, daysAgo(0)), candidate(4, .9)},
			[]int64{2},
			map[int64]DropReason{1: OutsidePeriod, 3: OutsidePeriod, 4: OutsidePeriod},
		},
		"a personal copy outside the period takes nobody's place": {
			with(func(o *Options) { o.From = selectNow.AddDate(0, 0, -10) }),
			[]Candidate{candidate(1, .9, text("a"), personal, daysAgo(20)), candidate(2, .8, text("a"), daysAgo(5))},
			[]int64{2},
			map[int64]DropReason{1: OutsidePeriod},
		},
		"decay": {
			with(func(o *Options) { d := DefaultDecayOptions(); o.Decay = &d }),
			[]Candidate{candidate(1, .8, daysAgo(30)), candidate(2, .6, daysAgo(30), evergreen), candidate(3, .5)},
			[]int64{2, 3, 1},
			nil,
		},
		"diversity": {
			with(func(o *Options) { d := DefaultDiversityOptions(); o.Diversity, o.Limit = &d, 2 }),
			[]Candidate{
				candidate(1, .9, terms(1, 2, 3)), candidate(2, .89, terms(1, 2, 3)), candidate(3, .8, terms(4, 5)),
				candidate(4, .5, terms(6)),
			},
			[]int64{1, 3},
			map[int64]DropReason{2: TooSimilar, 4: BeyondLimit},
		},
		"the best part of each message": {
			DefaultOptions(),
			[]Candidate{candidate(1, .9, message(1)), candidate(2, .8, message(1)), candidate(3, .7, message(2))},
			[]int64{1, 3},
			map[int64]DropReason{2: SameMessage},
		},
		"the newest of equal texts, at the place of the best": {
			DefaultOptions(),
			[]Candidate{candidate(1, .9, text("a")), candidate(2, .8), candidate(3, .7, text("a"))},
			[]int64{3, 2},
			map[int64]DropReason{1: Repeated},
		},
		"a newer value above the older one": {
			DefaultOptions(),
			[]Candidate{candidate(1, .9, says(5)), candidate(2, .8), candidate(3, .7, says(6)), candidate(4, .6, says(5))},
			[]int64{4, 3, 1, 2},
			nil,
		},
		"a newer value with the same score": {
			DefaultOptions(), []Candidate{candidate(1, .9, says(5)), candidate(2, .9, says(6))}, []int64{2, 1}, nil,
		},
		"a newer value in another corpus": {
			with(func(o *Options) { o.Limit = 2 }),
			[]Candidate{
				candidate(1, .9, notes(1, 5)), candidate(2, .8), candidate(3, .9, says(), said(300)), candidate(4, .7, says(6), said(301)),
			},
			[]int64{4, 1},
			map[int64]DropReason{2: BeyondLimit, 3: BeyondLimit},
		},
		"an older value in another corpus": {
			DefaultOptions(), []Candidate{candidate(1, .8, notes(2, 5)), candidate(2, .9, says(6), said(150))}, []int64{1, 2}, nil,
		},
		"values of the same day and of unknown days": {
			DefaultOptions(),
			[]Candidate{candidate(1, .9, notes(1, 5)), candidate(2, .8, notes(1, 6)), candidate(3, .7, undated(7))},
			[]int64{1, 2, 3},
			nil,
		},
		"newer values stay where they are": {
			with(func(o *Options) { o.NewestFirst = false }),
			[]Candidate{candidate(1, .9, says(5)), candidate(2, .8, says(6))},
			[]int64{1, 2},
			nil,
		},
		"a document gets the place of the message that it quotes": {
			with(func(o *Options) {
				o.Quotes = func(d, m Candidate) bool { return d.Unit.Ordinal == 1 && m.Unit.Ordinal == 3 }
			}),
			[]Candidate{candidate(1, .3), candidate(2, .8), candidate(3, .9, says(5)), candidate(4, .5, says())},
			[]int64{1, 2, 4},
			map[int64]DropReason{3: InDocument},
		},
		"a newer message above the document that quotes an older one": {
			with(func(o *Options) {
				o.Quotes = func(d, m Candidate) bool { return d.Unit.Ordinal == 1 && m.Unit.Ordinal == 3 }
			}),
			[]Candidate{candidate(1, .3, undated(5)), candidate(2, .8), candidate(3, .9, says(5)), candidate(4, .5, says(6))},
			[]int64{4, 1, 2},
			map[int64]DropReason{3: InDocument},
		},
		"what was decided about documents": {
			with(func(o *Options) {
				o.Replaced = func(older, newer Candidate) bool { return older.Unit.Ordinal == 1 && newer.Unit.Ordinal == 2 }
			}),
			[]Candidate{candidate(1, .9), candidate(2, .7)},
			[]int64{2, 1},
			nil,
		},
		"diversity leaves a newer value above the older one": {
			with(func(o *Options) { o.Diversity = &DiversityOptions{Lambda: .1} }),
			[]Candidate{
				candidate(1, .9, terms(1, 2), says()), candidate(2, .8, terms(8, 9), says(5)), candidate(3, .8, terms(1, 2), says(6)),
			},
			[]int64{1, 3, 2},
			nil,
		},
		"a part of a message whose best part was repeated": {
			DefaultOptions(),
			[]Candidate{
				candidate(3, .9, message(2), text("a")), candidate(1, .8, message(1), text("a")), candidate(2, .7, message(1), text("b")),
			},
			[]int64{3, 2},
			map[int64]DropReason{1: Repeated},
		},
		"no newer value": {
			DefaultOptions(),
			[]Candidate{candidate(1, .9, says(5)), candidate(2, .2, says(6)), candidate(3, .8, says(5)), candidate(4, .7, says())},
			[]int64{1, 3, 4},
			map[int64]DropReason{2: BelowFloor},
		},
		"nothing": {DefaultOptions(), nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			kept, dropped := outcome(t, c.options, c.candidates...)
			if c.dropped == nil {
				c.dropped = map[int64]DropReason{}
			}
			if diff := cmp.Diff(c.kept, kept); diff != "" {
				t.Error("results (-want +got)", diff)
			}
			if diff := cmp.Diff(c.dropped, dropped); diff != "" {
				t.Error("dropped (-want +got)", diff)
			}
		})
	}
}

func TestRivals(t *testing.T) {
	of := func(asked, words []index.TermID, values ...Value) Statement {
		return Statement{Asked: asked, Words: words, Values: values}
	}
	rent := Statement{Asked: []index.TermID{1, 2, 3}, Words: []index.TermID{1, 2, 3, 8, 9}, Values: []Value{{7, 900}}}
	for name, c := range map[string]struct {
		other Statement
		want  bool
	}{
		"another value":      {of(rent.Asked, rent.Words, Value{7, 950}), true},
		"the same value":     {of(rent.Asked, rent.Words, Value{7, 950}, Value{7, 900}), false},
		"another unit":       {of(rent.Asked, rent.Words, Value{6, 950}), false},
		"no value":           {of(rent.Asked, rent.Words), false},
		"asked for less":     {of([]index.TermID{1, 2}, rent.Words, Value{7, 950}), true},
		"another subject":    {of([]index.TermID{1, 4, 5}, rent.Words, Value{7, 950}), false},
		"in a long sentence": {of(rent.Asked, slices.Concat(rent.Words[:3], many(40)), Value{7, 950}), false},
		"hardly a same word": {of(rent.Asked, []index.TermID{1, 20, 21, 22, 23}, Value{7, 950}), false},
	} {
		if got := rent.rivals(&c.other); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestSelectMarksOlderValues(t *testing.T) {
	results, _ := Select([]Candidate{candidate(1, .9, says(5), personal), candidate(2, .7, says(6), personal)}, DefaultOptions(), selectNow)
	if got := results[1].Parts.SupersededBy; got == nil || got.Ordinal != 2 || results[0].Parts.SupersededBy != nil {
		t.Errorf("%+v", results)
	}
	if results[0].Score != .9 || results[1].Score != .7 {
		t.Errorf("scores %v and %v", results[0].Score, results[1].Score)
	}
}

// An older value is marked too where it is below already.
func TestSelectMarksOlderValuesBelow(t *testing.T) {
	results, _ := Select([]Candidate{candidate(1, .7, says(5)), candidate(2, .9, says(6))}, DefaultOptions(), selectNow)
	if by := results[1].Parts.SupersededBy; by == nil || by.Ordinal != 2 || results[0].Parts.SupersededBy != nil {
		t.Errorf("%+v", results)
	}
}

// TestSelectEndsWhenOrdersContradict: a backdated message is later than another by its place and earlier by its time.
func TestSelectEndsWhenOrdersContradict(t *testing.T) {
	inGroup := func(group int64) func(*Candidate) {
		return func(c *Candidate) { c.Unit.Group, c.Fused.Unit.Group = group, group }
	}
	for _, scores := range [][]float64{{.9, .8, .7}, {.7, .9, .8}, {.8, .7, .9}} {
		results, _ := Select([]Candidate{
			candidate(1, scores[0], says(5), inGroup(2), daysAgo(20)),
			candidate(1, scores[1], says(6), daysAgo(10)),
			candidate(2, scores[2], says(7), daysAgo(30)),
		}, DefaultOptions(), selectNow)
		if len(results) != 3 {
			t.Errorf("%v: %d results", scores, len(results))
		}
	}
}

func TestSelectExplains(t *testing.T) {
	o := DefaultOptions()
	decay := DefaultDecayOptions()
	o.Decay = &decay
	results, _ := Select([]Candidate{candidate(1, .9, text("a")), candidate(2, .5, text("a"), personal, daysAgo(30))}, o, selectNow)
	want := SelectParts{Base: .9, Boost: 1, Decay: .5, Replaces: 1}
	if diff := cmp.Diff(want, results[0].Parts); diff != "" {
		t.Error("parts (-want +got)", diff)
	}
	if want := .9 * .5; results[0].Score != want {
		t.Errorf("score %v, want %v", results[0].Score, want)
	}
	relaxed, _ := Select([]Candidate{candidate(1, .1)}, DefaultOptions(), selectNow)
	if !relaxed[0].Parts.Relaxed {
		t.Error("a result below the floor is not marked")
	}
}

// TestSelectAccountsForAll checks that every candidate is either selected or dropped, exactly once, in any input order.
func TestSelectAccountsForAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var candidates []Candidate
		for i := range rapid.IntRange(0, 30).Draw(t, "n") {
			c := candidate(int64(i), float64(rapid.IntRange(0, 10).Draw(t, "score"))/10)
			c.Personal = rapid.Bool().Draw(t, "personal")
			c.CopyOf = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "copy")
			c.At = int64(rapid.IntRange(0, 3).Draw(t, "at"))
			if rapid.Bool().Draw(t, "vectors") {
				vectorsOnly(&c)
			}
			candidates = append(candidates, c)
		}
		o := DefaultOptions()
		o.Limit = rapid.IntRange(-1, 8).Draw(t, "limit")
		if rapid.Bool().Draw(t, "diverse") {
			o.Diversity = &DiversityOptions{Lambda: .5}
		}
		results, dropped := Select(candidates, o, selectNow)
		if len(results) > max(o.Limit, 0) || len(results)+len(dropped) != len(candidates) {
			t.Fatalf("%d results and %d dropped of %d with limit %d", len(results), len(dropped), len(candidates), o.Limit)
		}
		seen := map[index.UnitKey]bool{}
		for _, r := range results {
			seen[r.Candidate.Unit] = true
		}
		for _, d := range dropped {
			seen[d.Candidate.Unit] = true
		}
		if len(seen) != len(candidates) {
			t.Fatalf("%d units of %d", len(seen), len(candidates))
		}
		shuffled, _ := Select(rapid.Permutation(candidates).Draw(t, "order"), o, selectNow)
		if diff := cmp.Diff(results, shuffled); diff != "" {
			t.Fatal("another order of candidates has other results", diff)
		}
	})
}

func result(path string, ordinal int64, score float64) Result {
	return Result{Candidate: Candidate{
		Unit: index.UnitKey{Group: 1, Ordinal: ordinal}, Corpus: search.Corpus(path), Path: path,
	}, Score: score}
}

func TestBalance(t *testing.T) {
	strong := []Result{result("a", 1, .9), result("a", 2, .8), result("a", 3, .7), result("a", 4, .6)}
	weak := []Result{result("b", 5, .3), result("b", 6, .2), result("b", 7, .1)}
	for name, c := range map[string]struct {
		limit int
		lists [][]Result
		want  []int64
	}{
		"half each":                 {4, [][]Result{strong, weak}, []int64{1, 2, 5, 6}},
		"the odd place to the best": {5, [][]Result{strong, weak}, []int64{1, 2, 3, 5, 6}},
		"what one leaves":           {6, [][]Result{strong, weak[:1]}, []int64{1, 2, 3, 4, 5}},
		"one alone":                 {3, [][]Result{strong, nil}, []int64{1, 2, 3}},
		"one place":                 {1, [][]Result{weak, strong}, []int64{1}},
		"three corpora, one is sure of one place": {
			4, [][]Result{strong, weak, {result("c", 8, .05)}}, []int64{1, 2, 5, 8},
		},
		"no place":     {0, [][]Result{strong}, nil},
		"none":         {3, nil, nil},
		"ties by path": {2, [][]Result{{result("z", 1, .5)}, {result("a", 2, .5)}}, []int64{2, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			results, dropped := Balance(c.limit, c.lists...)
			var got []int64
			for _, r := range results {
				got = append(got, r.Candidate.Unit.Ordinal)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error("results (-want +got)", diff)
			}
			all := 0
			for _, l := range c.lists {
				all += len(l)
			}
			if len(results)+len(dropped) != all {
				t.Errorf("%d results and %d dropped of %d", len(results), len(dropped), all)
			}
		})
	}
}

func TestDecayFactor(t *testing.T) {
	o := DefaultDecayOptions()
	for _, c := range []struct {
		age  time.Duration
		want float64
	}{{0, 1}, {-time.Hour, 1}, {30 * 24 * time.Hour, .5}, {60 * 24 * time.Hour, .25}} {
		if got := o.Factor(c.age); got != c.want {
			t.Errorf("factor at %v is %v, want %v", c.age, got, c.want)
		}
	}
	if got := (DecayOptions{}).Factor(time.Hour); got != 1 {
		t.Errorf("factor without a half-life is %v", got)
	}
}

// TestSelectKeepsTheFusedOrder checks that results keep the fused order where fusion made their scores equal.
func TestSelectKeepsTheFusedOrder(t *testing.T) {
	t.Parallel()
	candidate := func(group int64, rank int) Candidate {
		return Candidate{
			Unit: index.UnitKey{Group: group}, Fused: fuse.Fused{Score: 0.8, Rank: rank}, Path: "a.md",
			CopyOf: string(rune(96 + group)),
		}
	}
	results, _ := Select([]Candidate{candidate(1, 3), candidate(2, 1), candidate(3, 2)}, DefaultOptions(), time.Time{})
	var groups []int64
	for _, r := range results {
		groups = append(groups, r.Candidate.Unit.Group)
	}
	if !slices.Equal(groups, []int64{2, 3, 1}) {
		t.Errorf("sources in the order %v", groups)
	}
}
