package store

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"reverie/dream"
	"reverie/memory"
	"reverie/store/dreams"
	"reverie/store/pg"
)

// Connections are killed in the middle of whatever a dream does, and every step is repeated until it gets an answer: each
// night is committed once, with all that belongs to it.
func TestKilledDreams(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	began := time.Now()
	if err := oneNight(t.Context(), s, nil, "user:warm-up", 0); err != nil {
		t.Fatal(err)
	}
	k := killing(t, s, max(100*time.Millisecond, time.Since(began)))
	const owners, nights = 3, 12
	var working sync.WaitGroup
	for o := range owners {
		working.Go(func() {
			for i := range nights {
				if err := oneNight(t.Context(), s, k, memory.Owner(fmt.Sprint("user:", o)), i); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	working.Wait()
	k.stop()

	for o := range owners {
		id := member(memory.Owner(fmt.Sprint("user:", o)))
		records := must[pg.Listed[dreams.Dream]](t)(s.Dreams(t.Context(), id, dreams.DreamFilter{}, pg.Page{}))
		if len(records.Items) != nights {
			t.Errorf("%s: %d records, want %d", id.Owner, len(records.Items), nights)
		}
		for _, x := range records.Items {
			if x.Outcome != memory.OutcomeWritten || len(x.Changes) != 2 || x.HasDraft {
				t.Errorf("%s: %+v", id.Owner, x)
			}
		}
		d := must[memory.Document](t)(s.Document(t.Context(), id, personal(memory.MemoryPath)))
		diary := must[memory.Document](t)(s.Document(t.Context(), id, personal(memory.DreamsPath)))
		states := statesOf(t, s, dreaming(id.Owner, ""))
		for i := range nights {
			text := fmt.Sprintf("Likes number %d.", i)
			if n := strings.Count(d.Content, "- "+text+"\n"); n != 1 {
				t.Errorf("%s: %q stands %d times", id.Owner, text, n)
			}
			if state := states[text]; state.Status != dream.Promoted || state.LightHits != 1 {
				t.Errorf("%s: state %+v", id.Owner, state)
			}
		}
		if d.Version != nights || diary.Version != nights || len(states) != nights {
			t.Errorf("%s: versions %d and %d, %d states, want %d", id.Owner, d.Version, diary.Version, len(states), nights)
		}
		if news := newsOf(t, s, id); len(news) > 0 {
			t.Errorf("%s: news %v, and all of them were cleared", id.Owner, news)
		}
	}
}

// oneNight writes a note and dreams of it, each step repeated until there is an answer.
func oneNight(ctx context.Context, s *Store, k *killer, owner memory.Owner, i int) error {
	id := dreaming(owner, fmt.Sprint("r", i))
	c := candidate(fmt.Sprintf("Likes number %d.", i), "2026-11-20")
	var x dreams.Dream
	var load dreams.DreamLoad
	var stage dreams.DreamStage
	ref := func(path string) memory.Ref { return memory.Ref{Scope: memory.ScopePersonal, Path: path} }
	for _, step := range []func() error{
		func() error {
			_, err := s.Apply(
				ctx, member(owner), fmt.Sprint("note ", i),
				[]memory.Change{{Ref: ref("memory/2026-11-20.md"), Op: memory.OpAppend, Content: "- " + c.Text}},
			)
			return err
		},
		func() (err error) { x, err = s.BeginDream(ctx, id, nightly(fmt.Sprint("night ", i))); return err },
		func() (err error) { load, err = s.LoadDream(ctx, id, x.ID); return err },
		func() error {
			return s.StageDream(ctx, id, x.ID, dreams.StagedDream{
				AsOf: load.AsOf, From: load.From, Scope: load.Scope, Candidates: []dream.Candidate{c}, Pins: dream.Pins{News: load.News},
			})
		},
		func() error { return s.ReflectDream(ctx, id, x.ID, dream.Reflection{}) },
		func() (err error) { stage, err = s.DreamStage(ctx, id, x.ID); return err },
		func() error {
			return s.DraftDream(ctx, id, x.ID, dreams.DreamDraft{
				Outcome: memory.OutcomeWritten,
				Ranking: dream.Ranking{Candidates: []dream.Candidate{judged(c, dream.VerdictPromoted, dream.ReasonPassed)}},
				Changes: []memory.Change{
					{
						Ref: ref(memory.MemoryPath), Op: memory.OpReplace, Base: stage.Files.Memory.Version,
						Content: stage.Files.Memory.Content + "- " + c.Text + "\n",
					},
					{Ref: ref(memory.DreamsPath), Op: memory.OpAppend, Content: c.Text},
				},
			})
		},
		func() error { _, err := s.CommitDream(ctx, id, x.ID, ""); return err },
	} {
		if err := k.until(step); err != nil {
			return err
		}
	}
	return nil
}
