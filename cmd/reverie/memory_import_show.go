package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"reverie/memory"
)

// shownPaths is how many documents a plan lists.
const shownPaths = 20

// show prints the plan.
func (m *movingIn) show() error {
	out := m.cmd.OutOrStdout()
	if m.json {
		encoded, err := json.Marshal(m.plan)
		if err != nil {
			return err
		}
		return printJSON(out, encoded)
	}
	p := m.plan
	fmt.Fprintf(out, "%s: %s\n", oneLine(m.name, 80), p)
	if err := p.showOwners(out); err != nil {
		return err
	}
	if err := p.showPaths(out); err != nil {
		return err
	}
	p.showSkipped(out)
	if m.dryRun && p.ownerless() > 0 {
		fmt.Fprintf(out, "\n%s\n", upper(nobody(p)))
	}
	return nil
}

// String is the plan in a line.
func (p importPlan) String() string {
	var parts []string
	if p.Documents > 0 {
		parts = append(parts, count(p.Documents, "document"))
	}
	if p.Conversations > 0 {
		parts = append(parts, fmt.Sprintf("%s with %s", count(p.Conversations, "conversation"), count(p.Messages, "message")))
	}
	if len(parts) == 0 {
		return string(p.Format) + ", nothing to move in"
	}
	text := string(p.Format) + ", " + strings.Join(parts, " and ") + ", " + size(p.Bytes)
	if p.From != nil && p.To != nil {
		text += ", said " + days(*p.From, *p.To)
	}
	return text
}

// days is a range of days, in UTC as the export has them.
func days(from, to time.Time) string {
	first, last := from.UTC().Format(time.DateOnly), to.UTC().Format(time.DateOnly)
	if first == last {
		return "on " + first
	}
	return first + " to " + last
}

// maxShownOwners is how many persons a plan lists.
const maxShownOwners = 20

func (p importPlan) showOwners(out io.Writer) error {
	if len(p.Owners) == 0 {
		return nil
	}
	rows := [][]string{{"WHOSE", "DOCUMENTS", "CONVERSATIONS"}}
	for i, owner := range p.Owners {
		if i == maxShownOwners {
			rows = append(rows, []string{fmt.Sprintf("… and %d more", len(p.Owners)-i), "", ""})
			break
		}
		rows = append(rows, []string{whose(owner.Owner, owner.Scope), strconv.Itoa(owner.Documents), strconv.Itoa(owner.Conversations)})
	}
	fmt.Fprintln(out)
	return table(out, rows)
}

func whose(owner memory.Owner, scope memory.Scope) string {
	switch {
	case scope == memory.ScopeTeam:
		return "everybody (TEAM)"
	case owner == memory.NoOwner:
		return "not named yet"
	}
	return oneLine(string(owner), 60)
}

func (p importPlan) showPaths(out io.Writer) error {
	if len(p.Paths) == 0 {
		return nil
	}
	rows := [][]string{{"DOCUMENT", "FROM", "WHOSE"}}
	for i, path := range p.Paths {
		if i == shownPaths {
			rows = append(rows, []string{fmt.Sprintf("… and %d more", p.Documents-i), "", ""})
			break
		}
		rows = append(rows, []string{oneLine(path.Path, 60), oneLine(path.Source, 60), whose(path.Owner, path.Scope)})
	}
	fmt.Fprintln(out)
	return table(out, rows)
}

func (p importPlan) showSkipped(out io.Writer) {
	if len(p.Skipped) == 0 {
		return
	}
	fmt.Fprintln(out, "\nNot moved in:")
	for _, reason := range p.Skipped {
		var examples []string
		for _, example := range reason.Examples {
			examples = append(examples, oneLine(example, 60))
		}
		if reason.Sources > len(examples) {
			examples = append(examples, "…")
		}
		fmt.Fprintf(out, "  %d × %s\n      %s\n", reason.Count, oneLine(reason.Reason, 160), strings.Join(examples, ", "))
	}
}

// upper is a sentence of a text.
func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }
