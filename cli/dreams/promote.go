package dreams

import (
	"fmt"
	"io"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/memory"
)

func (s commands) promoteCommand() *cobra.Command {
	var (
		r     request
		apply bool
	)
	c := &cobra.Command{
		Use:   "promote",
		Short: "Rank the candidates and show what would go into MEMORY.md; --apply writes it",
		Long: "Rank the statements of the last days by rules, without a model, and show which would be promoted into MEMORY.md, with their\n" +
			"scores and the diff. Nothing is written without --apply.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r.mode, r.dryRun = memory.DreamPromote, !apply
			return s.dreamAndShow(cmd, r, func(w io.Writer, r wire.Report) error {
				if err := showDream(w, r); err != nil || apply || r.Counts.Promoted == 0 {
					return err
				}
				_, err := fmt.Fprintln(w, "Nothing was written: `reverie memory promote --apply` writes it.")
				return err
			})
		},
	}
	r.register(c)
	c.Flags().BoolVar(&apply, "apply", false, "write it")
	return c
}

func (s commands) remHarnessCommand() *cobra.Command {
	var r request
	c := &cobra.Command{
		Use:   "rem-harness",
		Short: "Show what a dream would find now, phase by phase, without writing anything",
		Long: "Dream by rules and without a write, and show what each phase finds: what light sleep looks at, the themes and likely truths of\n" +
			"REM, and which verdict deep sleep gives each candidate, with what MEMORY.md would be. No model is asked.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r.mode, r.dryRun = memory.DreamPromote, true
			return s.dreamAndShow(cmd, r, func(w io.Writer, r wire.Report) error {
				fmt.Fprintln(w, ended(r))
				if err := showPhases(w, r, 0); err != nil {
					return err
				}
				_, err := fmt.Fprintln(w, "\nNothing was written.")
				return err
			})
		},
	}
	r.register(c)
	return c
}

// entryID matches the id of a statement.
var entryID = regexp.MustCompile(`^[0-9a-f]{32}$`)

func (s commands) promoteExplainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "promote-explain <words | entry id>",
		Short: "Explain why a statement was promoted or not, and what would promote it",
		Long: "Explain why a statement was promoted or not, with its score, its gates and what would pass. It is found by its words among the\n" +
			"candidates of the latest dream, or by its id (as --json shows it) among those of all dreams.",
		Args: session.NeedsArgs(1, 1, "the words of a statement in quotes, or its id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			if entryID.MatchString(args[0]) {
				one, err := client.ExplainCandidate(cmd.Context(), s.Agent, args[0], wire.ExplainCandidateParams{Person: s.Person()})
				if err != nil {
					return err
				}
				return s.Print(cmd, one.Raw, func(w io.Writer) error { return showWhy(w, one.Data) })
			}
			params := wire.ExplainCandidatesParams{Person: s.Person(), Text: args[0]}
			found, err := client.ExplainCandidates(cmd.Context(), s.Agent, params)
			if err != nil {
				return err
			}
			if err := s.Print(cmd, found.Raw, func(w io.Writer) error {
				for i, one := range found.Data.Items {
					if i > 0 {
						fmt.Fprintln(w)
					}
					if err := showWhy(w, one); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				return err
			}
			if len(found.Data.Items) == 0 {
				whose := ""
				if !s.NamesOwner() {
					whose = " of the shared memory"
				}
				return fmt.Errorf("no candidate of the latest dream%s says %q: `reverie memory rem-harness` shows what a dream would find now",
					whose, output.OneLine(args[0], 100))
			}
			return nil
		},
	}
}

func showWhy(w io.Writer, y wire.Why) error {
	c := y.Candidate
	fmt.Fprintf(w, "%s\n  %s\n", output.OneLine(c.Text, 200), output.OneLine(y.Summary, 400))
	rows := [][]string{
		{"  verdict", c.Verdict + output.Reasons(c.ReasonCode)},
		{"  signals", signals(c)},
		{"  score", fmt.Sprintf("%.3f: %s", c.Score, parts(c.Components))},
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
	return output.Table(w, append(rows, []string{"  id", c.ID}))
}

// maxPlacesShown is the maximum number of places shown per statement.
const maxPlacesShown = 5

// parts formats the components of a score.
func parts(p wire.Components) string {
	return fmt.Sprintf("frequency %.2f, relevance %.2f, diversity %.2f, recency %.2f, consolidation %.2f, conceptual %.2f, boosts "+
		"%.3f and %.3f",
		p.Frequency, p.Relevance, p.Diversity, p.Recency, p.Consolidation, p.Conceptual, p.LightBoost, p.RemBoost)
}
