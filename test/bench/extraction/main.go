// Command extraction measures what the built-in engine keeps: on labelled conversations, and on dialogues with annotated
// questions next to a random choice and the longest messages at the same volume. It needs no server. It exits with 1 if the set misses a
// limit.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime/metrics"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"reverie/llm/extractive"
	"reverie/memory/proposals"
	"reverie/test/bench/services"
	"reverie/test/corpus"
)

func main() {
	set := flag.String("set", "test/corpus/test", "folder of labelled conversations")
	dialogues := flag.String("dialogues", "", "file of dialogues with questions and their evidence, in the format of LoCoMo")
	report := flag.String("report", "", "file for a random sample of kept lines with their sources, to read by hand")
	sample := flag.Int("sample", 150, "lines of the sample")
	services.Main("extraction", func(ctx context.Context, w io.Writer, asJSON bool) (bool, error) {
		return run(ctx, w, asJSON, *set, *dialogues, *report, *sample)
	})
}

// figures are the shares of a set, with their limits.
type figures struct {
	Set           string         `json:"set"`
	Conversations int            `json:"conversations"`
	Kept          float64        `json:"kept"`
	Lasting       float64        `json:"lasting"`
	Traps         float64        `json:"traps"`
	Gone          float64        `json:"gone"`
	Junk          float64        `json:"junk"`
	Unfaithful    float64        `json:"unfaithful"`
	P50           time.Duration  `json:"p50"`
	P95           time.Duration  `json:"p95"`
	Bars          []services.Bar `json:"bars"`
}

// Limits, as docs/benchmarks.md has them.
const (
	mostMissed     = .15
	mostTraps      = .03
	mostJunk       = .10
	mostUnfaithful = .01
)

// figuresOf returns the shares of a score.
func figuresOf(set string, s corpus.Score, unfaithful float64, took []time.Duration) figures {
	share := func(n, of int) float64 { return float64(n) / float64(max(1, of)) }
	f := figures{
		Set: set, Conversations: s.Conversations, Kept: share(s.Kept, s.Keep), Lasting: share(s.LastingKept, s.LastingKeep),
		Traps: share(s.Fallen, s.Traps), Gone: share(s.Asserted, s.Gone), Junk: share(s.Junk, s.LastingLines), Unfaithful: unfaithful,
		P50: took[len(took)/2], P95: took[len(took)*95/100],
	}
	f.Bars = []services.Bar{
		{Name: "statements missed", Got: 1 - f.Kept, Most: mostMissed},
		{Name: "traps", Got: f.Traps, Most: mostTraps},
		{Name: "junk in the files", Got: f.Junk, Most: mostJunk},
		{Name: "lines nobody said", Got: f.Unfaithful, Most: mostUnfaithful},
	}
	return f
}

// keptLine is a line with its conversation, for the sample.
type keptLine struct {
	conversation, where, line string
	said                      []string
}

