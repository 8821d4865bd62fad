package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/language/analysis"
	"reverie/search"
	"reverie/search/chunk"
)

// anyEntries draws units of a few groups, with some terms that are in all of them.
func anyEntries(t *rapid.T) []Entry {
	seen := map[UnitKey]bool{}
	var entries []Entry
	for range rapid.IntRange(0, 300).Draw(t, "units") {
		u := Unit{
			Group: rapid.Int64Range(1, 9).Draw(t, "group"), Seq: rapid.Int64Range(1, 200).Draw(t, "seq"),
			Part: rapid.SampledFrom([]int{0, 0, 0, 1, chunk.MaxParts - 1}).Draw(t, "part"), Section: rapid.IntRange(0, 5).Draw(t, "section"),
			Length: rapid.IntRange(0, 500).Draw(t, "length"), At: rapid.Int64Range(0, 1<<40).Draw(t, "at"),
			FromLine: rapid.IntRange(1, 1000).Draw(t, "from"), Start: rapid.IntRange(0, 1<<20).Draw(t, "start"),
		}
		u.ToLine, u.End = u.FromLine+rapid.IntRange(0, 50).Draw(t, "lines"), u.Start+rapid.IntRange(0, 5000).Draw(t, "bytes")
		if seen[u.Key()] {
			continue
		}
		seen[u.Key()] = true
		terms := map[TermID]int{}
		for range rapid.IntRange(0, 30).Draw(t, "terms") {
			terms[Body.ID(fmt.Sprint("w", rapid.IntRange(0, 2000).Draw(t, "term")))] = rapid.IntRange(1, 400).Draw(t, "tf")
		}
		terms[Body.ID("everywhere")] = 1
		entries = append(entries, Entry{Unit: u, Terms: terms})
	}
	return entries
}

func TestSegmentPacking(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := NewSegment(anyEntries(t))
		packed, err := UnpackSegment(s.Pack())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, packed); diff != "" {
			t.Fatalf("packed as one value:\n%s", diff)
		}
		bits, blocks := s.Blocks()
		units, err := UnpackUnits(PackUnits(s.Units))
		if err != nil {
			t.Fatal(err)
		}
		fromBlocks, err := FromBlocks(units, blocks)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, fromBlocks); diff != "" {
			t.Fatalf("packed as blocks (%d bits):\n%s", bits, diff)
		}
	})
}

// TestGather checks that a collection has the same postings as a direct count, however units are distributed over
// parts.
func TestGather(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		entries := anyEntries(t)
		dead := rapid.Int64Range(0, 9).Draw(t, "dead")
		q := analysis.Query{Terms: []analysis.QueryTerm{{Forms: []string{"everywhere"}}, {Forms: []string{"w1", "w2", "w3"}}}}
		for i := range 30 {
			q.Terms = append(q.Terms, analysis.QueryTerm{Forms: []string{fmt.Sprint("w", 10+i)}})
		}
		g := Gather(q)
		parts := map[int][]Entry{}
		byGroup := map[int64][]Entry{}
		for _, e := range entries {
			if n := rapid.IntRange(0, 3).Draw(t, "part"); n > 0 {
				parts[n] = append(parts[n], e)
			} else {
				e.Group = e.Unit.Group
				byGroup[e.Unit.Group] = append(byGroup[e.Unit.Group], e)
			}
		}
		for group, entries := range byGroup {
			if err := g.AddPacked(group, NewSegment(entries).Pack()); err != nil {
				t.Fatal(err)
			}
		}
		for _, entries := range parts {
			addBlocks(t, g, NewSegment(entries))
		}
		got := g.Collection(search.Memory, q, func(group int64) bool { return group == dead })

		entries = slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.Group == dead })
		want := NewSegment(entries)
		if diff := cmp.Diff(want.Units, got.Units); diff != "" {
			t.Fatalf("units:\n%s", diff)
		}
		for i, term := range q.Terms {
			var postings []Posting
			for at, u := range want.Units {
				entry := entries[slices.IndexFunc(entries, func(e Entry) bool { return e.Key() == u.Key() })]
				tf := 0
				for _, form := range term.Forms {
					tf = max(tf, entry.Terms[Body.ID(form)])
				}
				if tf > 0 {
					postings = append(postings, Posting{Unit: int32(at), TF: int32(tf)})
				}
			}
			if diff := cmp.Diff(postings, got.Body[i]); diff != "" {
				t.Fatalf("postings of %v:\n%s", term.Forms, diff)
			}
			if got.Context[i] != nil {
				t.Fatalf("contexts have %v", term.Forms)
			}
		}
	})
}

// addBlocks adds the blocks that a database would return for the wanted terms.
func addBlocks(t *rapid.T, g *Gathering, s *Segment) {
	t.Helper()
	bits, blocks := s.Blocks()
	n := g.AddUnits(s.Units)
	for _, wanted := range g.Wanted() {
		for _, b := range blocks {
			if b.Bucket == wanted.Bucket(bits) && (b.Term == 0 || b.Term == wanted) {
				if err := g.AddBlock(n, wanted, b); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestTermIDs checks that a term fits into a signed column and is never 0, for any form.
func TestTermIDs(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"", "a", "reef", "en~reef", "灯塔"} {
		for _, field := range []Field{Body, Context} {
			if id := field.ID(form); int64(id) <= 0 || id>>TermBits != 0 {
				t.Errorf("%q has id %d", form, id)
			}
		}
	}
	if Body.ID("a") == Context.ID("a") {
		t.Error("the fields share a term")
	}
}

// FuzzUnpackSegment checks that damaged bytes cause an error, never a panic or an endless loop.
func FuzzUnpackSegment(f *testing.F) {
	entries := []Entry{{Unit: Unit{Group: 1, Seq: 1, End: 5}, Terms: map[TermID]int{1: 1, 1 << 40: 3}}, {Unit: Unit{Group: 1, Seq: 2}}}
	f.Add(NewSegment(entries).Pack())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := UnpackSegment(data)
		if err != nil {
			return
		}
		for _, postings := range s.Postings {
			for _, p := range postings {
				if int(p.Unit) >= len(s.Units) {
					t.Fatalf("posting in unit %d of %d", p.Unit, len(s.Units))
				}
			}
		}
	})
}

// BenchmarkSegmentSize compares the size of the index with one row per posting.
func BenchmarkSegmentSize(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.07, 2, 50_000)
	entries := make([]Entry, 20_000)
	for i := range entries {
		terms := map[TermID]int{}
		for range 40 + random.IntN(40) {
			terms[Body.ID(fmt.Sprint(zipf.Uint64()))]++
		}
		entries[i] = Entry{Unit: Unit{
			Group: int64(i / 50), Seq: int64(i%50 + 1), Length: 60, At: int64(1_700_000_000 + i*60),
			FromLine: 1, ToLine: 1, End: 400,
		}, Terms: terms}
	}
	size := 0
	for b.Loop() {
		s := NewSegment(entries)
		_, blocks := s.Blocks()
		size = len(PackUnits(s.Units))
		for _, block := range blocks {
			size += len(block.Data)
		}
	}
	b.ReportMetric(float64(size)/float64(len(entries)), "bytes/unit")
}
