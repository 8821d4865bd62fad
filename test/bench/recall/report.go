package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"reverie/test/bench/services"
)

// reports are the results of a run, also as JSON.
type reports struct {
	Ranking string   `json:"ranking"` // "lexical", or the source of the vectors
	Sets    []report `json:"sets"`
}

// report is the result of one file.
type report struct {
	Set       string           `json:"set"`
	Loaded    loadFigures      `json:"loaded"`
	Overall   figures          `json:"overall"`
	Rival     figures          `json:"bm25"` // plain BM25 over whole messages
	ByKind    []figures        `json:"categories"`
	Dialogues []figures        `json:"dialogues"`
	Updates   updateFigures    `json:"updates"`
	Default   defaultFigures   `json:"default"`
	Latency   services.Latency `json:"latency"`
	Diluted   *dilution        `json:"diluted,omitempty"`
	Injected  *injection       `json:"injected,omitempty"`
	Inputs    []ablated        `json:"inputs,omitempty"` // words and vectors, each alone
	Ablations []ablated        `json:"ablations,omitempty"`
	Bars      []bar            `json:"bars,omitempty"`

	RivalUpdates updateFigures `json:"bm25Updates"`
}

// updateFigures count the questions whose answer has changed.
type updateFigures struct {
	Questions int `json:"questions"`
	Found     int `json:"found"` // with a turn that has the new value
	Above     int `json:"above"` // and above all that have an old one
}

// defaultFigures describe the answers with all defaults of the API; each is a mean over all questions.
type defaultFigures struct {
	Results   int     `json:"results"` // the default count
	Found     float64 `json:"found"`   // messages
	Recall    float64 `json:"recall"`
	Unlimited float64 `json:"unlimited"` // recall of the same number of messages without a floor, and of a longer list
	F1        float64 `json:"f1"`

	Updates updateFigures `json:"updates"`
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
	Updates    updateFigures    `json:"updates"`
	Latency    services.Latency `json:"latency"`
}

