package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
)

func (s commands) keysCommand() *cobra.Command {
	c := &cobra.Command{Use: "keys", Short: "List, create, rotate and revoke API keys"}
	session.NeedsCommand(c)
	c.AddCommand(s.keysListCommand(), s.keysCreateCommand(), s.keysRotateCommand(), s.keysRevokeCommand())
	return c
}

func (s commands) keysListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the keys of the workspace, with their last use and end",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := s.Client()
			if err != nil {
				return err
			}
			list, err := client.ListKeys(cmd.Context(), wire.ListKeysParams{})
			if err != nil {
				return err
			}
			return s.Print(cmd, list.Raw, func(w io.Writer) error {
				rows := [][]string{{"ID", "NAME", "ROLE", "FOR", "LAST USED", "STATE"}}
				for _, k := range list.Data.Items {
					used := "never"
					if !k.LastUsedAt.IsZero() {
						used = output.When(k.LastUsedAt)
					}
					rows = append(rows, []string{k.ID, output.OneLine(k.Name, 40), k.Role, keyReach(k), used, keyState(k)})
				}
				return output.Table(w, rows)
			})
		},
	}
}

// keyReach says which agents and whose memory a key is for.
func keyReach(k wire.Key) string {
	return strings.TrimSpace(cmp.Or(strings.Join(k.Agents, ","), "all agents") + " " + k.Owner)
}

func keyState(k wire.Key) string {
	switch {
	case !k.RevokedAt.IsZero():
		return "revoked " + output.When(k.RevokedAt)
	case k.ExpiresAt.IsZero():
		return "valid"
	case k.ReplacedBy != "":
		return "until " + output.When(k.ExpiresAt) + ", replaced by " + k.ReplacedBy
	}
	return "until " + output.When(k.ExpiresAt)
}

func (s commands) keysCreateCommand() *cobra.Command {
	var (
		body    wire.NewKeyBody
		expires deadline
	)
	c := &cobra.Command{
		Use:   "create <name>",
		Short: "Create a key and print its secret, once",
		Long:  "Create a key and print its secret, once. --owner and the other flags that name a person pin the key to them.",
		Args:  session.NeedsArgs(1, 1, "the name of the key"),
		RunE: func(cmd *cobra.Command, args []string) error {
			body.Name, body.Owner, body.ExpiresAt = args[0], s.Owner, expires.from(time.Now())
			client, err := s.Client()
			if err != nil {
				return err
			}
			made, err := client.CreateKey(cmd.Context(), body)
			if err != nil {
				return err
			}
			return s.Print(cmd, made.Raw, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s\nkey %s; the secret above is not shown again\n", made.Data.Secret, made.Data.ID)
				return err
			})
		},
	}
	f := c.Flags()
	f.StringVar(&body.Role, "role", "member", "viewer, member or admin")
	f.StringSliceVar(&body.Agents, "agents", nil, "only these agents; empty: all")
	f.Var(&expires, "expires", "how long it is valid, such as 36h or 90d, or the day (UTC) on which it ends, such as 2027-12-31; 0: for ever")
	return c
}

func (s commands) keysRotateCommand() *cobra.Command {
	overlap := span(day)
	var expires deadline
	c := &cobra.Command{
		Use:   "rotate <id>",
		Short: "Replace a key by a new one with the same rights, and print its secret, once",
		Long: "Replace a key by a new one with the same rights, and print its secret, once. The old key stays valid for the overlap.\n" +
			"If the secret is lost, rotate the new key.",
		Args: session.NeedsArgs(1, 1, "the id of the key (`reverie memory keys list` shows them)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.Client()
			if err != nil {
				return err
			}
			made, err := client.RotateKey(cmd.Context(), args[0], wire.RotateKeyBody{
				OverlapSeconds: new(overlap.seconds()), ExpiresAt: expires.from(time.Now()),
			})
			if err != nil {
				return err
			}
			return s.Print(cmd, made.Raw, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s\nkey %s; the secret above is not shown again\nkey %s is valid until %s\n",
					made.Data.Secret, made.Data.ID, made.Data.Replaces.ID, output.When(made.Data.Replaces.ExpiresAt))
				return err
			})
		},
	}
	f := c.Flags()
	f.Var(&overlap, "overlap", "how long the old key stays valid, such as 12h or 7d, at most 30d")
	f.Var(&expires, "expires", "how long the new key is valid, such as 36h or 90d, or the day (UTC) on which it ends; 0: as long as the old one was")
	return c
}

func (s commands) keysRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke <id>",
		Short: "Revoke a key",
		Args:  session.NeedsArgs(1, 1, "the id of the key (`reverie memory keys list` shows them)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.Client()
			if err != nil {
				return err
			}
			revoked, err := client.RevokeKey(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return s.Print(cmd, revoked.Raw, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "key %s is revoked\n", revoked.Data.ID)
				return err
			})
		},
	}
}
