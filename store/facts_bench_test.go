package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"reverie/memory"
	"reverie/store/facts"
	"reverie/store/pg"
)

// What facts add to a write: the same writes on one server, in turn on a store that keeps facts and on one that does not.
func BenchmarkFactsOfWrites(b *testing.B) {
	without := openStore(b, func(o *pg.Options) { o.FactsOff = true })
	with := openStore(b)
	note := func(n int) string {
		var lines strings.Builder
		for i := range 60 {
			fmt.Fprintf(&lines, "- \"My colleague number %d.%d lives in Hamburg since March [2026-03] and likes the train.\"\n", n, i)
		}
		return lines.String()
	}
	for _, write := range []struct {
		name string
		call func(s *Store, i int) error
	}{
		{"append", func(s *Store, i int) error {
			c := noteChange(fmt.Sprintf("- \"I moved to house number %d [2026-11].\"\n", i))
			c.Path = fmt.Sprintf("memory/note-%d.md", i/50)
			_, err := s.Apply(b.Context(), member("user:7"), pg.NewID().String(), []memory.Change{c})
			return err
		}},
		{"note of 60 lines", func(s *Store, i int) error {
			c := noteChange(note(i))
			c.Path = fmt.Sprintf("memory/2026-11-01-%d.md", i)
			_, err := s.Apply(b.Context(), member("user:7"), pg.NewID().String(), []memory.Change{c})
			return err
		}},
		{"extraction", func() func(s *Store, i int) error {
			runs := map[*Store]func(i int) error{with: extractions(b, with), without: extractions(b, without)}
			return func(s *Store, i int) error { return runs[s](i) }
		}()},
	} {
		b.Run(write.name, func(b *testing.B) {
			took := map[*Store][]time.Duration{}
			n := 0
			run := func() {
				for _, s := range [][]*Store{{with, without}, {without, with}}[n%2] {
					start := time.Now()
					if err := write.call(s, n); err != nil {
						b.Fatal(err)
					}
					if n >= 20 { // statements are prepared and plans are made
						took[s] = append(took[s], time.Since(start))
					}
				}
				n++
			}
			for range 20 {
				run()
			}
			for b.Loop() {
				run()
			}
			p50 := func(s *Store) time.Duration {
				slices.Sort(took[s])
				return took[s][len(took[s])/2]
			}
			b.ReportMetric(float64(p50(with).Microseconds()), "µs-with")
			b.ReportMetric(float64(p50(without).Microseconds()), "µs-without")
			b.ReportMetric(100*(float64(p50(with))/float64(p50(without))-1), "%-more")
		})
	}
}

// A page of 100,000 facts of one agent by trust, in turn with a bare scan of the same index.
func BenchmarkFactsByTrust(b *testing.B) {
	s := openStore(b)
	id := member("user:7")
	write(b, s, id, replace(personal("MEMORY.md"), 0, "- Lives in Berlin with two cats.\n"))
	if found := factsOf(b, s, id, facts.Query{}); len(found) != 1 {
		b.Fatalf("%d facts", len(found))
	}
	set := everything(b, id)
	if _, err := rawAs(b, s, set, `insert into facts (`+factColumns+`)
		select workspace_id, agent_id, scope, owner_key, document_id, md5(n::text), version, ended, gen_random_uuid(), at, ended_at,
			text || n, heading, category, kind, subject, attribute, value, single, confidence, valid_from, valid_to, source, place, day,
			(n % 7) / 10.0, (array[0, 60, 365])[n % 3 + 1], shown, 1 + n % 5, n % 4, n % 3, seen - n % 1000, archived
		from facts, generate_series(1, 100000) n`); err != nil {
		b.Fatal(err)
	}
	took := map[string][]time.Duration{}
	measure := func(name string, call func() error) {
		start := time.Now()
		if err := call(); err != nil {
			b.Fatal(err)
		}
		took[name] = append(took[name], time.Since(start))
	}
	cursor := ""
	for b.Loop() {
		measure("list", func() error {
			page, err := s.ByTrust(b.Context(), id, facts.Query{Page: pg.Page{Cursor: cursor}})
			cursor = page.Next
			return err
		})
		measure("scan", func() error {
			_, err := rawAs(b, s, set, `select count(*) from (
				select text from facts
				where workspace_id = 'acme' and agent_id = 'ada' and scope = 'PERSONAL' and owner_key = 'user:7' and half_life = 60
					and ended is null and shown
				order by standing desc, fact_id limit 51) f`)
			return err
		})
	}
	for name, times := range took {
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "ms-p95-"+name)
	}
}
