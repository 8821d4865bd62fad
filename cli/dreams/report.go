package dreams

import (
	"fmt"
	"io"
	"strings"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/memory"
)

// showDream prints the outcome of a dream: its changes, and its best candidates.
func showDream(w io.Writer, r wire.Report) error {
	fmt.Fprintln(w, ended(r))
	fmt.Fprintf(w, "  looked at %s\n", looked(r))
	fmt.Fprintf(w, "  %s\n", counted(r))
	if r.Owner == string(memory.SystemOwner) {
		fmt.Fprintln(w, "  of the shared memory; for an owner's memory, name the owner with --owner, --channel and --sender, or --end-user")
	}
	for _, c := range r.Changes {
		fmt.Fprintf(w, "  %s\n", output.Change(c))
	}
	for _, v := range r.Violations {
		fmt.Fprintf(w, "  refused: %s: %s\n", v.Code, output.OneLine(v.Message, 300))
	}
	if err := showCandidates(w, r, maxShown); err != nil {
		return err
	}
	if err := showDiff(w, r); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n`reverie memory dreams %s` shows all of it.\n", r.ID)
	return err
}

// maxShown is the maximum number of candidates shown per outcome.
const maxShown = 15

// showReport prints a dream phase by phase.
func showReport(w io.Writer, r wire.Report) error {
	rows := [][]string{{"dream", r.ID}, {"of", of(r)}, {"kind", kind(r.Mode, r.Topic, r.ReplayOf, r.DryRun)}}
	if r.Night != "" {
		rows = append(rows, []string{"night", strings.Replace(r.Night, "T", " ", 1)})
	}
	rows = append(rows, []string{"outcome", ended(r)})
	if r.Outcome == string(memory.OutcomeRunning) || r.Outcome == string(memory.OutcomeWaiting) {
		rows = append(rows, []string{"phase", phases[memory.DreamPhase(r.Phase)]})
	}
	if !r.WaitingUntil.IsZero() && r.Outcome == string(memory.OutcomeWaiting) {
		rows = append(rows, []string{"waits until", output.When(r.WaitingUntil)})
	}
	rows = append(rows, []string{"started", output.When(r.StartedAt) + took(r)})
	if !r.Reverted.At.IsZero() {
		rows = append(rows, []string{"undone", output.When(r.Reverted.At)})
	}
	if r.AgainOf != "" {
		rows = append(rows, []string{"repeats", r.AgainOf})
	}
	if r.AgainAs != "" {
		rows = append(rows, []string{"repeated as", r.AgainAs})
	}
	rows = append(rows, []string{"written", writer(r)})
	for _, c := range r.Changes {
		rows = append(rows, []string{"changed", output.Change(c)})
	}
	for _, v := range r.Violations {
		rows = append(rows, []string{"refused", fmt.Sprintf("%s: %s", v.Code, output.OneLine(v.Message, 300))})
	}
	if r.WorkflowID != "" {
		rows = append(rows, []string{"workflow", r.WorkflowID})
	}
	if r.Link != "" {
		rows = append(rows, []string{"link", r.Link})
	}
	if err := output.Table(w, rows); err != nil {
		return err
	}
	return showPhases(w, r, 0)
}

// showPhases prints the findings of each phase. most bounds the candidates; 0: all of the report.
func showPhases(w io.Writer, r wire.Report, most int) error {
	fmt.Fprintf(w, "\nLIGHT  looked at %s\n", looked(r))
	fmt.Fprintf(w, "\nREM    %s, %s\n", output.Count(len(r.Reflection.Themes), "theme"),
		output.Count(len(r.Reflection.Truths), "likely truth"))
	if err := showReflection(w, r); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nDEEP   %s\n", counted(r))
	showContradictions(w, r)
	if err := showCandidates(w, r, most); err != nil {
		return err
	}
	if err := showDiff(w, r); err != nil {
		return err
	}
	if r.Raw != "" {
		_, err := fmt.Fprintf(w, "\nThe model's answer:\n%s\n", output.Shown(w, r.Raw))
		return err
	}
	return nil
}

// ended formats the outcome as one line.
func ended(r wire.Report) string {
	text := r.Outcome
	if r.DryRun && r.Outcome == string(memory.OutcomeWritten) {
		text = "dry run: would be written"
	} else if r.DryRun {
		text = "dry run: " + text
	}
	return text + output.Reasons(r.ReasonCode, r.Reason)
}

func of(r wire.Report) string {
	switch {
	case r.Owner == "":
		return r.Scope
	case r.Owner == string(memory.SystemOwner):
		return "the shared memory"
	}
	return fmt.Sprintf("%s (%s)", output.OneLine(r.Owner, 60), r.Scope)
}

// kind formats the mode of a dream, with its topic.
func kind(mode, topic, replayOf string, dryRun bool) string {
	text := mode
	if topic != "" {
		text += ": " + output.OneLine(topic, 60)
	}
	if replayOf != "" {
		text += ", replay of " + replayOf
	}
	if dryRun {
		text += ", dry run"
	}
	return text
}

