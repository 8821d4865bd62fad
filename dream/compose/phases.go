package compose

import (
	"cmp"
	"fmt"
	"strings"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/scan"
)

// reportedLines bounds each list in the report of a phase.
const reportedLines = 50

// phases returns the reports of the phases, one file for each phase and day; a further dream of the day appends to it. A
// phase without results has no report.
func (w *composing) phases() []memory.Change {
	var out []memory.Change
	for _, phase := range []struct {
		folder, title string
		report        func(contents bool) string
	}{
		{"light", "Light sleep", w.light},
		{"rem", "REM sleep", w.rem},
		{"deep", "Deep sleep", w.deep},
	} {
		report := phase.report(true)
		if scan.Scan(report).Verdict == scan.VerdictQuarantine {
			report = phase.report(false)
		}
		if report == "" {
			continue
		}
		day := string(dream.DayOf(w.AsOf))
		out = append(out, memory.Change{
			Ref: memory.Ref{Scope: w.Scope, Path: memory.DreamingFolder + phase.folder + "/" + day + ".md"}, Op: memory.OpAppend,
			Content: fmt.Sprintf("## %s Dream%s\n\n%s\n\nReport %s.\n", w.Now.Format("2006-01-02 15:04"), w.kind(false), report, w.Dream),
			Create:  "# " + phase.title + ", " + day + "\n", Reason: strings.ToLower(phase.title[:1]) + phase.title[1:] + " of a dream",
		})
	}
	return out
}

// light reports the staged candidates.
func (w *composing) light(contents bool) string {
	if len(w.Ranking.Candidates) == 0 {
		return ""
	}
	return w.lookedAt() + "\n\n" +
		w.report(fmt.Sprintf("Staged: %s", amount(len(w.Ranking.Candidates), "candidate")), contents, func(c dream.Candidate) string {
			said := amount(len(c.Signals.MentionDays), "day")
			if c.Signals.Recalls > 0 {
				said += ", " + amount(c.Signals.Recalls, "recall")
			}
			if c.Signals.Asked {
				said += ", asked for"
			}
			return said
		})
}

// rem reports the themes and likely truths.
func (w *composing) rem(contents bool) string {
	themes, texts := w.themes(), map[markdown.EntryID]string{}
	for _, c := range w.Ranking.Candidates {
		if c.Verdict != dream.VerdictRejected {
			texts[c.ID] = c.Text
		}
	}
	if len(themes)+len(w.Reflection.Truths) == 0 {
		return ""
	}
	var items []string
	for _, t := range themes[:min(len(themes), reportedLines)] {
		tag := w.show(t.Tag)
		if !contents || tag == "" {
			continue
		}
		items = append(items, fmt.Sprintf("- %s: strength %.2f, %s", tag, t.Strength, amount(len(t.Days), "day")))
		for _, id := range t.Candidates {
			if said := w.show(texts[id]); said != "" {
				items = append(items, "  - "+said)
			}
		}
	}
	parts := []string{list(fmt.Sprintf("Themes: %d", len(themes)), items)}
	items = nil
	for _, t := range w.Reflection.Truths[:min(len(w.Reflection.Truths), reportedLines)] {
		if said := w.show(texts[t.Candidate]); said != "" && contents {
			items = append(items, fmt.Sprintf("- %s (confidence %.2f)", said, t.Confidence))
		}
	}
	return strings.Join(append(parts, list(fmt.Sprintf("Likely truths: %d", len(w.Reflection.Truths)), items)), "\n\n")
}

// deep reports the verdict on each candidate.
func (w *composing) deep(contents bool) string {
	if len(w.Ranking.Candidates) == 0 || w.Mode == memory.DreamREM {
		return ""
	}
	said := w.report(fmt.Sprintf("Weighed: %s", amount(len(w.Ranking.Candidates), "candidate")), contents, func(c dream.Candidate) string {
		why := cmp.Or(dream.ReasonsInWords[c.ReasonCode], c.ReasonCode)
		if c.Verdict == dream.VerdictPromoted {
			return fmt.Sprintf("score %.2f, promoted", c.Score)
		}
		return fmt.Sprintf("score %.2f, %s: %s", c.Score, c.Verdict, why)
	})
	if w.Outcome == memory.OutcomeQuarantined {
		said += "\n\nRefused: " + strings.Join(violationCodes(w.Violations), ", ") + ". MEMORY.md stays as it was."
	}
	if judged := w.judged(); judged != "" {
		said += "\n\n" + judged
	}
	if w.writes() {
		said = strings.Join(append([]string{said}, w.retired(contents)...), "\n\n")
	}
	return said
}

// report lists the candidates that were not rejected, each with a remark.
func (w *composing) report(head string, contents bool, remark func(dream.Candidate) string) string {
	var items []string
	more := 0
	for _, c := range w.Ranking.Candidates {
		said := ""
		if contents && c.Verdict != dream.VerdictRejected {
			said = w.show(c.Text)
		}
		switch {
		case said == "":
		case len(items) == reportedLines:
			more++
		default:
			items = append(items, fmt.Sprintf("- %s (%s)", said, remark(c)))
		}
	}
	if more > 0 {
		items = append(items, fmt.Sprintf("- and %d more", more))
	}
	return list(head, items)
}

// list returns a paragraph with a list under it.
func list(head string, items []string) string {
	if len(items) == 0 {
		return head + "."
	}
	return head + ":\n\n" + strings.Join(items, "\n")
}
