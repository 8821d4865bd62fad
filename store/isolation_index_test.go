package store

import (
	"maps"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"reverie/language/analysis"
	"reverie/memory"
	"reverie/search"
	"reverie/search/fuse"
	"reverie/search/index"
	"reverie/store/dreams"
	"reverie/store/indexes"
	"reverie/store/pg"
)

// anyPassages collects all that an identity may find in a corpus and reads its texts.
func anyPassages(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
	corpus := rapid.SampledFrom(search.Corpora()).Draw(t, "corpus")
	found, err := w.Collect(t.Context(), id, []search.Corpus{corpus}, analysis.NewQuery("acme globex ada", testClock))
	if err != nil {
		return nil, nil, err
	}
	var tags []tag
	for _, u := range found.Collections[0].Units {
		tags = append(tags, w.tagOfGroup(t, u.Group))
	}
	passages, err := w.Passages(t.Context(), id, corpus, found.Collections[0].Units)
	return []any{tags, found.Beliefs, passages}, nil, err
}

// anySpace returns a space of the identity's agent, if there is one, or any other.
func (w *world) anySpace(t *rapid.T, id memory.Identity) int64 {
	rows, err := w.root.Query(
		t.Context(), "select space_id, workspace_id = $1 and agent_id = $2 from index_spaces order by space_id", id.Workspace, id.Agent,
	)
	if err != nil {
		t.Fatal(err)
	}
	var all, own []int64
	var space int64
	var isOwn bool
	if _, err := pgx.ForEachRow(rows, []any{&space, &isOwn}, func() error {
		all = append(all, space)
		if isOwn {
			own = append(own, space)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(own) > 0 && rapid.Bool().Draw(t, "own space") {
		all = own
	}
	return rapid.SampledFrom(all).Draw(t, "space")
}

func (w *world) tagOfGroup(t *rapid.T, group int64) tag {
	return w.tagOf(
		t,
		"select workspace_id, agent_id, case scope when 'PERSONAL' then owner_key else scope end from index_sources where group_no = $1",
		group,
	)
}

func (w *world) tagOfSpace(t *rapid.T, space int64) tag {
	var of tag
	err := w.root.QueryRow(
		t.Context(),
		"select workspace_id, agent_id, case agent_id when '' then 'GLOBAL' else 'TEAM' end from index_spaces where space_id = $1", space,
	).Scan(&of.workspace, &of.agent, &of.owner)
	if err != nil { // it was dropped
		return tag{"none", "none", "TEAM"}
	}
	return of
}

// anyHash holds the hash of a text that only one workspace has embedded; only the workspace's admins may learn of it.
func (w *world) anyHash(t *rapid.T) (indexes.TextHash, tag) {
	rows, err := w.root.Query(t.Context(), `
select min(workspace_id), text_hash from embedding_cache group by text_hash having count(distinct workspace_id) = 1 order by 2`)
	if err != nil {
		t.Fatal(err)
	}
	type cached struct {
		Workspace string
		Hash      []byte
	}
	found, err := collect[cached](rows)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 { // erasing empties the cache
		return indexes.TextHash{0xff}, tag{w.places[0].workspace, "", "GLOBAL"}
	}
	c := rapid.SampledFrom(found).Draw(t, "hash")
	return indexes.TextHash(c.Hash), tag{c.Workspace, "", "GLOBAL"}
}

type indexedGroup struct {
	no    int64
	scope memory.Scope
	owner memory.Owner
}

// anyGroups returns sources of anybody.
func (w *world) anyGroups(t *rapid.T) []indexedGroup {
	rows, err := w.root.Query(t.Context(), "select group_no, scope, owner_key from index_sources where corpus = 'memory' order by 1")
	if err != nil {
		t.Fatal(err)
	}
	var groups []indexedGroup
	var g indexedGroup
	if _, err := pgx.ForEachRow(rows, []any{&g.no, &g.scope, &g.owner},
		func() error { groups = append(groups, g); return nil }); err != nil {
		t.Fatal(err)
	}
	return rapid.SliceOfN(rapid.SampledFrom(groups), 1, 3).Draw(t, "groups")
}

// visibleSources counts what an identity may see, written without a look at the policies.
func (w *world) visibleSources(t *rapid.T, id memory.Identity, corpus search.Corpus) int64 {
	rows, err := w.root.Query(t.Context(), `
select workspace_id, agent_id, case scope when 'PERSONAL' then owner_key else scope end from index_sources where corpus = $1`, corpus)
	if err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	var of tag
	if _, err := pgx.ForEachRow(rows, []any{&of.workspace, &of.agent, &of.owner}, func() error {
		if sees(id, of) {
			n++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// someVotes returns the votes of a question.
func someVotes() map[search.Corpus][]fuse.Votes {
	return map[search.Corpus][]fuse.Votes{search.Memory: {{Text: 1, Noise: 3, Agreement: 3, Sure: .5, Met: true}}}
}

func init() { maps.Copy(calls, indexCalls) }

// indexCalls are the calls of the index: what is found, its vectors, its upkeep, and what was recalled.
var indexCalls = map[string]call{
	"Collect": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return anyPassages(t, w, id)
	},
	"Forgotten": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		found, err := w.Forgotten(t.Context(), id)
		return found, nil, err
	},
	"Passages": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		// Units of any owner, as if their ids had leaked.
		var groups []int64
		if err := w.root.QueryRow(
			t.Context(), "select array_agg(group_no order by group_no) from index_sources",
		).Scan(&groups); err != nil {
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
		dense, err := w.Nearest(
			t.Context(), id, indexes.VectorQuery{Corpus: corpus, Space: w.anySpace(t, id), Vector: []float32{1, 0}, Depth: 1000},
		)
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
	"NeedsSpace": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		_, err := w.NeedsSpace(t.Context(), id, worldIdentity("new"))
		return nil, nil, err
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
		vectors, err := w.CachedVectors(t.Context(), id, worldIdentity("live"), []indexes.TextHash{hash})
		if len(vectors) == 0 {
			return nil, nil, err
		}
		return nil, &of, err
	},
	"LearnReputations": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.LearnReputations(t.Context(), id, w.anySpace(t, id), someVotes()) // no effect on what is not there
	},
	"SaveVectors": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		groups := w.anyGroups(t)
		due := indexes.DueUnits{}
		for _, g := range groups {
			due.Units = append(
				due.Units, indexes.DueUnit{Key: index.UnitKey{Group: g.no, Ordinal: 256}, Corpus: search.Memory, Scope: g.scope, Owner: g.owner},
			)
			due.Reached = append(due.Reached, indexes.Reached{Group: g.no, Ordinal: 256})
		}
		_, err := w.SaveVectors(t.Context(), id, w.anySpace(t, id), due, vectorsOf(due))
		return nil, nil, err
	},
	"PackIndex": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		_, err := w.PackIndex(t.Context(), id)
		return nil, nil, err
	},
	"PackFrom": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		_, err := w.PackFrom(t.Context(), id, 1)
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
		return nil, nil, w.RecordRecalls(t.Context(), []dreams.Recall{worldRecall(id)})
	},
	"Recalls": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		recalls, err := w.Recalls(t.Context(), id, testClock, true, pg.MaxPage)
		return recalls, nil, err
	},
}
