package facts

import (
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
)

// forgetCommand returns the command that forgets a fact.
func (s commands) forgetCommand() *cobra.Command {
	var erase, dry bool
	c := &cobra.Command{
		Use:   "forget <fact>",
		Short: "Forget a fact everywhere; it is not learned again",
		Args:  session.NeedsArgs(1, 1, aFact),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			done, err := client.ForgetFact(cmd.Context(), s.Agent, args[0], wire.ForgetFactParams{
				Person: s.Person(), IdempotencyKey: uuid.NewString(), Erase: erase, DryRun: dry,
			})
			if err != nil {
				return err
			}
			return s.Print(cmd, done.Raw, func(w io.Writer) error { return showForgotten(w, done.Data, "without --dry-run") })
		},
	}
	c.Flags().BoolVar(&erase, "erase", false, "also remove the words from earlier versions and messages, permanently")
	c.Flags().BoolVar(&dry, "dry-run", false, "only show what would be forgotten")
	return c
}

// Forget returns the command that forgets everything with some words, or lines of a document.
func Forget(s *session.Session) *cobra.Command {
	var (
		erase, yes bool
		path       string
		from, to   int
		scope      string
	)
	c := &cobra.Command{
		Use:   "forget [words]",
		Short: "Forget everything that contains some words, or lines of a document; it is not learned again",
		Long: "Forget everything that contains some words, or the statements on lines of a document: in documents, drafts, summaries\n" +
			"and reports.\n" +
			"It is not learned again, in any words; what a person says again lifts that. Words only show what they find, until --yes is given.\n" +
			"With --erase it is also removed from earlier versions and messages, permanently.",
		Args: session.NeedsArgs(0, 1, "at most one argument: quote several words"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 1) == (path != "") {
				return errors.New("name words, or a document with --path and --line")
			}
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			dry := len(args) == 1 && !yes
			body := wire.ForgetBody{
				Owner: s.Owner, Channel: s.Channel, Sender: s.Sender, EndUserID: s.EndUser, Path: path, Scope: scope, Erase: &erase, DryRun: &dry,
			}
			if len(args) == 1 {
				body.Pattern = args[0]
			} else {
				body.StartLine, body.EndLine = &from, &to
			}
			done, err := client.Forget(cmd.Context(), s.Agent, wire.ForgetParams{IdempotencyKey: uuid.NewString()}, body)
			if err != nil {
				return err
			}
			return s.Print(cmd, done.Raw, func(w io.Writer) error { return showForgotten(w, done.Data, "with --yes") })
		},
	}
	f := c.Flags()
	f.BoolVar(&erase, "erase", false, "also remove the words from earlier versions and messages, permanently")
	f.BoolVar(&yes, "yes", false, "forget what the words find")
	f.StringVar(&path, "path", "", "document, in place of words")
	f.IntVar(&from, "line", 0, "with --path: the first line")
	f.IntVar(&to, "to", 0, "with --path: the last line; default: the first one")
	f.StringVar(&scope, "scope", "", "PERSONAL or TEAM; default: the owner's memory")
	return c
}

// showForgotten prints what was forgotten; confirm says how to repeat a command that only showed it.
func showForgotten(w io.Writer, done wire.Forgotten, confirm string) error {
	did := "forgotten"
	if done.DryRun {
		did = "would be forgotten"
	}
	if done.Backend.Unread {
		fmt.Fprintln(w, "the memory backend could not be read: what it has of this stays there, and is not shown any more")
	}
	if len(done.Found)+len(done.Statements)+len(done.Erased) == 0 {
		_, err := fmt.Fprintln(w, "nothing was found")
		return err
	}
	found := map[string]bool{}
	for _, f := range done.Found {
		found[f.Entry] = true
		fmt.Fprintf(w, "%s: %s  %s\n", did, output.Place(output.OneLine(f.Path, 200), f.StartLine, f.EndLine), output.OneLine(f.Text, 200))
		if f.Left != "" {
			fmt.Fprintf(w, "stays of the line: %s\n", output.OneLine(f.Left, 200))
		}
	}
	for _, s := range done.Statements {
		if !found[s.Entry] { // no document has it: the memory backend does
			fmt.Fprintf(w, "%s: %s\n", did, output.OneLine(s.Text, 200))
		}
	}
	for _, p := range done.Erased {
		fmt.Fprintf(w, "%s in %s: %s\n", did, p.Place, output.Count(p.Rows, "row"))
	}
	for _, p := range done.Kept {
		fmt.Fprintf(w, "stays in names and ids: %s, %s\n", p.Place, output.Count(p.Rows, "row"))
	}
	if n := done.Backend.Archived; n > 0 {
		fmt.Fprintf(w, "archived at the memory backend: %s\n", output.Count(n, "statement"))
	}
	if n := done.Backend.Kept; n > 0 {
		fmt.Fprintf(w, "could not be archived at the memory backend, and is not shown any more: %s\n", output.Count(n, "statement"))
	}
	if done.DryRun {
		fmt.Fprintf(w, "nothing was changed: repeat it %s\n", confirm)
	}
	return nil
}
