package dreams

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/memory"
	"reverie/memory/markdown"
)

func (s commands) dreamsCommand() *cobra.Command {
	var (
		page       session.Page
		params     wire.ListDreamsParams
		candidates int
	)
	c := &cobra.Command{
		Use:   "dreams [id]",
		Short: "Show dreams: what each read, decided, wrote, and why",
		Long: "List dreams, newest first, or show the report of one: the findings of each phase, every verdict, and the diff of MEMORY.md.\n" +
			"Without an owner, those of all owners are listed.",
		Args: session.NeedsArgs(0, 1, "at most one dream"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				r, err := s.readDream(cmd.Context(), args[0], candidates)
				if err != nil {
					return err
				}
				return s.Print(cmd, r.Raw, func(w io.Writer) error { return showReport(w, r.Data) })
			}
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			params.Person, params.Cursor, params.Limit = s.Person(), page.Cursor, page.Limit
			list, err := client.ListDreams(cmd.Context(), s.Agent, params)
			if err != nil {
				return err
			}
			return s.Print(cmd, list.Raw, func(w io.Writer) error { return listDreams(w, list.Data) })
		},
	}
	f := c.Flags()
	f.StringVar(&params.Mode, "mode", "", "only of this mode: nightly, focused, promote or rem")
	f.StringVar(&params.Outcome, "outcome", "",
		"only with this outcome: running, waiting, written, nothing, skipped, quarantined or failed")
	f.BoolVar(&params.Real, "real", false, "without dry runs and replays")
	f.IntVar(&candidates, "candidates", 50, "of one dream: how many of its best candidates")
	page.Register(c, 20)
	return c
}

func listDreams(w io.Writer, list wire.Page[wire.Dream]) error {
	rows := [][]string{{"ID", "STARTED", "OWNER", "KIND", "OUTCOME", "PROMOTED", "KEPT", "REJECTED", "REASON"}}
	for _, r := range list.Items {
		outcome := r.Outcome
		switch {
		case !r.Reverted.At.IsZero():
			outcome += ", undone"
		case r.Outcome == string(memory.OutcomeRunning):
			outcome = r.Phase
		}
		rows = append(rows, []string{
			r.ID, output.When(r.StartedAt), output.OneLine(r.Owner, 30), output.OneLine(kind(r.Mode, r.Topic, r.ReplayOf, r.DryRun), 40), outcome,
			fmt.Sprint(r.Counts.Promoted), fmt.Sprint(r.Counts.Kept), fmt.Sprint(r.Counts.Rejected), r.ReasonCode,
		})
	}
	if err := output.Table(w, rows); err != nil {
		return err
	}
	output.NextPage(w, list.Next)
	return nil
}

func (s commands) revertCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "revert <dream>",
		Short: "Undo what a dream wrote, as new versions",
		Long: "Undo what a dream wrote, as new versions: later changes of others stay, and what the dream promoted is not promoted again\n" +
			"automatically. If the same lines have been changed since, nothing is reverted and the conflicts are shown.",
		Args: session.NeedsArgs(1, 1, aDream),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkDreamID(args[0]); err != nil {
				return err
			}
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			params := wire.RevertDreamParams{Person: s.Person(), IdempotencyKey: uuid.NewString()}
			undone, err := client.RevertDream(cmd.Context(), s.Agent, args[0], params)
			if err != nil {
				showConflicts(cmd.ErrOrStderr(), err)
				return err
			}
			return s.Print(cmd, undone.Raw, func(w io.Writer) error { showRevert(w, undone.Data); return nil })
		},
	}
}

func showRevert(w io.Writer, r wire.Revert) {
	switch {
	case r.Replayed:
		fmt.Fprintln(w, "Already undone; no changes")
		return
	case len(r.Changes) == 0:
		fmt.Fprintln(w, "the dream wrote nothing")
	}
	for _, c := range r.Changes {
		fmt.Fprintln(w, output.Change(c))
	}
}

// showConflicts prints the places of documents that were changed since a dream, when a revert was refused because of them.
func showConflicts(w io.Writer, err error) {
	refused, found := errors.AsType[*wire.Error](err)
	if !found || refused.Status != http.StatusConflict {
		return
	}
	var conflicts struct {
		Documents []struct {
			Path      string              `json:"path"`
			Conflicts []markdown.Conflict `json:"conflicts"`
		} `json:"documents"`
	}
	if json.Unmarshal(refused.Data, &conflicts) != nil {
		return
	}
	for _, d := range conflicts.Documents {
		fmt.Fprintf(w, "%s: %s\n", d.Path, output.Count(len(d.Conflicts), "conflict"))
		for _, c := range d.Conflicts {
			fmt.Fprintf(w, "  there now: %s\n  would be:  %s\n", output.OneLine(c.Theirs.Text, 200), output.OneLine(c.Ours.Text, 200))
		}
	}
}
