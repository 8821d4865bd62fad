package dreams

import (
	"context"
	"fmt"
	"io"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
)

const aHeld = "the statement (`reverie memory held` lists them)"

func (s commands) heldCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "held",
		Short: "List the instructions to the assistant that wait for a person; accept or refuse them",
		Long: "List statements that instruct the assistant, such as an order for every answer or a standing order with a link. They are in no\n" +
			"document until a person accepts them. A refused one does not come back. Without an owner, those of the shared memory.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			list, err := client.ListHeld(cmd.Context(), s.Agent, wire.ListHeldParams{Person: s.Person()})
			if err != nil {
				return err
			}
			return s.Print(cmd, list.Raw, func(w io.Writer) error { return showHeld(w, list.Data.Items) })
		},
	}
	c.AddCommand(
		s.decideHeldCommand("accept", "Accept a held statement and add it to MEMORY.md as yours", "accepted",
			func(ctx context.Context, client *wire.Client, entry, key string) (wire.Answer[wire.HeldDecision], error) {
				return client.AcceptHeld(ctx, s.Agent, entry, wire.AcceptHeldParams{Person: s.Person(), IdempotencyKey: key})
			}),
		s.decideHeldCommand("refuse", "Refuse a held statement permanently", "refused",
			func(ctx context.Context, client *wire.Client, entry, key string) (wire.Answer[wire.HeldDecision], error) {
				return client.RefuseHeld(ctx, s.Agent, entry, wire.RefuseHeldParams{Person: s.Person(), IdempotencyKey: key})
			}),
	)
	return c
}

func showHeld(w io.Writer, items []wire.Held) error {
	if len(items) == 0 {
		_, err := fmt.Fprintln(w, "nothing waits")
		return err
	}
	rows := [][]string{{"STATEMENT", "LAST", "WHY", "TEXT"}}
	for _, h := range items {
		rows = append(rows, []string{h.Entry, output.When(h.Last), h.Rule, output.OneLine(h.Text, 120)})
	}
	return output.Table(w, rows)
}

func (s commands) decideHeldCommand(name, short, done string,
	decide func(ctx context.Context, client *wire.Client, entry, key string) (wire.Answer[wire.HeldDecision], error),
) *cobra.Command {
	return &cobra.Command{
		Use:   name + " <statement>",
		Short: short,
		Args:  session.NeedsArgs(1, 1, aHeld),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			decided, err := decide(cmd.Context(), client, args[0], uuid.NewString())
			if err != nil {
				return err
			}
			return s.Print(cmd, decided.Raw, func(w io.Writer) error {
				fmt.Fprintln(w, done)
				for _, c := range decided.Data.Changes {
					fmt.Fprintln(w, output.Change(c))
				}
				return nil
			})
		},
	}
}
