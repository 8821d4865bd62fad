package searching

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
)

func (s commands) contextCommand() *cobra.Command {
	var asOf string
	c := &cobra.Command{
		Use:   "context <message>",
		Short: "Show the context of a message: what a model is sent with it",
		Long: "Show what a model is sent with a message without a conversation: the documents of the system prompt, and what memory recalls.\n" +
			"With --as-of, as it was known then.",
		Args: session.NeedsArgs(1, 1000, "the message"),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			made, err := client.AssembleContext(cmd.Context(), s.Agent, wire.AssembleContextParams{AsOf: asOf}, wire.ContextBody{
				Owner: s.Owner, Channel: s.Channel, Sender: s.Sender, EndUserID: s.EndUser, Message: strings.Join(args, " "),
			})
			if err != nil {
				return err
			}
			return s.Print(cmd, made.Raw, func(w io.Writer) error {
				for _, m := range made.Data.Messages {
					fmt.Fprintf(w, "%s\n%s\n\n", output.Emphasised(w, fmt.Sprintf("%s, %d tokens", m.Kind, m.Tokens)), output.Shown(w, m.Content))
				}
				return nil
			})
		},
	}
	c.Flags().StringVar(&asOf, "as-of", "", "as it was known at that time, such as 2026-01-31")
	return c
}
