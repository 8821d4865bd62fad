package store

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
	"reverie/search"
	"reverie/search/fuse"
	"reverie/search/index"
	"reverie/store/indexes"
	"reverie/store/pg"
	"reverie/store/talk"
)

// direction returns a vector that depends on the text alone.
func direction(text string, dimensions int) []float32 {
	seed := uint64(14695981039346656037)
	for _, b := range []byte(text) {
		seed = (seed ^ uint64(b)) * 1099511628211
	}
	random := rand.New(rand.NewPCG(seed, 1))
	vector := make([]float32, dimensions)
	length := 0.0
	for i := range vector {
		x := random.NormFloat64()
		vector[i], length = float32(x), length+x*x
	}
	for i := range vector {
		vector[i] /= float32(math.Sqrt(length))
	}
	return vector
}

// embed gives every unit of a space that waits its vector, and returns how many.
func embed(t *testing.T, s *Store, space indexes.Space, batch int) int {
	t.Helper()
	n := 0
	for {
		due := must[indexes.DueUnits](t)(s.DueUnits(t.Context(), tender(), space.ID, batch))
		if len(due.Reached) == 0 {
			return n
		}
		vectors := make([][]float32, len(due.Units))
		for i, u := range due.Units {
			vectors[i] = direction(u.Text, space.Identity.Dimensions)
		}
		n += must[int](t)(s.SaveVectors(t.Context(), tender(), space.ID, due, vectors))
	}
}

func testSpace(t *testing.T, s *Store, model string, dimensions int) indexes.Space {
	t.Helper()
	return must[indexes.Space](t)(
		s.OpenSpace(t.Context(), tender(), memory.EmbeddingIdentity{Provider: "test", Model: model, Dimensions: dimensions}),
	)
}

// nearestTexts returns the texts that are nearest to one.
func nearestTexts(
	t *testing.T, s *Store, id memory.Identity, corpus search.Corpus, space indexes.Space, text string, depth int,
) ([]string, fuse.Dense) {
	t.Helper()
	dense := must[fuse.Dense](t)(s.Nearest(t.Context(), id, indexes.VectorQuery{
		Corpus: corpus, Space: space.ID, Vector: direction(text, space.Identity.Dimensions), Depth: depth,
	}))
	units := map[index.UnitKey]index.Unit{}
	for _, u := range collected(t, s, id, corpus, "anything").Units {
		units[u.Key()] = u
	}
	var wanted []index.Unit
	for _, hit := range dense.Hits {
		u, ok := units[hit.Unit]
		if !ok {
			t.Fatalf("a vector without a unit: %+v", hit)
		}
		wanted = append(wanted, u)
	}
	passages := must[map[index.UnitKey]indexes.Passage](t)(s.Passages(t.Context(), id, corpus, wanted))
	var texts []string
	for _, hit := range dense.Hits {
		texts = append(texts, passages[hit.Unit].Text)
	}
	return texts, dense
}

// Every unit gets its vector once, in batches that split sources, and again when it is rewritten.
func TestVectorsFollow(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	for i := range 30 {
		must[talk.Stored](t)(s.AppendMessages(t.Context(), id, says("c", fmt.Sprintf("message %d", i), fmt.Sprintf("answer %d", i))))
	}
	for i := range 5 {
		write(t, s, id, replace(team(fmt.Sprintf("memory/n%d.md", i)), 0, fmt.Sprintf("note %d", i)))
	}
	if lag := must[indexes.Lag](t)(s.IndexLag(t.Context(), id, search.Corpora(), 0)); lag.Sources < 6 || lag.Since == nil {
		t.Errorf("before: %+v", lag)
	}
	space := testSpace(t, s, "a", 64)
	if space.State != indexes.SpaceLive {
		t.Fatalf("the first space is %s", space.State)
	}
	units := len(collected(t, s, id, search.Sessions, "x").Units) + len(collected(t, s, id, search.Memory, "x").Units)
	if n := embed(t, s, space, 7); n != units {
		t.Fatalf("%d vectors for %d units", n, units)
	}
	if lag := must[indexes.Lag](t)(s.IndexLag(t.Context(), id, search.Corpora(), 0)); lag.Sources != 0 || lag.Since != nil {
		t.Errorf("after: %+v", lag)
	}
	texts, dense := nearestTexts(t, s, id, search.Sessions, space, "message 17", 5)
	if len(texts) != 5 || texts[0] != "message 17" || math.Abs(dense.Hits[0].Similarity-1) > 0.001 {
		t.Errorf("nearest to message 17: %q %+v", texts, dense.Hits)
	}
	if dense.Count != 60 || math.Abs(dense.Mean) > 0.1 || dense.Deviation <= 0 {
		t.Errorf("all similarities: %+v", dense)
	}

	// After a rewrite the old vector is gone at once, the new one comes, and equal texts are not embedded again.
	receipt := must[memory.Receipt](t)(s.Apply(t.Context(), id, "", []memory.Change{replace(team("memory/n0.md"), 1, "another note")}))
	if texts, _ := nearestTexts(t, s, id, search.Memory, space, "note 0", 100); slices.Contains(texts, "note 0") {
		t.Errorf("what was there before is near: %q", texts)
	}
	token := must[int64](t)(strconv.ParseInt(receipt.Token, 10, 64))
	if lag := must[indexes.Lag](t)(s.IndexLag(t.Context(), id, search.Corpora(), token-1)); lag.Sources != 0 {
		t.Errorf("what was written before waits: %+v", lag)
	}
	if lag := must[indexes.Lag](t)(s.IndexLag(t.Context(), id, search.Corpora(), token)); lag.Sources != 1 {
		t.Errorf("what was written waits: %+v", lag)
	}
	due := must[indexes.DueUnits](t)(s.DueUnits(t.Context(), tender(), space.ID, 100))
	if len(due.Units) != 1 {
		t.Fatalf("due: %+v", due)
	}
	hashes := []indexes.TextHash{due.Units[0].Hash}
	if cached := must[map[indexes.TextHash][]float32](t)(s.CachedVectors(t.Context(), tender(), space.Identity, hashes)); len(cached) != 0 {
		t.Errorf("a new text is cached")
	}
	embed(t, s, space, 7)
	if cached := must[map[indexes.TextHash][]float32](t)(
		s.CachedVectors(t.Context(), tender(), space.Identity, hashes),
	); len(cached[hashes[0]]) != 64 {
		t.Errorf("a text that was embedded is not cached")
	}
	if texts, _ := nearestTexts(t, s, id, search.Memory, space, due.Units[0].Text, 1); !slices.Equal(texts, []string{"another note"}) {
		t.Errorf("nearest to the new note: %q", texts)
	}
}

