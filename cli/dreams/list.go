package dreams

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/memory"
)

func (s commands) dreamsCommand() *cobra.Command {
	var (
		page          session.Page
		mode, outcome string
		onlyReal      bool
		candidates    int
	)
	c := &cobra.Command{
		Use:   "dreams [id]",
		Short: "Show dreams: what each looked at, decided, wrote, and why",
		Long: "List dreams, newest first, or show the report of one: what each phase found, every verdict, and the diff of MEMORY.md.\n" +
			"Without an owner, those of all owners are listed.",
		Args: session.NeedsArgs(0, 1, "at most one dream"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				r, a, err := s.readDream(cmd.Context(), args[0], candidates)
				if err != nil {
					return err
				}
				return s.Print(cmd, a, func(w io.Writer) error { return showReport(w, r) })
			}
			query := page.Query()
			for name, value := range map[string]string{"mode": mode, "outcome": outcome} {
				if value != "" {
					query.Set(name, value)
				}
			}
			if onlyReal {
				query.Set("real", "true")
			}
			list, a, err := session.DataOf[session.List[dreamRecord]](s.GetMemory(cmd, query, "dream", "reports"))
			if err != nil {
				return err
			}
			return s.Print(cmd, a, func(w io.Writer) error { return dreamTable(w, list) })
		},
	}
	f := c.Flags()
	f.StringVar(&mode, "mode", "", "only of this mode: nightly, focused, promote or rem")
	f.StringVar(&outcome, "outcome", "", "only with this outcome: running, waiting, written, nothing, skipped, quarantined or failed")
	f.BoolVar(&onlyReal, "real", false, "without dry runs and replays")
	f.IntVar(&candidates, "candidates", 50, "of one dream: how many of its best candidates")
	f.IntVar(&page.Limit, "limit", 20, "how many")
	f.StringVar(&page.Cursor, "cursor", "", "where the list goes on, as the part before said")
	return c
}

func dreamTable(w io.Writer, list session.List[dreamRecord]) error {
	rows := [][]string{{"ID", "STARTED", "OWNER", "KIND", "OUTCOME", "PROMOTED", "KEPT", "REJECTED", "REASON"}}
	for _, r := range list.Items {
		outcome := string(r.Outcome)
		switch {
		case r.Reverted != nil:
			outcome += ", undone"
		case r.Outcome == memory.OutcomeRunning:
			outcome = string(r.Phase)
		}
		rows = append(rows, []string{
			r.ID, output.When(r.Started), output.OneLine(r.Owner, 30), output.OneLine(r.kind(), 40), outcome,
			fmt.Sprint(r.Counts.Promoted), fmt.Sprint(r.Counts.Kept), fmt.Sprint(r.Counts.Rejected), string(r.Code),
		})
	}
	if err := output.Table(w, rows); err != nil {
		return err
	}
	output.NextPage(w, list.Next)
	return nil
}

// undone is the answer to a revert.
type undone struct {
	Changes  []memory.ChangeReceipt `json:"changes"`
	Replayed bool                   `json:"replayed"`
}

// revertConflict is a document that stands in the way of a revert.
type revertConflict struct {
	Documents []struct {
		Path      string            `json:"path"`
		Conflicts []memory.Conflict `json:"conflicts"`
	} `json:"documents"`
}

func (s commands) revertCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "revert <dream>",
		Short: "Undo what a dream wrote, as new versions",
		Long: "Undo what a dream wrote, as new versions: what others wrote since stays, and what the dream had promoted does not come back by\n" +
			"itself. Where somebody changed the same lines since, nothing is undone, and these places are shown.",
		Args: session.NeedsArgs(1, 1, aDream),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkDreamID(args[0]); err != nil {
				return err
			}
			path, err := s.MemoryPath("dream", "reports", args[0], "revert")
			if err != nil {
				return err
			}
			client, err := s.Client()
			if err != nil {
				return err
			}
			u, a, err := session.DataOf[undone](client.Call(cmd.Context(), session.Request{
				Method: http.MethodPost, Path: path, Query: s.OwnerQuery(), Headers: map[string]string{"Idempotency-Key": uuid.NewString()},
			}))
			if err != nil {
				return revertRefusal(cmd.ErrOrStderr(), err)
			}
			return s.Print(cmd, a, func(w io.Writer) error { u.show(w); return nil })
		},
	}
}

func (u undone) show(w io.Writer) {
	switch {
	case u.Replayed:
		fmt.Fprintln(w, "it was undone before")
		return
	case len(u.Changes) == 0:
		fmt.Fprintln(w, "it had written nothing")
	}
	for _, c := range u.Changes {
		fmt.Fprintln(w, output.Change(c))
	}
}

// revertRefusal shows where documents were changed since.
func revertRefusal(w io.Writer, err error) error {
	refused, found := errors.AsType[*session.Error](err)
	if !found || refused.Status != http.StatusConflict {
		return err
	}
	var places revertConflict
	if json.Unmarshal(refused.Data, &places) != nil {
		return err
	}
	for _, d := range places.Documents {
		fmt.Fprintf(w, "%s: %s\n", d.Path, output.Count(len(d.Conflicts), "conflict"))
		for _, c := range d.Conflicts {
			fmt.Fprintf(w, "  there now: %s\n  would be:  %s\n", output.OneLine(c.Theirs.Text, 200), output.OneLine(c.Ours.Text, 200))
		}
	}
	return err
}
