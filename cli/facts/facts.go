// Package facts has the commands that show facts, judge them and derive them again.
package facts

import (
	"fmt"
	"io"
	"strconv"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
)

const aFact = "the id of the fact (`reverie memory facts` lists them)"

type commands struct{ *session.Session }

// Command returns the command of facts.
func Command(s *session.Session) *cobra.Command {
	own := commands{s}
	c := own.listCommand()
	c.AddCommand(
		own.whyCommand(),
		own.feedbackCommand("helpful", "Call a fact helpful: it gains trust", "HELPFUL"),
		own.feedbackCommand("unhelpful", "Call a fact unhelpful: it loses trust", "UNHELPFUL"),
		own.undoCommand(), own.restoreCommand(), own.forgetCommand(), own.rebuildCommand(), own.contradictionsCommand(),
		own.consolidateCommand(),
	)
	return c
}

func (s commands) listCommand() *cobra.Command {
	var (
		page   session.Page
		params wire.ListFactsParams
	)
	c := &cobra.Command{
		Use:   "facts [words]",
		Short: "List single statements of documents, the most trusted first",
		Long: "List single statements of documents, the most trusted first. Words are part of the statement, its subject or its value.\n" +
			"docs/facts.md explains trust.",
		Args: session.NeedsArgs(0, 1, "at most one argument: quote several words"),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			if len(args) == 1 {
				params.Keyword = args[0]
			}
			params.Person, params.Cursor, params.Limit = s.Person(), page.Cursor, page.Limit
			list, err := client.ListFacts(cmd.Context(), s.Agent, params)
			if err != nil {
				return err
			}
			return s.Print(cmd, list.Raw, func(w io.Writer) error { return showFacts(w, list.Data) })
		},
	}
	f := c.Flags()
	f.StringVar(&params.AsOf, "as-of", "", "what was believed at that time: a date such as 2026-01-31, or RFC 3339")
	f.StringVar(&params.Attribute, "attribute", "", "only with this attribute, such as home")
	f.StringVar(&params.Path, "path", "", "only of this document")
	f.StringVar(&params.Category, "category", "", "only of this category: user_pref, project, reference, feedback or general")
	f.StringVar(&params.Kind, "kind", "", "only of this kind: PROFILE, KNOWLEDGE or EVENT")
	f.BoolVar(&params.IncludeArchived, "archived", false, "also those in the archives of documents")
	f.Float64Var(&params.MinTrust, "min-trust", 0, "minimum trust, from 0 to 1")
	page.Register(c, 50)
	return c
}

func showFacts(w io.Writer, list wire.Facts) error {
	if len(list.Items) == 0 {
		fmt.Fprintln(w, "no facts")
	} else {
		rows := [][]string{{"FACT", "TRUST", "PLACE", "TEXT"}}
		for _, f := range list.Items {
			rows = append(rows, []string{f.ID, fmt.Sprintf("%.2f", f.Trust), place(f), output.OneLine(f.Text, 120)})
		}
		if err := output.Table(w, rows); err != nil {
			return err
		}
	}
	if list.Behind {
		fmt.Fprintln(w, "Some documents have changed: the worker has not derived their facts yet.")
	}
	output.NextPage(w, list.Next)
	return nil
}

// place formats where a fact is, or was.
func place(f wire.Fact) string {
	if f.StartLine == 0 {
		return output.OneLine(f.Path, 200)
	}
	return output.Place(f.Path, f.StartLine, f.EndLine)
}

func (s commands) whyCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "why <fact>",
		Aliases: []string{"show"},
		Short:   "Show a fact with every term of its trust, its feedback and its story",
		Args:    session.NeedsArgs(1, 1, aFact),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			known, err := client.GetFact(cmd.Context(), s.Agent, args[0], wire.GetFactParams{Person: s.Person()})
			if err != nil {
				return err
			}
			return s.Print(cmd, known.Raw, func(w io.Writer) error { return showKnown(w, known.Data) })
		},
	}
}