// A source that was rewritten while its vectors were made keeps none of the old ones.
func TestVectorsOfRemovedSources(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	write(t, s, id, replace(team("memory/n.md"), 0, "first"))
	space := testSpace(t, s, "a", 8)
	embed(t, s, space, 100)
	write(t, s, id, replace(team("memory/n.md"), 1, "second"))
	due := must[indexes.DueUnits](t)(s.DueUnits(t.Context(), tender(), space.ID, 100))
	write(t, s, id, replace(team("memory/n.md"), 2, "third"))
	if n := must[int](t)(s.SaveVectors(t.Context(), tender(), space.ID, due, vectorsFor(due, 8))); n != 0 {
		t.Errorf("%d vectors of what is gone were stored", n)
	}
	if texts, _ := nearestTexts(t, s, id, search.Memory, space, "second", 100); slices.Contains(texts, "second") {
		t.Errorf("found %q", texts)
	}
	if n := embed(t, s, space, 100); n != 1 {
		t.Errorf("%d vectors for the third version", n)
	}
}

func vectorsFor(due indexes.DueUnits, dimensions int) [][]float32 {
	vectors := make([][]float32, len(due.Units))
	for i, u := range due.Units {
		vectors[i] = direction(u.Text, dimensions)
	}
	return vectors
}

// A space that is going away takes no more vectors.
func TestVectorsOfADroppedSpace(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, says("c", "one", "two", "three")))
	testSpace(t, s, "a", 8)
	b := testSpace(t, s, "b", 8)
	due := must[indexes.DueUnits](t)(s.DueUnits(t.Context(), tender(), b.ID, 100))
	must[int](t)(s.SaveVectors(t.Context(), tender(), b.ID, due, vectorsFor(due, 8)))
	if more := must[bool](t)(s.DropSpace(t.Context(), tender(), b.ID, 2)); !more {
		t.Fatal("nothing is left to drop")
	}
	if n := must[int](t)(s.SaveVectors(t.Context(), tender(), b.ID, due, vectorsFor(due, 8))); n != 0 {
		t.Errorf("%d vectors were stored", n)
	}
}

