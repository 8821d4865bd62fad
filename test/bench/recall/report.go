package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"reverie/test/bench/services"
)

// report is the result of a run, also as JSON.
type report struct {
	File      string           `json:"file"`
	Ranking   string           `json:"ranking"` // "lexical", or the source of the vectors
	Loaded    loadFigures      `json:"loaded"`
	Overall   figures          `json:"overall"`
	Without5  figures          `json:"withoutCategory5"`
	ByKind    []figures        `json:"categories"`
	Dialogues []figures        `json:"dialogues"`
	Latency   services.Latency `json:"latency"`
	Inputs    []ablated        `json:"inputs,omitempty"` // words and vectors, each alone
	Ablations []ablated        `json:"ablations,omitempty"`
	Bars      []bar            `json:"bars,omitempty"`
}

// loadFigures describes the data, and what of the file could not be used.
type loadFigures struct {
	Dialogues int     `json:"dialogues"`
	Sessions  int     `json:"sessions"`
	Turns     int     `json:"turns"`
	Seconds   float64 `json:"seconds"` // until everything is searchable
	// MalformedReferences counts evidence references to unknown turns, which are left out.
	MalformedReferences int `json:"malformedReferences"`
	// SkippedQuestions counts questions without valid evidence, which are not asked.
	SkippedQuestions int `json:"skippedQuestions"`
}

// figures are the recall of a group of questions.
type figures struct {
	Name      string     `json:"name"`
	Questions int        `json:"questions"`
	Recall    []recallAt `json:"recall"`
}

// ablated is the recall of all questions with other options, and its difference from the defaults'.
type ablated struct {
	ablation
	Recall     []recallAt       `json:"recall"`
	Difference []recallAt       `json:"difference"`
	Latency    services.Latency `json:"latency"`
}

// asked is the result of one question.
type asked struct {
	dialogue string
	category int
	recall   []recallAt
}

// group summarises those outcomes that belong to a group.
func group(name string, outcomes []asked, ks []int, belongs func(asked) bool) figures {
	var recalls [][]recallAt
	for _, a := range outcomes {
		if belongs(a) {
			recalls = append(recalls, a.recall)
		}
	}
	return figures{Name: name, Questions: len(recalls), Recall: mean(recalls, ks)}
}

// adversarial questions ask for something that was not said in this form; their evidence is what they distort.
const adversarial = 5

// categoryNames are the names of the categories in the file.
var categoryNames = map[int]string{1: "1 multi-hop", 2: "2 temporal", 3: "3 open-domain", 4: "4 single-hop", adversarial: "5 adversarial"}

// summarise fills the groups of a report.
func (r *report) summarise(outcomes []asked, ks []int) {
	r.Overall = group("overall", outcomes, ks, func(asked) bool { return true })
	r.Without5 = group("without 5", outcomes, ks, func(a asked) bool { return a.category != adversarial })
	r.ByKind = groups(outcomes, ks, func(a asked) int { return a.category }, func(category int) string {
		if name, ok := categoryNames[category]; ok {
			return name
		}
		return "other"
	})
	slices.SortFunc(r.ByKind, func(a, b figures) int { return cmp.Compare(a.Name, b.Name) })
	r.Dialogues = groups(outcomes, ks, func(a asked) string { return a.dialogue }, func(id string) string { return id })
}

// groups returns the figures per key, in order of first appearance.
func groups[K comparable](outcomes []asked, ks []int, key func(asked) K, name func(K) string) []figures {
	var out []figures
	seen := map[string]bool{}
	for _, a := range outcomes {
		own := name(key(a))
		if seen[own] {
			continue
		}
		seen[own] = true
		out = append(out, group(own, outcomes, ks, func(other asked) bool { return name(key(other)) == own }))
	}
	return out
}

// minus returns the difference of two recalls with the same k.
func minus(a, b []recallAt) []recallAt {
	out := make([]recallAt, len(a))
	for i := range a {
		out[i] = recallAt{K: a[i].K, Turn: a[i].Turn - b[i].Turn, Session: a[i].Session - b[i].Session}
	}
	return out
}

