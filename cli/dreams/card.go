package dreams

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
)

const anEntry = "the entry of a fact (`reverie memory card` lists them)"

func (s commands) cardCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "card",
		Short: "Show the morning card: what the latest dream changed, until it is seen",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			card, err := client.MorningCard(cmd.Context(), s.Agent, wire.MorningCardParams{Person: s.Person()})
			if err != nil {
				return err
			}
			return s.Print(cmd, card.Raw, func(w io.Writer) error {
				if card.Data.ReportID == "" {
					_, err := fmt.Fprintln(w, "no morning card")
					return err
				}
				return output.Card(w, card.Data)
			})
		},
	}
	c.AddCommand(s.cardSeenCommand())
	for _, a := range []cardAction{
		{"confirm <entry>", "Confirm a fact of the card", session.NeedsArgs(1, 1, anEntry), s.confirm},
		{"edit <entry> <text>", "Edit a fact of the card", session.NeedsArgs(2, 2, anEntry+", and its new text"), s.edit},
		{"forget <entry>", "Forget a fact of the card permanently", session.NeedsArgs(1, 1, anEntry), s.forget},
	} {
		c.AddCommand(s.cardActionCommand(a))
	}
	return c
}

// cardAction is an action on a fact of a card.
type cardAction struct {
	use, short string
	args       cobra.PositionalArgs
	do         func(ctx context.Context, client *wire.Client, report string, args []string) (wire.Answer[wire.Entry], error)
}

func (s commands) cardActionCommand(a cardAction) *cobra.Command {
	return &cobra.Command{
		Use: a.use, Short: a.short, Args: a.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, report, err := s.latestCard(cmd.Context())
			if err != nil {
				return err
			}
			changed, err := a.do(cmd.Context(), client, report, args)
			if err != nil {
				return err
			}
			return s.Print(cmd, changed.Raw, func(w io.Writer) error {
				fmt.Fprintln(w, changed.Data.Status)
				for _, c := range changed.Data.Changes {
					if c.Changed {
						fmt.Fprintf(w, "  %s (%s) version %d, %s\n", output.OneLine(c.Path, 80), c.Scope, c.Version, output.Stat(c.Added, c.Removed))
					}
				}
				return nil
			})
		},
	}
}

func (s commands) cardSeenCommand() *cobra.Command {
	return &cobra.Command{
		Use: "seen", Short: "Mark the morning card as seen", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, report, err := s.latestCard(cmd.Context())
			if err != nil {
				return err
			}
			seen, err := client.SeeMorningCard(cmd.Context(), s.Agent, wire.SeeMorningCardParams{Person: s.Person()}, wire.SeenBody{ReportID: report})
			if err != nil {
				return err
			}
			return s.Print(cmd, seen.Raw, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, "seen")
				return err
			})
		},
	}
}

// latestCard returns the report of the latest card, also after it was seen.
func (s commands) latestCard(ctx context.Context) (*wire.Client, string, error) {
	client, err := s.AgentClient()
	if err != nil {
		return nil, "", err
	}
	card, err := client.MorningCard(ctx, s.Agent, wire.MorningCardParams{Person: s.Person()})
	if err != nil || card.Data.ReportID != "" {
		return client, card.Data.ReportID, err
	}
	written, err := client.ListDreams(ctx, s.Agent, wire.ListDreamsParams{Person: s.Person(), Outcome: "written", Real: true, Limit: 1})
	if err == nil && len(written.Data.Items) == 0 {
		err = errors.New("no morning card: no dream has changed this memory")
	}
	if err != nil {
		return nil, "", err
	}
	return client, written.Data.Items[0].ID, nil
}

func (s commands) confirm(ctx context.Context, client *wire.Client, report string, args []string) (wire.Answer[wire.Entry], error) {
	return client.ConfirmEntry(ctx, s.Agent, report, args[0], wire.ConfirmEntryParams{Person: s.Person(), IdempotencyKey: uuid.NewString()})
}

func (s commands) edit(ctx context.Context, client *wire.Client, report string, args []string) (wire.Answer[wire.Entry], error) {
	return client.EditEntry(ctx, s.Agent, report, args[0], wire.EditEntryParams{Person: s.Person(), IdempotencyKey: uuid.NewString()},
		wire.EditEntryBody{Content: args[1]})
}

func (s commands) forget(ctx context.Context, client *wire.Client, report string, args []string) (wire.Answer[wire.Entry], error) {
	return client.ForgetEntry(ctx, s.Agent, report, args[0], wire.ForgetEntryParams{Person: s.Person(), IdempotencyKey: uuid.NewString()})
}