// asked is the result of one question.
type asked struct {
	dialogue string
	category string
	recall   []recallAt
	found    []string // distinct turns, best first
	update   *update  // nil: its answer has not changed
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

// categoryNames are the names of LoCoMo's categories. Adversarial questions distort a statement; their
// evidence is the original.
var categoryNames = map[int]string{1: "1 multi-hop", 2: "2 temporal", 3: "3 open-domain", 4: "4 single-hop", 5: "5 adversarial"}

// summarise fills the groups of a report.
func (r *report) summarise(outcomes []asked, ks []int) {
	r.Overall = group("overall", outcomes, ks, func(asked) bool { return true })
	r.ByKind = groups(outcomes, ks, func(a asked) string { return a.category })
	slices.SortFunc(r.ByKind, func(a, b figures) int { return cmp.Compare(a.Name, b.Name) })
	r.Dialogues = groups(outcomes, ks, func(a asked) string { return a.dialogue })
	r.Updates = updatesOf(outcomes)
}

// groups returns the figures per key, in order of first appearance.
func groups(outcomes []asked, ks []int, key func(asked) string) []figures {
	var out []figures
	seen := map[string]bool{}
	for _, a := range outcomes {
		own := key(a)
		if seen[own] {
			continue
		}
		seen[own] = true
		out = append(out, group(own, outcomes, ks, func(other asked) bool { return key(other) == own }))
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

// print prints one table of all sets, and then the details of each.
func (r reports) print(w io.Writer) error {
	fmt.Fprintf(w, "ranking: %s; newest: new value found and above the old one, /found, of questions whose answer changed\n\n", r.Ranking)
	t := newTable(w)
	head := []string{"", "questions"}
	for _, title := range []string{"", "BM25 "} {
		for _, k := range r.Sets[0].Overall.Recall {
			head = append(head, fmt.Sprintf("%sR@%d", title, k.K))
		}
	}
	t.row(append(head, "session", "newest", "BM25 newest", "default: found", "recall", "of", "F1", "newest", "p95 ms"))
	for _, s := range r.Sets {
		cells := []string{s.Set, fmt.Sprint(s.Overall.Questions)}
		for _, f := range []figures{s.Overall, s.Rival} {
			for _, at := range f.Recall {
				cells = append(cells, fmt.Sprintf("%.1f", percent(at.Turn)))
			}
		}
		session := ""
		if s.Loaded.Sessions > s.Loaded.Dialogues && s.Loaded.Sessions < s.Loaded.Turns {
			at := s.Overall.Recall[len(s.Overall.Recall)/2]
			session = fmt.Sprintf("R@%d %.1f", at.K, percent(at.Session))
		}
		d := s.Default
		t.row(append(cells, session, s.Updates.String(), s.RivalUpdates.String(), fmt.Sprintf("%.1f/%d", d.Found, d.Results),
			fmt.Sprintf("%.1f", percent(d.Recall)), fmt.Sprintf("%.1f", percent(d.Unlimited)), fmt.Sprintf("%.1f", percent(d.F1)), d.Updates.String(),
			fmt.Sprintf("%.1f", s.Latency.P95)))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, s := range r.Sets {
		if err := s.print(w); err != nil {
			return err
		}
	}
	return nil
}

// String returns such as "3/4 of 5".
func (f updateFigures) String() string {
	if f.Questions == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d of %d", f.Above, f.Found, f.Questions)
}

// print prints the details of a set.
func (r report) print(w io.Writer) error {
	l := r.Loaded
	fmt.Fprintf(w, "\n%s\n", r.Set)
	fmt.Fprintf(w, "%d dialogues, %d sessions, %d turns, stored and searchable in %.1f s\n", l.Dialogues, l.Sessions, l.Turns, l.Seconds)
	fmt.Fprintf(w, "%d questions asked; %d skipped without valid evidence; %d malformed references ignored\n\n",
		r.Overall.Questions, l.SkippedQuestions, l.MalformedReferences)

	t := newTable(w)
	t.head("", "questions", "recall of turns", "recall of sessions", r.Overall.Recall)
	for _, f := range r.ByKind {
		t.figures(f)
	}
	t.figures(r.Overall)
	t.figures(r.Rival)
	if len(r.Dialogues) > 1 && len(r.Dialogues) <= mostDialogues {
		for _, f := range r.Dialogues {
			t.figures(f)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nlatency of a search: %s\n", latency(r.Latency))
	if r.Injected != nil {
		r.Injected.print(w)
	}
	if r.Diluted != nil {
		r.Diluted.print(w, r.Overall.Recall)
	}
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
		fmt.Fprintf(w, "%s: %s %.1f, minimum %.1f%s\n", verdict, strings.Replace(b.name(), "@", " R@", 1), percent(b.Got), percent(b.Least), why)
	}
	return nil
}

func printAblations(w io.Writer, title string, ablations []ablated) error {
	if len(ablations) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := newTable(w)
	t.head(title, "newest", "turns, difference in points", "sessions, difference in points", ablations[0].Recall)
	for _, a := range ablations {
		cells := []string{a.Name, a.Updates.String()}
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

// mostDialogues is the number of dialogues up to which each is listed.
const mostDialogues = 20

func percent(share float64) float64 { return 100 * share }

func latency(l services.Latency) string {
	return fmt.Sprintf("p50 %.1f ms, p95 %.1f ms, longest %.1f ms (%d searches, one at a time)", l.P50, l.P95, l.Max, l.Count)
}

// level names the figure that a bar limits.
type level string

const (
	ofTurns    level = "turn"     // recall of messages at k
	ofSessions level = "session"  // recall of sessions at k
	ofNewest   level = "newest"   // share of the questions whose answer changed that find the new value above the old one, also by default
	overBM25   level = "bm25"     // lead of the recall of messages over that of BM25, at the k where it is least
	byDefault  level = "defaults" // recall with the defaults, of that without a minimum score
)

// bar is a minimum of a figure.
type bar struct {
	Set    string  `json:"set,omitempty"` // beginning of the names of sets; empty: all
	Level  level   `json:"level"`
	K      int     `json:"k,omitempty"` // of turn and session
	Least  float64 `json:"least"`
	Why    string  `json:"why,omitempty"` // empty: set by -min
	Got    float64 `json:"got"`
	Passed bool    `json:"passed"`
}

// name returns such as "turn@10".
func (b bar) name() string {
	if b.K > 0 {
		return fmt.Sprintf("%s@%d", b.Level, b.K)
	}
	return string(b.Level)
}

// bars are the values of the flag -min.
type bars []bar

// String returns the value in the form of the flag.
func (b *bars) String() string {
	parts := make([]string, len(*b))
	for i, one := range *b {
		if one.Set != "" {
			parts[i] = one.Set + ":"
		}
		parts[i] += fmt.Sprintf("%s=%g", one.name(), one.Least)
	}
	return strings.Join(parts, ",")
}

const barSyntax = "use turn@K, session@K, newest, bm25 or defaults, with =SHARE, and in front of it SET: for some files"

// Set parses "beam:turn@10=0.78", or several separated by commas.
func (b *bars) Set(value string) error {
	for part := range strings.SplitSeq(value, ",") {
		var one bar
		name, least, isGiven := strings.Cut(part, "=")
		if set, rest, found := strings.Cut(name, ":"); found {
			one.Set, name = set, rest
		}
		name, k, hasK := strings.Cut(name, "@")
		one.Level = level(name)
		var err error
		switch one.Level {
		case ofTurns, ofSessions:
			if !hasK {
				return fmt.Errorf("%q: %s", part, barSyntax)
			}
			if one.K, err = strconv.Atoi(k); err != nil || one.K < 1 {
				return fmt.Errorf("%q: %s", part, barSyntax)
			}
		case ofNewest, overBM25, byDefault:
			if hasK {
				return fmt.Errorf("%q: %s", part, barSyntax)
			}
		default:
			return fmt.Errorf("%q: %s", part, barSyntax)
		}
		if isGiven || one.Level != overBM25 {
			if one.Least, err = strconv.ParseFloat(least, 64); err != nil {
				return fmt.Errorf("%q: %s", part, barSyntax)
			}
		}
		*b = append(*b, one)
	}
	return nil
}

// check returns an error for a bar about what is not measured.
func (b bars) check(ks []int, sets []set) error {
	for _, one := range b {
		if one.K > 0 && !slices.Contains(ks, one.K) {
			return fmt.Errorf("-min asks for recall at %d, which -k does not measure", one.K)
		}
		if !slices.ContainsFunc(sets, func(s set) bool { return one.isOf(s.name) }) {
			return fmt.Errorf("-min names the set %s, and no file begins so", one.Set)
		}
	}
	return nil
}

func (b bar) isOf(set string) bool { return strings.HasPrefix(set, b.Set) }

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
		b = append(b, bar{Level: ofTurns, K: lossAt, Least: best - mayLose, Why: "the better input, less a point"})
	}
	return b
}

// judge compares each set with its minimums and reports whether all are reached.
func (r reports) judge(given bars) bool {
	passed := true
	for i := range r.Sets {
		s := &r.Sets[i]
		for _, one := range slices.Concat(given, s.fusionBars()) {
			got, isMeasured := s.figure(one)
			if !one.isOf(s.Set) || !isMeasured {
				continue
			}
			one.Got, one.Passed = got, got >= one.Least
			passed = passed && one.Passed
			s.Bars = append(s.Bars, one)
		}
		passed = passed && (s.Diluted == nil || s.Diluted.Passed)
	}
	return passed
}

// figure returns what a bar is compared with; false: the set has no such questions.
func (r report) figure(b bar) (got float64, isMeasured bool) {
	switch b.Level {
	case ofNewest:
		if r.Updates.Questions == 0 {
			return 0, false
		}
		return float64(min(r.Updates.Above, r.Default.Updates.Above)) / float64(r.Updates.Questions), true
	case overBM25:
		got = 1
		for i, at := range r.Overall.Recall {
			got = min(got, at.Turn-r.Rival.Recall[i].Turn)
		}
		return got, true
	case byDefault:
		return r.Default.Recall / max(r.Default.Unlimited, math.SmallestNonzeroFloat64), r.Default.Unlimited > 0
	}
	for _, at := range r.Overall.Recall {
		if at.K == b.K && b.Level == ofSessions {
			return at.Session, true
		}
		if at.K == b.K {
			return at.Turn, true
		}
	}
	return 0, false
}
