package dreams

import (
	"fmt"
	"io"
	"net/url"
	"regexp"

	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
)

func (s commands) promoteCommand() *cobra.Command {
	var (
		f     dreamFlags
		apply bool
	)
	c := &cobra.Command{
		Use:   "promote",
		Short: "Rank what is waiting and show what would go into MEMORY.md; --apply writes it",
		Long: "Rank the statements of the last days by rules, without a model, and show which would be promoted into MEMORY.md, with their\n" +
			"scores and the diff. Nothing is written without --apply.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.dreamAndShow(cmd, dreamRequest{query: byRules(!apply), dreamFlags: f}, func(w io.Writer, r dreamReport) error {
				if err := showDream(w, r); err != nil || apply || r.Counts.Promoted == 0 {
					return err
				}
				_, err := fmt.Fprintln(w, "Nothing was written: `reverie memory promote --apply` writes it.")
				return err
			})
		},
	}
	f.register(c)
	c.Flags().BoolVar(&apply, "apply", false, "write it")
	return c
}

// byRules asks for a dream that costs no model.
func byRules(dryRun bool) url.Values {
	q := url.Values{"mode": {"promote"}}
	if dryRun {
		q.Set("dryRun", "true")
	}
	return q
}

func (s commands) remHarnessCommand() *cobra.Command {
	var f dreamFlags
	c := &cobra.Command{
		Use:   "rem-harness",
		Short: "Show what a dream would find now, phase by phase, without writing anything",
		Long: "Dream by rules and without a write, and show what each phase finds: what light sleep looks at, the themes and likely truths of\n" +
			"REM, and which verdict deep sleep gives each candidate, with what MEMORY.md would be. No model is asked.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.dreamAndShow(cmd, dreamRequest{query: byRules(true), dreamFlags: f}, func(w io.Writer, r dreamReport) error {
				fmt.Fprintln(w, r.ended())
				if err := r.showPhases(w, 0); err != nil {
					return err
				}
				_, err := fmt.Fprintln(w, "\nNothing was written.")
				return err
			})
		},
	}
	f.register(c)
	return c
}

// why is the explanation of one candidate.
type why struct {
	Candidate weighed  `json:"candidate"`
	Summary   string   `json:"summary"`
	Would     []string `json:"would"`
}

// whys are explanations of candidates that have some words.
type whys struct {
	Items []why `json:"items"`
}

// entryID is what an identity of a statement looks like.
var entryID = regexp.MustCompile(`^[0-9a-f]{32}$`)

func (s commands) promoteExplainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "promote-explain <words | entry id>",
		Short: "Tell why a statement was promoted or not, and what would promote it",
		Long: "Tell why a statement was promoted or not, with its score, its gates and what would pass. It is found by its words among the\n" +
			"candidates of the latest dream, or by its id (as --json shows it) among those of all dreams.",
		Args: session.NeedsArgs(1, 1, "the words of a statement in quotes, or its id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if entryID.MatchString(args[0]) {
				one, a, err := session.DataOf[why](s.GetMemory(cmd, nil, "dreaming", "candidates", args[0], "explain"))
				if err != nil {
					return err
				}
				return s.Print(cmd, a, func(w io.Writer) error { return one.show(w) })
			}
			found, a, err := session.DataOf[whys](s.GetMemory(cmd, url.Values{"text": {args[0]}}, "dreaming", "explain"))
			if err != nil {
				return err
			}
			if err := s.Print(cmd, a, func(w io.Writer) error {
				for i, one := range found.Items {
					if i > 0 {
						fmt.Fprintln(w)
					}
					if err := one.show(w); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				return err
			}
			if len(found.Items) == 0 {
				whose := ""
				if len(s.OwnerQuery()) == 0 {
					whose = " of the shared memory"
				}
				return fmt.Errorf("no candidate of the latest dream%s says %q: `reverie memory rem-harness` shows what a dream would find now", whose, output.OneLine(args[0], 100))
			}
			return nil
		},
	}
}

func (y why) show(w io.Writer) error {
	c := y.Candidate
	fmt.Fprintf(w, "%s\n  %s\n", output.OneLine(c.Text, 200), output.OneLine(y.Summary, 400))
	rows := [][]string{
		{"  verdict", string(c.Verdict) + output.Reasons(c.ReasonCode)},
		{"  signals", c.signals()},
		{"  score", fmt.Sprintf("%.3f: %s", c.Score, c.parts())},
	}
	for _, g := range c.Gates {
		mark := "passed"
		if !g.Passed {
			mark = "not passed"
		}
		rows = append(rows, []string{"  gate", fmt.Sprintf("%s %.3g of %.3g, %s", g.Name, g.Value, g.Need, mark)})
	}
	for _, would := range y.Would {
		rows = append(rows, []string{"  would do", output.OneLine(would, 200)})
	}
	for i, p := range c.Places {
		if i == maxPlacesShown {
			rows = append(rows, []string{"", fmt.Sprintf("… and %d more", len(c.Places)-i)})
			break
		}
		where := p.Conversation
		if p.Path != "" {
			where = fmt.Sprintf("%s:%d", p.Path, p.FromLine)
		}
		rows = append(rows, []string{"  noted", fmt.Sprintf("%s, %s", p.Day, output.OneLine(where, 80))})
	}
	return output.Table(w, append(rows, []string{"  id", string(c.ID)}))
}

// maxPlacesShown is how many places of a statement are shown.
const maxPlacesShown = 5

// parts are the components of a score.
func (c weighed) parts() string {
	p := c.Components
	return fmt.Sprintf("frequency %.2f, relevance %.2f, diversity %.2f, recency %.2f, consolidation %.2f, conceptual %.2f, boosts %.3f and %.3f",
		p.Frequency, p.Relevance, p.Diversity, p.Recency, p.Consolidation, p.Conceptual, p.LightBoost, p.REMBoost)
}