// print prints the report as tables.
func (r report) print(w io.Writer) error {
	l := r.Loaded
	fmt.Fprintf(w, "%s, ranking: %s\n", r.File, r.Ranking)
	fmt.Fprintf(w, "%d dialogues, %d sessions, %d turns, stored and searchable in %.1f s\n", l.Dialogues, l.Sessions, l.Turns, l.Seconds)
	fmt.Fprintf(w, "%d questions asked; %d skipped without valid evidence; %d malformed references ignored\n\n",
		r.Overall.Questions, l.SkippedQuestions, l.MalformedReferences)

	t := newTable(w)
	t.head("", "questions", "recall of turns", "recall of sessions", r.Overall.Recall)
	for _, f := range r.ByKind {
		t.figures(f)
	}
	t.figures(r.Without5)
	t.figures(r.Overall)
	for _, f := range r.Dialogues {
		t.figures(f)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nlatency of a search over HTTP: %s\n", latency(r.Latency))
	if err := printAblations(w, "by itself", r.Inputs); err != nil {
		return err
	}
	if err := printAblations(w, "ablation", r.Ablations); err != nil {
		return err
	}
	for i, b := range r.Bars {
		if i == 0 {
			fmt.Fprintln(w)
		}
		verdict := "missed"
		if b.Passed {
			verdict = "passed"
		}
		why := b.Why
		if why != "" {
			why = " (" + why + ")"
		}
		fmt.Fprintf(w, "%s: %s R@%d %.1f, minimum %.1f%s\n", verdict, b.Level, b.K, percent(b.Got), percent(b.Least), why)
	}
	return nil
}

func printAblations(w io.Writer, title string, ablations []ablated) error {
	if len(ablations) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := newTable(w)
	t.head(title, "p95 ms", "turns, difference in points", "sessions, difference in points", ablations[0].Recall)
	for _, a := range ablations {
		cells := []string{a.Name, fmt.Sprintf("%.1f", a.Latency.P95)}
		for i, d := range a.Difference {
			cells = append(cells, fmt.Sprintf("%.1f %+.1f", percent(a.Recall[i].Turn), percent(d.Turn)))
		}
		for i, d := range a.Difference {
			cells = append(cells, fmt.Sprintf("%.1f %+.1f", percent(a.Recall[i].Session), percent(d.Session)))
		}
		t.row(cells)
	}
	return t.Flush()
}

// table aligns columns.
type table struct{ *tabwriter.Writer }

func newTable(w io.Writer) table {
	return table{tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)}
}

func (t table) row(cells []string) { fmt.Fprintln(t, strings.Join(cells, "\t")+"\t") }

// head writes two lines of column titles, because both levels have a column for every k.
func (t table) head(name, count, turns, sessions string, ks []recallAt) {
	above, below := []string{"", ""}, []string{name, count}
	for _, title := range []string{turns, sessions} {
		for i, k := range ks {
			if i > 0 {
				title = ""
			}
			above = append(above, title)
			below = append(below, fmt.Sprintf("R@%d", k.K))
		}
	}
	t.row(above)
	t.row(below)
}

func (t table) figures(f figures) {
	cells := []string{f.Name, fmt.Sprint(f.Questions)}
	for _, r := range f.Recall {
		cells = append(cells, fmt.Sprintf("%.1f", percent(r.Turn)))
	}
	for _, r := range f.Recall {
		cells = append(cells, fmt.Sprintf("%.1f", percent(r.Session)))
	}
	t.row(cells)
}

func percent(share float64) float64 { return 100 * share }

func latency(l services.Latency) string {
	return fmt.Sprintf("p50 %.1f ms, p95 %.1f ms, longest %.1f ms (%d searches, one at a time)", l.P50, l.P95, l.Max, l.Count)
}

// bar is a minimum of the overall recall.
type bar struct {
	Level  string  `json:"level"` // "turn" or "session"
	K      int     `json:"k"`
	Least  float64 `json:"least"`
	Why    string  `json:"why,omitempty"` // empty: set by -min
	Got    float64 `json:"got"`
	Passed bool    `json:"passed"`
}

// bars are the values of the flag -min.
type bars []bar

// String returns the value in the form of the flag.
func (b *bars) String() string {
	parts := make([]string, len(*b))
	for i, one := range *b {
		parts[i] = fmt.Sprintf("%s@%d=%g", one.Level, one.K, one.Least)
	}
	return strings.Join(parts, ",")
}

// Set parses "turn@10=0.78", or several separated by commas.
func (b *bars) Set(value string) error {
	for part := range strings.SplitSeq(value, ",") {
		name, least, ok := strings.Cut(part, "=")
		level, k, ok2 := strings.Cut(name, "@")
		if !ok || !ok2 || level != "turn" && level != "session" {
			return fmt.Errorf("%q: use turn@K=SHARE or session@K=SHARE", part)
		}
		one := bar{Level: level}
		var err error
		if one.K, err = strconv.Atoi(k); err != nil {
			return err
		}
		if one.Least, err = strconv.ParseFloat(least, 64); err != nil {
			return err
		}
		*b = append(*b, one)
	}
	return nil
}

// The allowed loss of fusion against the better of its inputs, and its k.
const (
	mayLose = 0.01
	lossAt  = 10
)

// fusionBars returns the minimum derived from words and vectors alone, if they were measured.
func (r report) fusionBars() (b bars) {
	best, at := 0.0, false
	for _, input := range r.Inputs {
		for _, recall := range input.Recall {
			if recall.K == lossAt {
				best, at = max(best, recall.Turn), true
			}
		}
	}
	if at {
		b = append(b, bar{Level: "turn", K: lossAt, Least: best - mayLose, Why: "the better input, less a point"})
	}
	return b
}

// judge compares each minimum with the recall; every k was measured.
func (b bars) judge(recall []recallAt) (judged []bar, passed bool) {
	passed = true
	for _, one := range b {
		for _, r := range recall {
			if r.K == one.K {
				one.Got = r.Turn
				if one.Level == "session" {
					one.Got = r.Session
				}
			}
		}
		one.Passed = one.Got >= one.Least
		passed = passed && one.Passed
		judged = append(judged, one)
	}
	return judged, passed
}