func showKnown(w io.Writer, k wire.KnownFact) error {
	f := k.Fact
	state := "current"
	if !f.EndedAt.IsZero() {
		state = "until " + output.When(f.EndedAt)
	} else if f.Archived {
		state = "archived"
	}
	rows := [][]string{
		{"text", output.OneLine(f.Text, 600)},
		{"place", place(f)},
		{"state", state},
		{"kind", f.Kind + ", " + f.Category},
		{"number", strconv.Itoa(f.Number)},
	}
	if f.Attribute != "" {
		rows = append(rows, []string{"reads", output.OneLine(fmt.Sprintf("%s, %s: %s", f.Subject, f.Attribute, f.Value), 200)})
	}
	if f.EndedAt.IsZero() { // removed facts have no trust
		rows = append(rows, []string{"trust", fmt.Sprintf("%.3f", f.Trust)})
	} else {
		k.Explain = nil
	}
	for _, t := range k.Explain {
		value := fmt.Sprintf("%+.3f", t.Value)
		if t.Term == "age" { // the sum of the others is multiplied by it
			value = fmt.Sprintf("× %.3f", t.Value)
		}
		rows = append(rows, []string{"  " + t.Term, value, t.Why})
	}
	if err := output.Table(w, rows); err != nil {
		return err
	}
	rows = [][]string{{"WHEN", "WHAT", "WHERE", "BY", "TEXT"}}
	for _, e := range k.Story {
		rows = append(rows, []string{output.When(e.At), e.Kind, where(e), output.OneLine(e.Author.Kind, 20), output.OneLine(e.Text, 100)})
	}
	fmt.Fprintln(w)
	if err := output.Table(w, rows); err != nil {
		return err
	}
	if len(k.Feedback) == 0 {
		return nil
	}
	rows = [][]string{{"FEEDBACK", "WHEN", "KIND", "REASON", "UNDONE"}}
	for _, g := range k.Feedback {
		rows = append(rows, []string{g.ID, output.When(g.At), g.Kind, output.OneLine(g.Reason, 40), output.When(g.UndoneAt)})
	}
	fmt.Fprintln(w)
	return output.Table(w, rows)
}

// where formats the document or the messages of an event.
func where(e wire.FactEvent) string {
	switch {
	case e.Path != "":
		return fmt.Sprintf("%s v%d", output.OneLine(e.Path, 60), e.Version)
	case e.Conversation != "" && len(e.Seqs) > 0:
		return fmt.Sprintf("%s:%d", output.OneLine(e.Conversation, 60), e.Seqs[0])
	}
	return "-"
}

func (s commands) feedbackCommand(name, short string, kind string) *cobra.Command {
	return &cobra.Command{
		Use:   name + " <fact>",
		Short: short,
		Args:  session.NeedsArgs(1, 1, aFact),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			known, err := client.GiveFactFeedback(cmd.Context(), s.Agent, args[0],
				wire.GiveFactFeedbackParams{Person: s.Person(), IdempotencyKey: uuid.NewString()}, wire.FeedbackBody{Kind: kind})
			if err != nil {
				return err
			}
			return s.Print(cmd, known.Raw, func(w io.Writer) error { return showTrust(w, known.Data) })
		},
	}
}

func (s commands) restoreCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "restore <fact>",
		Short: "Take a fact out of the archive of its document",
		Args:  session.NeedsArgs(1, 1, aFact),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			known, err := client.RestoreFact(cmd.Context(), s.Agent, args[0], wire.RestoreFactParams{Person: s.Person()})
			if err != nil {
				return err
			}
			return s.Print(cmd, known.Raw, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "restored in %s: %s\n", place(known.Data.Fact), output.OneLine(known.Data.Fact.Text, 200))
				return err
			})
		},
	}
}

func showTrust(w io.Writer, k wire.KnownFact) error {
	_, err := fmt.Fprintf(w, "trust is now %.2f: %s\n", k.Fact.Trust, output.OneLine(k.Fact.Text, 200))
	return err
}

func (s commands) undoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "undo <fact> <feedback>",
		Short: "Undo feedback",
		Args:  session.NeedsArgs(2, 2, "the ids of the fact and of the feedback (`reverie memory facts why` shows them)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			known, err := client.UndoFactFeedback(cmd.Context(), s.Agent, args[0], args[1], wire.UndoFactFeedbackParams{Person: s.Person()})
			if err != nil {
				return err
			}
			return s.Print(cmd, known.Raw, func(w io.Writer) error { return showTrust(w, known.Data) })
		},
	}
}

func (s commands) rebuildCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rebuild",
		Short: "Rebuild all facts from documents, versions and feedback; needs an admin key",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			marked, err := client.RebuildFacts(cmd.Context(), s.Agent)
			if err != nil {
				return err
			}
			return s.Print(cmd, marked.Raw, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, "accepted: the worker and readers derive the facts of each document again")
				return err
			})
		},
	}
}

func (s commands) consolidateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "consolidate",
		Short: "Remove structured entries that only repeat a later one; needs an admin key",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			done, err := client.ConsolidateStructured(cmd.Context(), s.Agent)
			if err != nil {
				return err
			}
			return s.Print(cmd, done.Raw, func(w io.Writer) error {
				d := done.Data
				_, err := fmt.Fprintf(w, "%d documents changed: %d entries, %d before. Owners: %d consolidated, %d with few entries, %d left\n",
					d.Updated, d.EntriesAfter, d.EntriesBefore, d.OwnersConsolidated, d.SkippedSmall, d.SkippedOverCap+d.Failed)
				return err
			})
		},
	}
}