func took(r wire.Report) string {
	if r.FinishedAt.IsZero() {
		return ""
	}
	return fmt.Sprintf(", took %.1f s", r.Seconds)
}

func writer(r wire.Report) string {
	if r.Model == "" || r.Usage.Calls == 0 {
		return "by rules"
	}
	return "by " + r.Model + ", " + output.Usage(r.Usage)
}

func looked(r wire.Report) string {
	text := fmt.Sprintf("%s, %s (%s): %s", output.Count(r.Looked.Notes, "note"), output.Count(r.Looked.Conversations, "conversation"),
		output.Count(r.Looked.Messages, "message"), output.Count(r.Looked.Statements, "statement"))
	if r.Looked.Recalls > 0 {
		text += ", " + output.Count(r.Looked.Recalls, "recall")
	}
	if !r.Window.AsOf.IsZero() {
		text += fmt.Sprintf(", from %s to %s", r.Window.From, r.Window.AsOf.Local().Format("2006-01-02 15:04"))
	}
	return text
}

func counted(r wire.Report) string {
	return fmt.Sprintf("%s: %d promoted, %d kept, %d rejected", output.Count(r.Counts.Candidates, "candidate"), r.Counts.Promoted,
		r.Counts.Kept, r.Counts.Rejected)
}

// texts returns the statements of the report's candidates by their id.
func texts(r wire.Report) map[string]string {
	out := make(map[string]string, len(r.Candidates))
	for _, c := range r.Candidates {
		out[c.ID] = c.Text
	}
	return out
}

// statementWidth bounds a statement in a table, in characters.
const statementWidth = 72

// said returns the text of a statement, or its id when the report lacks the text.
func said(texts map[string]string, id string) string {
	if text := texts[id]; text != "" {
		return output.OneLine(text, statementWidth)
	}
	return "statement " + id
}

func showReflection(w io.Writer, r wire.Report) error {
	texts := texts(r)
	var rows [][]string
	for _, t := range r.Reflection.Themes {
		evidence := make([]string, 0, len(t.Candidates))
		for _, id := range t.Candidates {
			if text := texts[id]; text != "" {
				evidence = append(evidence, output.OneLine(text, 50))
			}
		}
		rows = append(rows, []string{
			"  theme", fmt.Sprintf("%.2f", t.Strength), output.OneLine(t.Tag, 24), output.Count(len(t.Days), "day"),
			strings.Join(evidence, " / "),
		})
	}
	for _, t := range r.Reflection.Truths {
		rows = append(rows, []string{"  truth", fmt.Sprintf("%.2f", t.Confidence), said(texts, t.Candidate)})
	}
	return output.Table(w, rows)
}

func showContradictions(w io.Writer, r wire.Report) {
	for _, c := range r.Contradictions {
		sign := "against"
		if c.Settled {
			sign = "corrects"
		}
		fmt.Fprintf(w, "  %q %s %q: %s\n", output.OneLine(c.NewerText, statementWidth), sign, output.OneLine(c.OlderText, statementWidth),
			output.OneLine(c.Why, 100))
	}
}

// showCandidates prints candidates, best first. most bounds them; 0: all of the report.
func showCandidates(w io.Writer, r wire.Report, most int) error {
	if len(r.Candidates) == 0 {
		return nil
	}
	some := r.Candidates
	if most > 0 && len(some) > most {
		some = some[:most]
	}
	fmt.Fprintln(w)
	rows := [][]string{{"SCORE", "VERDICT", "REASON", "SIGNALS", "STATEMENT"}}
	for _, c := range some {
		rows = append(rows, []string{fmt.Sprintf("%.2f", c.Score), c.Verdict, c.ReasonCode, signals(c), output.OneLine(c.Text, statementWidth)})
	}
	if err := output.Table(w, rows); err != nil {
		return err
	}
	switch {
	case len(some) < len(r.Candidates):
		fmt.Fprintf(w, "… and %d more\n", max(r.Counts.Candidates, len(r.Candidates))-len(some))
	case r.MoreCandidates:
		fmt.Fprintf(w, "… and %d more, which --json with --candidates lists\n", max(r.Counts.Candidates-len(some), 1))
	}
	return nil
}

// signals formats the signals of a candidate: "3 days, 1 recall, asked".
func signals(c wire.Candidate) string {
	parts := []string{output.Count(len(c.Signals.MentionDays), "day")}
	if n := c.Signals.Recalls; n > 0 {
		parts = append(parts, output.Count(n, "recall"))
	}
	if c.Signals.Asked {
		parts = append(parts, "asked")
	}
	return strings.Join(parts, ", ")
}

func showDiff(w io.Writer, r wire.Report) error {
	if r.Diff == "" {
		return nil
	}
	_, err := fmt.Fprintf(w, "\n%s", output.Diff(w, strings.TrimRight(r.Diff, "\n")+"\n"))
	return err
}
