package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
)

func (s commands) webhooksCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "webhooks",
		Short: "Manage webhooks and inspect their deliveries",
		Long: "Send events of the agent's memory to an address, as signed requests with ids, paths, counts and hashes, never contents.\n\n" +
			"A webhook gets the events of the owner that is named, and of shared memory; with an admin key and no owner, those of all\n" +
			"owners. It ends with the key that made it.",
	}
	session.NeedsCommand(c)
	c.AddCommand(
		s.webhooksListCommand(), s.webhooksCreateCommand(), s.webhooksChangeCommand(),
		s.webhookState("pause", "paused", "Pause a webhook: events wait"),
		s.webhookState("resume", "active", "Resume a paused webhook, or end the wait for the next attempt"),
		s.webhooksRotateCommand(), s.webhooksPingCommand(), s.webhooksFailuresCommand(), s.webhooksRedeliverCommand(), s.webhooksDeleteCommand(),
	)
	return c
}

const webhookArg = "the id of the webhook (`reverie memory webhooks list` shows them)"

// webhookCommand returns a command about one webhook.
func (s commands) webhookCommand(use, short string, more int, run func(*cobra.Command, *wire.Client, []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: session.NeedsArgs(1, more, webhookArg),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			return run(cmd, client, args)
		},
	}
}

func (s commands) webhooksListCommand() *cobra.Command {
	var params wire.ListWebhooksParams
	c := &cobra.Command{
		Use:   "list",
		Short: "List webhooks with their state and their latest attempt",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			params.Person = s.Person()
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			list, err := client.ListWebhooks(cmd.Context(), s.Agent, params)
			if err != nil {
				return err
			}
			return s.Print(cmd, list.Raw, func(w io.Writer) error {
				rows := [][]string{{"ID", "TO", "OF", "KINDS", "STATE", "DELIVERED", "GIVEN UP", "LATEST"}}
				for _, x := range list.Data.Items {
					rows = append(rows, []string{
						x.ID, output.OneLine(webhookTarget(x), 60), cmp.Or(x.Owner, "everybody"), cmp.Or(strings.Join(x.Kinds, ","), "all"), webhookState(x),
						fmt.Sprint(x.Delivered), fmt.Sprint(x.Failures), latestAttempt(x),
					})
				}
				return output.Table(w, rows)
			})
		},
	}
	c.Flags().IntVar(&params.Limit, "limit", 50, "how many per page")
	c.Flags().StringVar(&params.Cursor, "cursor", "", "continue a list")
	return c
}

// webhookTarget names what gets the events.
func webhookTarget(x wire.Webhook) string {
	if x.Program != "" {
		return "program " + x.Program
	}
	return x.URL
}

func webhookState(x wire.Webhook) string {
	switch {
	case x.Reason != "":
		return x.State + " (" + x.Reason + ")"
	case !x.NextAttemptAt.IsZero():
		return "waits until " + output.When(x.NextAttemptAt)
	}
	return x.State
}

func latestAttempt(x wire.Webhook) string {
	switch {
	case x.LastAt.IsZero():
		return "-"
	case x.LastReason == "":
		return "delivered " + output.When(x.LastAt)
	}
	return strings.TrimSuffix(fmt.Sprintf("%s %d", x.LastReason, x.LastStatus), " 0") + " " + output.When(x.LastAt)
}

func (s commands) webhooksCreateCommand() *cobra.Command {
	var body wire.NewWebhookBody
	c := &cobra.Command{
		Use:   "create <url>",
		Short: "Add a webhook for events from now on, and print its secret once",
		Args:  session.NeedsArgs(1, 1, "an address that begins with https://"),
		RunE: func(cmd *cobra.Command, args []string) error {
			body.URL, body.Owner, body.Channel, body.Sender, body.EndUserID = args[0], s.Owner, s.Channel, s.Sender, s.EndUser
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			made, err := client.CreateWebhook(cmd.Context(), s.Agent, body)
			if err != nil {
				return err
			}
			return s.Print(cmd, made.Raw, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s\nwebhook %s; the secret above is not shown again\n", made.Data.Secret, made.Data.ID)
				return err
			})
		},
	}
	c.Flags().StringSliceVar(&body.Kinds, "kind", nil, "only events of these kinds, such as document.written,memory.dream.completed")
	return c
}

// changeWebhook changes a webhook and prints its state.
func (s commands) changeWebhook(cmd *cobra.Command, client *wire.Client, id string, body wire.ChangeWebhookBody) error {
	x, err := client.ChangeWebhook(cmd.Context(), s.Agent, id, wire.ChangeWebhookParams{Person: s.Person()}, body)
	if err != nil {
		return err
	}
	return s.Print(cmd, x.Raw, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "webhook %s: %s, %s\n", x.Data.ID, webhookTarget(x.Data), webhookState(x.Data))
		return err
	})
}

