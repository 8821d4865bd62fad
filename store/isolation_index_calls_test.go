package store

import (
	"maps"

	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/search"
	"reverie/search/index"
)

func init() { maps.Copy(calls, indexCalls) }

// indexCalls are the calls of the index: what is found, its vectors, its upkeep, and what was recalled.
var indexCalls = map[string]call{
	"Collect": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return anyPassages(t, w, id)
	},
	"Passages": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		// Units of anybody's, as if somebody had told which there are.
		var groups []int64
		if err := w.root.QueryRow(t.Context(), "select array_agg(group_no order by group_no) from index_sources").Scan(&groups); err != nil {
			t.Fatal(err)
		}
		corpus := rapid.SampledFrom(search.Corpora()).Draw(t, "corpus")
		var units []index.Unit
		for _, group := range groups {
			units = append(units, index.Unit{Group: group, Seq: 1, End: 1000})
		}
		passages, err := w.Passages(t.Context(), id, corpus, units)
		return passages, nil, err
	},
	"Nearest": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		corpus := rapid.SampledFrom(search.Corpora()).Draw(t, "corpus")
		dense, err := w.Nearest(t.Context(), id, VectorQuery{Corpus: corpus, Space: w.anySpace(t, id), Vector: []float32{1, 0}, Depth: 1000})
		var tags []tag
		for _, hit := range dense.Hits {
			tags = append(tags, w.tagOfGroup(t, hit.Unit.Group))
		}
		return tags, nil, err
	},
	"Spaces": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		spaces, err := w.Spaces(t.Context(), id)
		var tags []tag
		for _, space := range spaces {
			tags = append(tags, w.tagOfSpace(t, space.ID))
		}
		return tags, nil, err
	},
	"DueSpaces": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		due, err := w.DueSpaces(t.Context(), id)
		var tags []tag
		for _, space := range due.Spaces {
			tags = append(tags, w.tagOfSpace(t, space.ID))
		}
		return tags, nil, err
	},
	"LiveSpace": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		space, err := w.LiveSpace(t.Context(), id)
		if err != nil {
			return nil, nil, err
		}
		return w.tagOfSpace(t, space.ID), nil, nil
	},
	"OpenSpace": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		space, err := w.OpenSpace(t.Context(), id, worldIdentity(rapid.SampledFrom([]string{"live", "building", "new"}).Draw(t, "model")))
		if err != nil {
			return nil, nil, err
		}
		return w.tagOfSpace(t, space.ID), nil, nil
	},
	"SwitchSpace": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		space := w.anySpace(t, id)
		of := w.tagOfSpace(t, space)
		_, err := w.SwitchSpace(t.Context(), id, space)
		return nil, &of, err
	},
	"DropSpace": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		_, err := w.DropSpace(t.Context(), id, w.anySpace(t, id), 2) // of what is not there, it drops nothing
		return nil, nil, err
	},
	"GrowSpace": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		_, err := w.GrowSpace(t.Context(), id, w.anySpace(t, id), 2) // what is not there does not grow
		return nil, nil, err
	},
	"DueUnits": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		due, err := w.DueUnits(t.Context(), id, w.anySpace(t, id), 100)
		return due, nil, err
	},
	"CachedVectors": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		hash, of := w.anyHash(t)
		vectors, err := w.CachedVectors(t.Context(), id, worldIdentity("live"), []TextHash{hash})
		if len(vectors) == 0 {
			return nil, nil, err
		}
		return nil, &of, err
	},
	"SaveVectors": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		groups := w.anyGroups(t)
		due := DueUnits{}
		for _, g := range groups {
			due.Units = append(due.Units, DueUnit{Key: index.UnitKey{Group: g.no, Ordinal: 256}, Corpus: search.Memory, Scope: g.scope, Owner: g.owner})
			due.Reached = append(due.Reached, Reached{g.no, 256})
		}
		_, err := w.SaveVectors(t.Context(), id, w.anySpace(t, id), due, vectorsOf(due))
		return nil, nil, err
	},
	"PackIndex": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		if _, err := w.PackIndex(t.Context(), id); err != nil {
			return nil, nil, err
		}
		_, err := w.packFrom(t.Context(), id, 1)
		return nil, nil, err
	},
	"StaleIndex": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		_, err := w.StaleIndex(t.Context(), id)
		return nil, nil, err
	},
	"RebuildIndex": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		_, err := w.RebuildIndex(t.Context(), id, 3)
		return nil, nil, err
	},
	"IndexStatus": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		status, err := w.IndexStatus(t.Context(), id)
		if err == nil && len(status) != len(search.Corpora()) {
			t.Fatalf("status %+v", status)
		}
		for _, s := range status {
			if err == nil && s.Sources > w.visibleSources(t, id, s.Corpus) {
				t.Fatalf("%+v counts %d sources of %s", id, s.Sources, s.Corpus)
			}
		}
		return nil, nil, err
	},
	"IndexLag": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		lag, err := w.IndexLag(t.Context(), id, search.Corpora(), 0)
		if n := w.visibleSources(t, id, search.Memory) + w.visibleSources(t, id, search.Sessions); err == nil && lag.Sources > n {
			t.Fatalf("%+v: %d sources wait of %d", id, lag.Sources, n)
		}
		return nil, nil, err
	},
	"RecordRecalls": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.RecordRecalls(t.Context(), []Recall{worldRecall(id)})
	},
	"Recalls": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		recalls, err := w.Recalls(t.Context(), id, testClock, true, MaxPage)
		return recalls, nil, err
	},
}
