package dreams

import (
	"fmt"
	"io"
	"strings"

	"reverie/cli/output"
	"reverie/dream"
	"reverie/memory"
)

// showDream prints what came of a dream: its outcome, what it changed, and the candidates that made a difference.
func showDream(w io.Writer, r dreamReport) error {
	fmt.Fprintln(w, r.ended())
	fmt.Fprintf(w, "  looked at %s\n", r.looked())
	fmt.Fprintf(w, "  %s\n", r.counted())
	if r.Owner == string(memory.SystemOwner) {
		fmt.Fprintln(w, "  of the shared memory; to have somebody's own memory dream, say --owner, --channel and --sender, or --end-user")
	}
	for _, c := range r.Changes {
		fmt.Fprintf(w, "  %s\n", output.Change(c))
	}
	for _, v := range r.Violations {
		fmt.Fprintf(w, "  refused: %s: %s\n", v.Code, output.OneLine(v.Message, 300))
	}
	if err := r.showCandidates(w, maxShown); err != nil {
		return err
	}
	if err := r.showDiff(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n`reverie memory dreams %s` shows all of it.\n", r.ID)
	return err
}

// maxShown is how many candidates are shown below an outcome.
const maxShown = 15

// showReport prints a dream phase by phase.
func showReport(w io.Writer, r dreamReport) error {
	rows := [][]string{{"dream", r.ID}, {"of", r.of()}, {"kind", r.kind()}}
	if r.Night != "" {
		rows = append(rows, []string{"night", strings.Replace(r.Night, "T", " ", 1)})
	}
	rows = append(rows, []string{"outcome", r.ended()})
	if r.Outcome == memory.OutcomeRunning || r.Outcome == memory.OutcomeWaiting {
		rows = append(rows, []string{"phase", phases[r.Phase]})
	}
	if r.WaitingUntil != nil && r.Outcome == memory.OutcomeWaiting {
		rows = append(rows, []string{"waits until", output.When(*r.WaitingUntil)})
	}
	rows = append(rows, []string{"started", output.When(r.Started) + r.took()})
	if r.Reverted != nil {
		rows = append(rows, []string{"undone", output.When(r.Reverted.At)})
	}
	rows = append(rows, []string{"written", r.writer()})
	for _, c := range r.Changes {
		rows = append(rows, []string{"changed", output.Change(c)})
	}
	for _, v := range r.Violations {
		rows = append(rows, []string{"refused", fmt.Sprintf("%s: %s", v.Code, output.OneLine(v.Message, 300))})
	}
	if r.Workflow != "" {
		rows = append(rows, []string{"workflow", r.Workflow})
	}
	if r.Link != "" {
		rows = append(rows, []string{"link", r.Link})
	}
	if err := output.Table(w, rows); err != nil {
		return err
	}
	return r.showPhases(w, 0)
}

// showPhases prints what each phase found. most bounds the candidates; 0: all there are.
func (r dreamReport) showPhases(w io.Writer, most int) error {
	fmt.Fprintf(w, "\nLIGHT  looked at %s\n", r.looked())
	fmt.Fprintf(w, "\nREM    %s, %s\n", output.Count(len(r.themes()), "theme"), output.Count(len(r.truths()), "likely truth"))
	if err := r.showReflection(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nDEEP   %s\n", r.counted())
	r.showContradictions(w)
	if err := r.showCandidates(w, most); err != nil {
		return err
	}
	if err := r.showDiff(w); err != nil {
		return err
	}
	if r.Raw != "" {
		_, err := fmt.Fprintf(w, "\nWhat the model said:\n%s\n", output.Shown(w, r.Raw))
		return err
	}
	return nil
}

// ended is the outcome in one line.
func (r dreamRecord) ended() string {
	text := string(r.Outcome)
	if r.DryRun && r.Outcome == memory.OutcomeWritten {
		text = "dry run: would be written"
	} else if r.DryRun {
		text = "dry run: " + text
	}
	return text + output.Reasons(string(r.Code), r.Reason)
}

func (r dreamRecord) of() string {
	switch {
	case r.Owner == "":
		return string(r.Scope)
	case r.Owner == string(memory.SystemOwner):
		return "the shared memory"
	}
	return fmt.Sprintf("%s (%s)", output.OneLine(r.Owner, 60), r.Scope)
}

func (r dreamRecord) kind() string {
	text := string(r.Mode)
	if r.Topic != "" {
		text += ": " + output.OneLine(r.Topic, 60)
	}
	if r.ReplayOf != "" {
		text += ", replay of " + r.ReplayOf
	}
	if r.DryRun {
		text += ", dry run"
	}
	return text
}

func (r dreamRecord) took() string {
	if r.Seconds == nil {
		return ""
	}
	return fmt.Sprintf(", took %.1f s", *r.Seconds)
}

func (r dreamRecord) writer() string {
	if r.Model == "" || r.Usage.Calls == 0 {
		return "by rules"
	}
	return fmt.Sprintf("by %s, %s, %d tokens in, %d out, %.4f USD",
		r.Model, output.Count(r.Usage.Calls, "call"), r.Usage.InputTokens, r.Usage.OutputTokens, float64(r.Usage.CostMicros)/1e6)
}

func (r dreamRecord) looked() string {
	text := fmt.Sprintf("%s, %s (%s): %s", output.Count(r.Looked.Notes, "note"), output.Count(r.Looked.Conversations, "conversation"),
		output.Count(r.Looked.Messages, "message"), output.Count(r.Looked.Statements, "statement"))
	if r.Looked.Recalls > 0 {
		text += ", " + output.Count(r.Looked.Recalls, "recall")
	}
	if r.Window != nil {
		text += fmt.Sprintf(", from %s to %s", r.Window.From, r.Window.AsOf.Local().Format("2006-01-02 15:04"))
	}
	return text
}

func (r dreamRecord) counted() string {
	return fmt.Sprintf("%s: %d promoted, %d kept, %d rejected", output.Count(r.Counts.Candidates, "candidate"), r.Counts.Promoted, r.Counts.Kept, r.Counts.Rejected)
}

func (r dreamRecord) themes() []dream.Theme {
	if r.Reflect == nil {
		return nil
	}
	return r.Reflect.Themes
}

func (r dreamRecord) truths() []dream.Truth {
	if r.Reflect == nil {
		return nil
	}
	return r.Reflect.Truths
}

// texts are the statements of the candidates that came with the report.
func (r dreamReport) texts() map[memory.EntryID]string {
	out := make(map[memory.EntryID]string, len(r.Candidates))
	for _, c := range r.Candidates {
		out[c.ID] = c.Text
	}
	return out
}

// statementWidth is how much of a statement a table shows.
const statementWidth = 72

// said is a statement by its identity, as far as the report tells its words.
func said(texts map[memory.EntryID]string, id memory.EntryID) string {
	if text := texts[id]; text != "" {
		return output.OneLine(text, statementWidth)
	}
	return "statement " + string(id)
}

func (r dreamReport) showReflection(w io.Writer) error {
	texts := r.texts()
	var rows [][]string
	for _, t := range r.themes() {
		evidence := make([]string, 0, len(t.Candidates))
		for _, id := range t.Candidates {
			if text := texts[id]; text != "" {
				evidence = append(evidence, output.OneLine(text, 50))
			}
		}
		rows = append(rows, []string{"  theme", fmt.Sprintf("%.2f", t.Strength), output.OneLine(t.Tag, 24), output.Count(len(t.Days), "day"), strings.Join(evidence, " / ")})
	}
	for _, t := range r.truths() {
		rows = append(rows, []string{"  truth", fmt.Sprintf("%.2f", t.Confidence), said(texts, t.Candidate)})
	}
	return output.Table(w, rows)
}

func (r dreamRecord) showContradictions(w io.Writer) {
	for _, c := range r.Contradictions {
		sign := "against"
		if c.Settled {
			sign = "corrects"
		}
		fmt.Fprintf(w, "  %q %s %q: %s\n", output.OneLine(c.NewerText, statementWidth), sign, output.OneLine(c.OlderText, statementWidth), output.OneLine(c.Why, 100))
	}
}

// showCandidates prints candidates, best first; most 0: all that came with the report.
func (r dreamReport) showCandidates(w io.Writer, most int) error {
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
		rows = append(rows, []string{fmt.Sprintf("%.2f", c.Score), string(c.Verdict), c.ReasonCode, c.signals(), output.OneLine(c.Text, statementWidth)})
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

// signals are what speaks for a candidate: "3 days, 1 recall, asked".
func (c weighed) signals() string {
	parts := []string{output.Count(len(c.Signals.MentionDays), "day")}
	if n := c.Signals.Recalls; n > 0 {
		parts = append(parts, output.Count(n, "recall"))
	}
	if c.Signals.Asked {
		parts = append(parts, "asked")
	}
	return strings.Join(parts, ", ")
}

func (r dreamRecord) showDiff(w io.Writer) error {
	if r.Diff == "" {
		return nil
	}
	_, err := fmt.Fprintf(w, "\n%s", output.Diff(w, output.Shown(w, strings.TrimRight(r.Diff, "\n")+"\n")))
	return err
}