// One small owner among many large ones finds everything that is its own, and nothing else, in a space that has an index of
// nearest neighbours as well as in one that has none.
func TestNearestOfASmallOwner(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	s.ExactUnits = 300
	for owner := range 8 {
		id := member(memory.Owner(fmt.Sprintf("user:large%d", owner)))
		for i := range 6 {
			var contents []string
			for n := range 20 {
				contents = append(contents, fmt.Sprintf("large %d %d %d", owner, i, n))
			}
			must[talk.Stored](t)(s.AppendMessages(t.Context(), id, says(fmt.Sprintf("c%d-%d", owner, i), contents...)))
		}
	}
	small := member("user:small")
	var own []string
	for n := range 12 {
		own = append(own, fmt.Sprintf("small %d", n))
	}
	must[talk.Stored](t)(s.AppendMessages(t.Context(), small, says("small", own...)))
	space := testSpace(t, s, "a", 32)
	embed(t, s, space, 200)
	look := func(when string) {
		t.Helper()
		texts, _ := nearestTexts(t, s, small, search.Sessions, space, "large 3 3 3", 20)
		slices.Sort(texts)
		want := slices.Sorted(slices.Values(own))
		if diff := cmp.Diff(want, texts); diff != "" {
			t.Errorf("%s, the small owner finds:\n%s", when, diff)
		}
		everybody := member("")
		everybody.AnyOwner = true
		for _, text := range []string{"large 3 3 3", "large 7 5 19", "small 7"} {
			texts, _ := nearestTexts(t, s, everybody, search.Sessions, space, text, 3)
			if len(texts) != 3 || texts[0] != text {
				t.Errorf("%s, nearest to %s among all: %q", when, text, texts)
			}
		}
	}
	look("before it grew")
	if !must[bool](t)(s.GrowSpace(t.Context(), tender(), space.ID, 400)) {
		t.Fatal("the space did not grow")
	}
	look("half way")
	for more := true; more; {
		more = must[bool](t)(s.GrowSpace(t.Context(), tender(), space.ID, 400))
	}
	look("as a large space")
	plan := query[string](t, s, tender(), `select count(*)::text from pg_indexes where indexdef like '%hnsw%'`)
	if plan[0] != "1" {
		t.Errorf("%s indexes of nearest neighbours", plan[0])
	}

	// Later vectors join it, those of rewritten texts leave it.
	must[talk.Stored](t)(s.AppendMessages(t.Context(), small, says("small", "small late")))
	embed(t, s, space, 100)
	must[bool](t)(s.GrowSpace(t.Context(), tender(), space.ID, 400))
	own = append(own, "small late")
	look("after a late message")
	other := testSpace(t, s, "b", 16)
	if other.State != indexes.SpaceBuilding {
		t.Fatalf("the second space is %s", other.State)
	}
	embed(t, s, other, 500)
	must[indexes.Space](t)(s.SwitchSpace(t.Context(), tender(), other.ID))
	for more := true; more; {
		more = must[bool](t)(s.DropSpace(t.Context(), tender(), space.ID, 500))
	}
	if plan := query[string](t, s, tender(), `select count(*)::text from pg_indexes where indexdef like '%hnsw%'`); plan[0] != "0" {
		t.Errorf("%s indexes of nearest neighbours are left", plan[0])
	}
}

// One space is live at a time; a retired one can become live again.
func TestSpaces(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, says("c", "one", "two")))
	a, b := testSpace(t, s, "a", 8), testSpace(t, s, "b", 16)
	if again := testSpace(t, s, "a", 8); again.ID != a.ID || again.State != indexes.SpaceLive {
		t.Errorf("the same identity again: %+v", again)
	}
	embed(t, s, a, 100)
	if live := must[indexes.Space](t)(s.LiveSpace(t.Context(), id)); live.ID != a.ID || b.State != indexes.SpaceBuilding {
		t.Errorf("live %+v, the other %+v", live, b)
	}
	embed(t, s, b, 100)
	must[indexes.Space](t)(s.SwitchSpace(t.Context(), tender(), b.ID))
	states := map[int64]indexes.SpaceState{}
	for _, space := range must[[]indexes.Space](t)(s.Spaces(t.Context(), tender())) {
		states[space.ID] = space.State
		if space.Vectors == 0 || space.Due != 0 {
			t.Errorf("%+v", space)
		}
	}
	if diff := cmp.Diff(map[int64]indexes.SpaceState{a.ID: indexes.SpaceRetired, b.ID: indexes.SpaceLive}, states); diff != "" {
		t.Errorf("after switching:\n%s", diff)
	}
	// Not kept up to date, then live again: what it lacks is due.
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, says("c", "three")))
	embed(t, s, b, 100)
	must[indexes.Space](t)(s.SwitchSpace(t.Context(), tender(), a.ID))
	if n := embed(t, s, a, 100); n != 1 {
		t.Errorf("%d units were due in the space that is live again, want 1", n)
	}
	// A live space is never dropped.
	must[bool](t)(s.DropSpace(t.Context(), tender(), a.ID, 100))
	if texts, _ := nearestTexts(t, s, id, search.Sessions, a, "two", 1); !slices.Equal(texts, []string{"two"}) {
		t.Errorf("after trying to drop the live space: %q", texts)
	}
	for more := true; more; {
		more = must[bool](t)(s.DropSpace(t.Context(), tender(), b.ID, 1))
	}
	if left := must[[]indexes.Space](t)(s.Spaces(t.Context(), tender())); len(left) != 1 {
		t.Errorf("left: %+v", left)
	}
	if _, err := s.OpenSpace(t.Context(), tender(),
		memory.EmbeddingIdentity{Dimensions: indexes.MaxDimensions + 1}); !invalid("dimensions")(err) {
		t.Errorf("too many dimensions: %v", err)
	}
	if _, err := s.SwitchSpace(t.Context(), tender(), b.ID); !is(pg.ErrNotFound)(err) {
		t.Errorf("switching to what is gone: %v", err)
	}
}
