package store

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/pg"
	"reverie/store/talk"
)

// The floor of every write is one durable transaction of one row in one round trip; benchmarks say how many of these a
// call costs, measured in the same run on the same server.
func floor(b *testing.B, s *Store) time.Duration {
	b.Helper()
	took := make([]time.Duration, 300)
	for i := range took {
		start := time.Now()
		if err := s.ReportComponent(b.Context(), "floor", fmt.Sprint(i), ""); err != nil {
			b.Fatal(err)
		}
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// measure runs call b.N times, one after the other, and reports its cost in floors.
func measure(b *testing.B, s *Store, call func(i int) error) {
	b.Helper()
	base := floor(b, s)
	for i := range 10 { // statements are prepared and plans are made
		if err := call(-1 - i); err != nil {
			b.Fatal(err)
		}
	}
	n := 0
	for b.Loop() {
		if err := call(n); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(b.Elapsed())/float64(n)/float64(base), "floors/op")
}

func BenchmarkAppendMessages(b *testing.B) {
	for _, size := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := openStore(b)
			measure(b, s, func(i int) error {
				_, err := s.AppendMessages(b.Context(), member("user:7"), turn(fmt.Sprint("c", i/20), fmt.Sprint("m", i, "-"), size))
				return err
			})
		})
	}
}

