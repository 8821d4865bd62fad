package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// importKinds and importOutcomes are the rows and columns of the last table.
var (
	importKinds    = []string{"document", "conversation"}
	importOutcomes = []string{"written", "merged", "unchanged", "nothing", "skipped", "quarantined", "failed", "waiting"}
	// importProblems are the outcomes that somebody has to look at.
	importProblems = []string{"failed", "quarantined"}
)

// shownProblems is how many items with a problem are listed.
const shownProblems = 20

// report prints what became of everything, and returns the error with which the command ends.
func (u *uploading) report() error {
	r := importReport{Plan: u.plan, Import: u.answer.Data, Outcomes: map[string]map[string]int{}, Left: map[string]int{}, Problems: []importedItem{}}
	for _, kind := range importKinds {
		r.Outcomes[kind] = map[string]int{}
	}
	err := u.eachItem(u.cmd.Context(), func(item importedItem) {
		if counts := r.Outcomes[item.Kind]; counts != nil {
			counts[item.Outcome]++
		}
		switch {
		case slices.Contains(importProblems, item.Outcome):
			r.Problems = append(r.Problems, item)
		case item.Outcome == "skipped":
			r.Left[item.ReasonCode]++
		}
	})
	if err != nil {
		return err
	}
	out := u.cmd.OutOrStdout()
	if u.json {
		encoded, err := json.Marshal(r)
		if err == nil {
			err = printJSON(out, encoded)
		}
		return errors.Join(err, u.verdict())
	}
	fmt.Fprintf(out, "%s: %s\n", oneLine(u.name, 80), u.plan)
	switch {
	case u.before:
		fmt.Fprintln(out, "moved in before; nothing was done again")
	case u.state.State == "running":
		fmt.Fprintf(out, "under way, %d of %d settled; the same command shows how far it is\n", u.state.Settled, u.state.Items)
	case u.state.State == "cancelled":
		fmt.Fprintln(out, "cancelled; the same command goes on with what was left out")
	}
	if err := r.table(out); err != nil {
		return err
	}
	if err := r.showLeft(out); err != nil {
		return err
	}
	if err := r.showProblems(out); err != nil {
		return err
	}
	u.plan.showSkipped(out)
	return u.verdict()
}

// table shows outcomes by kind, without columns that have nothing.
func (r importReport) table(out io.Writer) error {
	heading := []string{"KIND"}
	var columns []string
	for _, outcome := range importOutcomes {
		for _, kind := range importKinds {
			if r.Outcomes[kind][outcome] > 0 && !slices.Contains(columns, outcome) {
				columns = append(columns, outcome)
				heading = append(heading, strings.ToUpper(outcome))
			}
		}
	}
	rows := [][]string{heading}
	for _, kind := range importKinds {
		row, total := []string{kind + "s"}, 0
		for _, outcome := range columns {
			n := r.Outcomes[kind][outcome]
			total += n
			row = append(row, strconv.Itoa(n))
		}
		if total > 0 {
			rows = append(rows, row)
		}
	}
	fmt.Fprintln(out)
	return table(out, rows)
}

// showLeft shows why things were skipped: an export of years has many short talks, which one by one nobody wants to read.
func (r importReport) showLeft(out io.Writer) error {
	if len(r.Left) == 0 {
		return nil
	}
	rows := [][]string{{"SKIPPED BECAUSE", "ITEMS"}}
	for _, code := range slices.Sorted(maps.Keys(r.Left)) {
		rows = append(rows, []string{orDefault(code, "-"), strconv.Itoa(r.Left[code])})
	}
	fmt.Fprintln(out)
	return table(out, rows)
}

func (r importReport) showProblems(out io.Writer) error {
	if len(r.Problems) == 0 {
		return nil
	}
	rows := [][]string{{"OUTCOME", "REASON", "ITEM", "WHOSE"}}
	for i, item := range r.Problems {
		if i == shownProblems {
			rows = append(rows, []string{fmt.Sprintf("… and %d more (--json lists all)", len(r.Problems)-i), "", "", ""})
			break
		}
		owner := oneLine(string(item.Owner), 40)
		if owner == "" {
			owner = "everybody"
		}
		rows = append(rows, []string{item.Outcome, orDefault(item.ReasonCode, "-"), oneLine(item.Target, 60), owner})
	}
	fmt.Fprintln(out)
	return table(out, rows)
}

// verdict is an error when something is left that somebody has to look at.
func (u *uploading) verdict() error {
	bad := 0
	for _, outcome := range importProblems {
		bad += u.state.Outcomes[outcome]
	}
	switch {
	case u.state.State == "cancelled":
		return errors.New("the import was cancelled")
	case bad > 0:
		return fmt.Errorf("%s could not be moved in; the same command tries what failed again", count(bad, "item"))
	}
	return nil
}
