package store

import (
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"reverie/language/analysis"
	"reverie/memory"
	"reverie/search"
)

// anyPassages collects all that an identity may find in a corpus and reads its texts.
func anyPassages(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
	corpus := rapid.SampledFrom(search.Corpora()).Draw(t, "corpus")
	collections, err := w.Collect(t.Context(), id, []search.Corpus{corpus}, analysis.NewQuery("acme globex ada", testClock))
	if err != nil {
		return nil, nil, err
	}
	var tags []tag
	for _, u := range collections[0].Units {
		tags = append(tags, w.tagOfGroup(t, u.Group))
	}
	passages, err := w.Passages(t.Context(), id, corpus, collections[0].Units)
	return []any{tags, passages}, nil, err
}

// anySpace is a space of the identity's agent, if there is one, or any other.
func (w *world) anySpace(t *rapid.T, id memory.Identity) int64 {
	rows, err := w.root.Query(t.Context(), "select space_id, workspace_id = $1 and agent_id = $2 from index_spaces order by space_id", id.Workspace, id.Agent)
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
	return w.tagOf(t, "select workspace_id, agent_id, case scope when 'PERSONAL' then owner_key else scope end from index_sources where group_no = $1", group)
}

func (w *world) tagOfSpace(t *rapid.T, space int64) tag {
	var of tag
	err := w.root.QueryRow(t.Context(), "select workspace_id, agent_id, case agent_id when '' then 'GLOBAL' else 'TEAM' end from index_spaces where space_id = $1", space).Scan(&of.workspace, &of.agent, &of.owner)
	if err != nil { // it was dropped
		return tag{"none", "none", "TEAM"}
	}
	return of
}

// anyHash is the hash of a text that one workspace alone had embedded; what it says about a workspace is for its admins.
func (w *world) anyHash(t *rapid.T) (TextHash, tag) {
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
	if err != nil || len(found) == 0 {
		t.Fatal("nothing is cached", err)
	}
	c := rapid.SampledFrom(found).Draw(t, "hash")
	return TextHash(c.Hash), tag{c.Workspace, "", "GLOBAL"}
}

type indexedGroup struct {
	no    int64
	scope memory.Scope
	owner memory.Owner
}

// anyGroups are sources of anybody.
func (w *world) anyGroups(t *rapid.T) []indexedGroup {
	rows, err := w.root.Query(t.Context(), "select group_no, scope, owner_key from index_sources where corpus = 'memory' order by 1")
	if err != nil {
		t.Fatal(err)
	}
	var groups []indexedGroup
	var g indexedGroup
	if _, err := pgx.ForEachRow(rows, []any{&g.no, &g.scope, &g.owner}, func() error { groups = append(groups, g); return nil }); err != nil {
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