func run(ctx context.Context, out io.Writer, asJSON bool, set, dialogues, report string, sample int) (passed bool, err error) {
	conversations, err := corpus.Load(set)
	if err != nil {
		return false, err
	}
	w := out // of tables
	if asJSON {
		w = io.Discard
	}
	var (
		byLang, byKind = map[string]*corpus.Score{}, map[string]*corpus.Score{}
		all            corpus.Score
		took           []time.Duration
		lines          []keptLine
		unfaithful     int
		memory         [2]uint64
	)
	for _, talk := range conversations {
		in, err := talk.Input()
		if err != nil {
			return false, err
		}
		before := allocated()
		began := time.Now()
		answer, err := extractive.New().Propose(ctx, in)
		if err != nil {
			return false, err
		}
		took = append(took, time.Since(began))
		for i, n := range allocated() {
			memory[i] += n - before[i]
		}
		p, err := proposals.ParseProposal(answer.Raw)
		if err != nil {
			return false, fmt.Errorf("%s: %w", talk.ID, err)
		}
		kept := corpus.KeptOf(in, p)
		for _, part := range []struct {
			where string
			lines []string
		}{{"note", kept.Daily}, {"files", kept.Lasting}} {
			for _, l := range part.lines {
				if !corpus.IsFaithful(l, in) {
					unfaithful++
					fmt.Fprintf(w, "not what was said: %s: %s\n", talk.ID, l)
				}
				lines = append(lines, keptLine{talk.ID, part.where, l, sourcesOf(p, l, in)})
			}
		}
		s := talk.Judge(kept, nil)
		all.Add(s)
		add(byLang, talk.Lang, s)
		if len(talk.Hard) == 0 {
			add(byKind, "(plain)", s)
		}
		for _, k := range talk.Hard {
			add(byKind, k, s)
		}
	}
	fmt.Fprintf(w, "%s\n\n", corpus.Head)
	for _, table := range []map[string]*corpus.Score{byLang, byKind} {
		for _, name := range sortedKeys(table) {
			fmt.Fprintln(w, corpus.Row(name, *table[name]))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, corpus.Row("all", all))
	slices.Sort(took)
	fmt.Fprintf(w, "\nlines that say what nobody said (by code): %d of %d\n", unfaithful, len(lines))
	fmt.Fprintf(w, "time per conversation: p50 %s, p95 %s\n", took[len(took)/2].Round(time.Microsecond),
		took[len(took)*95/100].Round(time.Microsecond))
	n := uint64(len(took))
	fmt.Fprintf(w, "memory per conversation: %d allocations, %d KiB\n", memory[0]/n, memory[1]/n/1024)
	if dialogues != "" {
		if err := measureDialogues(w, dialogues); err != nil {
			return false, err
		}
	}
	f := figuresOf(set, all, float64(unfaithful)/float64(max(1, len(lines))), took)
	if err := services.Show(out, asJSON, f, func(w io.Writer) error {
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table)
		services.PrintBars(table, f.Bars)
		return table.Flush()
	}); err != nil {
		return false, err
	}
	if report != "" {
		err = os.WriteFile(report, []byte(sampleOf(lines, sample)), 0o600)
	}
	return services.Passed(f.Bars), err
}

// allocated returns the number of objects and bytes that the process has allocated.
func allocated() [2]uint64 {
	samples := []metrics.Sample{{Name: "/gc/heap/allocs:objects"}, {Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(samples)
	return [2]uint64{samples[0].Value.Uint64(), samples[1].Value.Uint64()}
}

func add(table map[string]*corpus.Score, name string, s corpus.Score) {
	if table[name] == nil {
		table[name] = &corpus.Score{}
	}
	table[name].Add(s)
}

func sortedKeys(table map[string]*corpus.Score) []string {
	var names []string
	for name := range table {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// sourcesOf returns the messages from which a line was taken.
func sourcesOf(p proposals.Proposal, line string, in proposals.ExtractionInput) []string {
	var out []string
	for _, e := range p.Evidence {
		if strings.TrimPrefix(e.Line, "- ") != line {
			continue
		}
		for _, seq := range e.Messages {
			out = append(out, in.Transcript[seq-1].Text)
		}
		break
	}
	return out
}

// sampleOf returns random lines in Markdown, each with its source. The choice is the same in every run over the same lines.
func sampleOf(lines []keptLine, n int) string {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a repeatable sample
	r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	lines = lines[:min(n, len(lines))]
	var b strings.Builder
	fmt.Fprintf(&b, "# %d random lines\n", len(lines))
	for i, l := range lines {
		fmt.Fprintf(&b, "\n%d. %s, %s: %s\n", i+1, l.conversation, l.where, l.line)
		for _, s := range l.said {
			fmt.Fprintf(&b, "   > %s\n", strings.Join(strings.Fields(s), " "))
		}
	}
	return b.String()
}