func BenchmarkAppendMessagesParallel(b *testing.B) {
	s := openStore(b)
	var n atomic.Int64
	b.RunParallel(func(p *testing.PB) {
		owner := memory.Owner(fmt.Sprint("user:", n.Add(1)))
		for i := 0; p.Next(); i++ {
			if _, err := s.AppendMessages(
				b.Context(), member(owner), turn(fmt.Sprint(owner, i/20), fmt.Sprint("m", i, "-"), 4),
			); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// The note that grows all day, and one key for every write.
func BenchmarkApplyAppend(b *testing.B) {
	s := openStore(b)
	measure(b, s, func(i int) error {
		c := noteChange(fmt.Sprintf("- line %d\n", i))
		c.Path = fmt.Sprintf("memory/note-%d.md", i/50)
		_, err := s.Apply(b.Context(), member("user:7"), fmt.Sprint("key ", i), []memory.Change{c})
		return err
	})
}

// One extraction as its two steps do it, on a conversation of ten messages, with documents that are there.
func BenchmarkExtraction(b *testing.B) {
	s := openStore(b)
	measure(b, s, extractions(b, s))
}

// extractions prepares documents and returns a function that stores one extraction.
func extractions(b *testing.B, s *Store) func(i int) error {
	b.Helper()
	settings := setting.DefaultExtractSettings()
	profile := ""
	for i := range 40 {
		profile += fmt.Sprintf("- something about the person, number %d\n", i)
	}
	write(b, s, member("user:7"), replace(personal("PROFILE.md"), 0, profile))
	version := must[memory.Document](b)(s.Document(b.Context(), member("user:7"), personal("PROFILE.md"))).Version
	return func(i int) error {
		id := workflow("user:7", fmt.Sprint("r", i))
		if _, err := s.AppendMessages(b.Context(), id, turn(fmt.Sprint("c", i), "m", 10)); err != nil {
			return err
		}
		x, r := begin(b, s, id)
		load, err := s.LoadExtraction(b.Context(), id, r, settings)
		if err != nil {
			return err
		}
		note := noteChange(fmt.Sprintf("- line %d\n", i))
		note.Path = fmt.Sprintf("memory/note-%d.md", i/50)
		changed := replace(personal("PROFILE.md"), version, fmt.Sprintf("%s- and %d\n", profile, i))
		version++
		if err := s.SaveDraft(
			b.Context(), id, x.ID, talk.Draft{Changes: []memory.Change{note, changed}, To: load.To, Usage: memory.Usage{Calls: 1}},
		); err != nil {
			return err
		}
		_, err = s.CommitExtraction(b.Context(), id, talk.Commit{ExtractionID: x.ID})
		return err
	}
}

// LoadExtraction of a step of a conversation of 5,000 messages, and of a document with 2,000 versions: neither may make it
// slow.
func BenchmarkLoadExtraction(b *testing.B) {
	s := openStore(b)
	id := workflow("user:7", "r")
	var stored talk.Stored
	for i := range 5 {
		stored = must[talk.Stored](b)(s.AppendMessages(b.Context(), id, turn("c", fmt.Sprint("m", i, "-"), 1000)))
	}
	write(b, s, member("user:7"), replace(personal("MEMORY.md"), 0, "- by hand\n"))
	for i := range 2000 {
		write(b, s, id, replace(personal("MEMORY.md"), i+1, fmt.Sprintf("- by hand\n- by machine %d\n", i)))
	}
	settings := setting.DefaultExtractSettings()
	for name, from := range map[string]int64{"first step": 1, "last step": 4971} {
		b.Run(name, func(b *testing.B) {
			measure(b, s, func(int) error {
				load, err := s.LoadExtraction(
					b.Context(), id, talk.Range{ConversationUID: stored.ConversationUID, From: from, To: 5000}, settings,
				)
				if err == nil && len(load.Protected) != 1 {
					return fmt.Errorf("protected %v", load.Protected)
				}
				return err
			})
		})
	}
}

// BenchmarkNews measures the cost of marking news: the same write, by turns with news and without, on the same server. A dream's writes and
// a clock's turns leave none.
func BenchmarkNews(b *testing.B) {
	b.Run("Apply", func(b *testing.B) {
		s := openStore(b)
		quiet := member("user:7")
		quiet.Author.Kind = memory.AuthorDream
		byTurns(b, func(i int, news bool) error {
			id, path := quiet, fmt.Sprintf("quiet/note-%d.md", i/50)
			if news {
				id, path = member("user:7"), fmt.Sprintf("memory/note-%d.md", i/50)
			}
			_, err := s.Apply(
				b.Context(), id, "", []memory.Change{{Ref: personal(path), Op: memory.OpAppend, Content: fmt.Sprintf("- line %d\n", i)}},
			)
			return err
		})
	})
	b.Run("AppendMessages", func(b *testing.B) {
		s := openStore(b)
		byTurns(b, func(i int, news bool) error {
			batch := turn(fmt.Sprint("c", news, i/20), fmt.Sprint("m", i, "-"), 4)
			if !news {
				batch.Trigger = memory.TriggerCron
			}
			_, err := s.AppendMessages(b.Context(), member("user:7"), batch)
			return err
		})
	})
	// Several people write separate notes that everybody reads: all changes belong to one owner.
	b.Run("Apply by eight at once", func(b *testing.B) {
		s := openStore(b, func(o *pg.Options) { o.MaxConns = 8 })
		byTurns(b, func(i int, news bool) error {
			errs := make([]error, 8)
			var wg sync.WaitGroup
			for w := range errs {
				wg.Go(func() {
					id, path := member(memory.Owner(fmt.Sprint("user:", w))), fmt.Sprintf("memory/%d-%d.md", w, i/10)
					if !news {
						id.Author.Kind, path = memory.AuthorDream, "quiet/"+path
					}
					for n := range 5 {
						c := memory.Change{Ref: team(path), Op: memory.OpAppend, Content: fmt.Sprintf("- line %d.%d\n", i, n)}
						if _, err := s.Apply(b.Context(), id, "", []memory.Change{c}); err != nil {
							errs[w] = err
							return
						}
					}
				})
			}
			wg.Wait()
			return errors.Join(errs...)
		})
	})
}

// byTurns runs a call with and without news, one after the other, and reports how much longer the one with news takes, by the
// medians.
func byTurns(b *testing.B, call func(i int, news bool) error) {
	b.Helper()
	took := map[bool][]time.Duration{}
	for i := 0; b.Loop(); i++ {
		for _, news := range []bool{i%2 == 0, i%2 != 0} {
			start := time.Now()
			if err := call(i, news); err != nil {
				b.Fatal(err)
			}
			if i >= 10 { // statements are prepared and plans are made
				took[news] = append(took[news], time.Since(start))
			}
		}
	}
	if len(took[true]) == 0 {
		return
	}
	median := func(took []time.Duration) time.Duration {
		slices.Sort(took)
		return took[len(took)/2]
	}
	with, without := median(took[true]), median(took[false])
	b.ReportMetric(float64(with)/float64(without), "with/without")
	b.ReportMetric(float64(with-without)/float64(time.Microsecond), "news-µs")
}

// The database cost of a whole dream: a week of notes, 200 statements of which one is promoted.
func BenchmarkDream(b *testing.B) {
	s := openStore(b, at(func() time.Time { return testClock }))
	candidates := make([]dream.Candidate, 200)
	for i := range candidates {
		candidates[i] = candidate(fmt.Sprintf("Statement number %d about something.", i), "2026-11-19", "2026-11-20")
	}
	for day := 14; day <= 20; day++ {
		text := ""
		for i := range 30 {
			text += "- " + candidates[i].Text + "\n"
			write(
				b, s, workflow("user:7", "x"),
				memory.Change{Ref: personal(fmt.Sprintf("memory/2026-11-%d.md", day)), Op: memory.OpReplace, Force: true, Content: text},
			)
		}
	}
	measure(b, s, func(i int) error {
		d := committedDream(b, s, dreaming("user:7", fmt.Sprint("r", i)), nightly(fmt.Sprint("n", i)), candidates...)
		if d.Outcome != memory.OutcomeWritten {
			return fmt.Errorf("ended %+v", d)
		}
		return nil
	})
}
