package facts

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
)

// Injections returns the command of what was put into contexts.
func Injections(s *session.Session) *cobra.Command {
	own := commands{s}
	var (
		page   session.Page
		params wire.ListInjectionsParams
	)
	c := &cobra.Command{
		Use:   "injections",
		Short: "List what was put into contexts: candidates, selected, omitted, tokens",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			params.Person, params.Cursor, params.Limit = s.Person(), page.Cursor, page.Limit
			list, err := client.ListInjections(cmd.Context(), s.Agent, params)
			if err != nil {
				return err
			}
			return s.Print(cmd, list.Raw, func(w io.Writer) error { return showInjections(w, list.Data) })
		},
	}
	c.Flags().StringVar(&params.Conversation, "conversation", "", "only of this conversation")
	page.Register(c, 50)
	c.AddCommand(own.injectionCommand(), own.injectionWhyCommand())
	return c
}

// Why returns the command that explains a fact.
func Why(s *session.Session) *cobra.Command { return commands{s}.whyCommand() }

func showInjections(w io.Writer, list wire.Page[wire.Injection]) error {
	if len(list.Items) == 0 {
		_, err := fmt.Fprintln(w, "no contexts")
		return err
	}
	rows := [][]string{{"INJECTION", "WHEN", "CONVERSATION", "CANDIDATES", "SELECTED", "OMITTED", "TOKENS", "SKIPPED"}}
	for _, i := range list.Items {
		rows = append(rows, []string{
			i.ID, output.When(i.At), output.OneLine(i.Conversation, 60), fmt.Sprint(i.Candidates), fmt.Sprint(i.Selected), fmt.Sprint(i.Omitted),
			fmt.Sprintf("%d of %d", i.Tokens, i.Budget), i.Skipped,
		})
	}
	if err := output.Table(w, rows); err != nil {
		return err
	}
	output.NextPage(w, list.Next)
	return nil
}

func (s commands) injectionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show <injection>",
		Short: "Show every candidate of a context and its outcome",
		Args:  session.NeedsArgs(1, 1, "the id of the record (`reverie memory injections` lists them)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.showInjection(cmd, args[0], "")
		},
	}
}

func (s commands) injectionWhyCommand() *cobra.Command {
	var injection, conversation string
	c := &cobra.Command{
		Use:   "why <words or fact>",
		Short: "Show why the latest context contained something, or did not",
		Args:  session.NeedsArgs(1, 1, "words of what it knew or did not know, or the id of a fact"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if injection != "" {
				return s.showInjection(cmd, injection, args[0])
			}
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			latest, err := client.ListInjections(cmd.Context(), s.Agent, wire.ListInjectionsParams{
				Person: s.Person(), Conversation: conversation, Limit: 1,
			})
			switch {
			case err != nil:
				return err
			case len(latest.Data.Items) == 0:
				return errors.New("no context was recorded: name the owner and the conversation of the turn")
			}
			return s.showInjection(cmd, latest.Data.Items[0].ID, args[0])
		},
	}
	c.Flags().StringVar(&injection, "injection", "", "of this context")
	c.Flags().StringVar(&conversation, "conversation", "", "of the latest context of this conversation")
	return c
}

// skippedBecause says why nothing was recalled.
var skippedBecause = map[string]string{
	"trivial": "the message needs no memory", "off": "memory is switched off", "disabled": "injection is switched off",
	"nothing": "nothing matches beside what the prompt has", "unavailable": "the search could not be used",
}

func (s commands) showInjection(cmd *cobra.Command, injection, about string) error {
	client, err := s.AgentClient()
	if err != nil {
		return err
	}
	found, err := client.GetInjection(cmd.Context(), s.Agent, injection, wire.GetInjectionParams{Person: s.Person(), About: about})
	if err != nil {
		return err
	}
	return s.Print(cmd, found.Raw, func(w io.Writer) error {
		i := found.Data.Injection
		fmt.Fprintf(w, "%s: %d candidates, %d selected, %d omitted, %d of %d tokens", output.When(i.At), i.Candidates, i.Selected, i.Omitted,
			i.Tokens, i.Budget)
		if i.Skipped != "" {
			fmt.Fprintf(w, ", nothing recalled: %s", cmp.Or(skippedBecause[i.Skipped], i.Skipped))
		}
		fmt.Fprintln(w)
		if len(found.Data.Choices) == 0 {
			_, err := fmt.Fprintln(w, "no candidate and no fact is about that")
			return err
		}
		rows := [][]string{{"OUTCOME", "WHY", "LAYER", "SCORE", "PLACE", "FACT", "TEXT"}}
		for _, c := range found.Data.Choices {
			rows = append(rows, []string{
				c.Outcome, c.Reason, c.Layer, fmt.Sprintf("%.2f", c.Score), output.Place(c.Path, c.StartLine, c.EndLine), c.Fact, output.OneLine(c.Text, 100),
			})
		}
		return output.Table(w, rows)
	})
}