func (s commands) webhooksChangeCommand() *cobra.Command {
	var body wire.ChangeWebhookBody
	c := s.webhookCommand("change <id>", "Change the address or the kinds of events of a webhook", 1,
		func(cmd *cobra.Command, client *wire.Client, args []string) error {
			if body.URL == "" && body.Kinds == nil {
				return errors.New("nothing to change: use --to or --kind")
			}
			return s.changeWebhook(cmd, client, args[0], body)
		})
	c.Flags().StringVar(&body.URL, "to", "", "the new address")
	c.Flags().StringSliceVar(&body.Kinds, "kind", nil, "only events of these kinds")
	return c
}

func (s commands) webhookState(use, state, short string) *cobra.Command {
	return s.webhookCommand(use+" <id>", short, 1, func(cmd *cobra.Command, client *wire.Client, args []string) error {
		return s.changeWebhook(cmd, client, args[0], wire.ChangeWebhookBody{State: state})
	})
}

func (s commands) webhooksRotateCommand() *cobra.Command {
	overlap := span(day)
	c := s.webhookCommand("rotate <id>", "Replace the secret of a webhook, and print the new one, once", 1,
		func(cmd *cobra.Command, client *wire.Client, args []string) error {
			x, err := client.RotateWebhookSecret(cmd.Context(), s.Agent, args[0], wire.RotateWebhookSecretParams{Person: s.Person()},
				wire.RotateWebhookBody{OverlapSeconds: new(overlap.seconds())})
			if err != nil {
				return err
			}
			return s.Print(cmd, x.Raw, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s\nwebhook %s; the secret above is not shown again\nthe old one signs as well until %s\n",
					x.Data.Secret, x.Data.ID, output.When(x.Data.PreviousUntil))
				return err
			})
		})
	c.Flags().Var(&overlap, "overlap", "how long the old secret signs as well, such as 12h or 7d, at most 30d")
	return c
}

func (s commands) webhooksPingCommand() *cobra.Command {
	return s.webhookCommand("ping <id>", "Send a test event; fails unless it is accepted", 1,
		func(cmd *cobra.Command, client *wire.Client, args []string) error {
			x, err := client.PingWebhook(cmd.Context(), s.Agent, args[0], wire.PingWebhookParams{Person: s.Person()})
			if err != nil {
				return err
			}
			if err := s.Print(cmd, x.Raw, func(w io.Writer) error {
				if !x.Data.Delivered {
					return nil
				}
				_, err := fmt.Fprintf(w, "accepted with %d after %d ms\n", x.Data.Status, x.Data.Millis)
				return err
			}); err != nil || x.Data.Delivered {
				return err
			}
			return fmt.Errorf("not accepted: %s", strings.TrimSuffix(fmt.Sprintf("%s %d", x.Data.Reason, x.Data.Status), " 0"))
		})
}

func (s commands) webhooksFailuresCommand() *cobra.Command {
	params := wire.ListWebhookFailuresParams{}
	c := s.webhookCommand("failures <id>", "List the events that a webhook has not accepted in all attempts", 1,
		func(cmd *cobra.Command, client *wire.Client, args []string) error {
			params.Person = s.Person()
			list, err := client.ListWebhookFailures(cmd.Context(), s.Agent, args[0], params)
			if err != nil {
				return err
			}
			return s.Print(cmd, list.Raw, func(w io.Writer) error {
				rows := [][]string{{"ID", "EVENT", "KIND", "ATTEMPTS", "REASON", "AT"}}
				for _, f := range list.Data.Items {
					reason := strings.TrimSuffix(fmt.Sprintf("%s %d", f.LastReason, f.LastStatus), " 0")
					rows = append(rows, []string{f.ID, f.Event, f.Kind, fmt.Sprint(f.Attempts), reason, output.When(f.FailedAt)})
				}
				return output.Table(w, rows)
			})
		})
	c.Flags().IntVar(&params.Limit, "limit", 50, "how many per page")
	c.Flags().StringVar(&params.Cursor, "cursor", "", "continue a list")
	return c
}

func (s commands) webhooksRedeliverCommand() *cobra.Command {
	return s.webhookCommand("redeliver <id> [failure…]", "Deliver events again that were given up: those that are named, or all", 500,
		func(cmd *cobra.Command, client *wire.Client, args []string) error {
			x, err := client.RedeliverWebhook(cmd.Context(), s.Agent, args[0], wire.RedeliverWebhookParams{Person: s.Person()},
				wire.RedeliverBody{Failures: args[1:]})
			if err != nil {
				return err
			}
			return s.Print(cmd, x.Raw, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%d are delivered again\n", len(x.Data.Failures))
				return err
			})
		})
}

func (s commands) webhooksDeleteCommand() *cobra.Command {
	return s.webhookCommand("delete <id>", "Delete a webhook with its secret and its failures", 1,
		func(cmd *cobra.Command, client *wire.Client, args []string) error {
			x, err := client.DeleteWebhook(cmd.Context(), s.Agent, args[0], wire.DeleteWebhookParams{Person: s.Person()})
			if err != nil {
				return err
			}
			return s.Print(cmd, x.Raw, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "webhook %s is deleted\n", x.Data.ID)
				return err
			})
		})
}
