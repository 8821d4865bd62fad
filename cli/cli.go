// Package cli is the command line program over the HTTP API: `reverie memory` and `reverie chat`.
package cli

import (
	"errors"
	"io"
	"slices"

	"github.com/reverie-memory/reverie/client/wire"
	"github.com/spf13/cobra"

	"reverie/cli/chat"
	"reverie/cli/conversations"
	"reverie/cli/documents"
	"reverie/cli/dreams"
	"reverie/cli/facts"
	"reverie/cli/importing"
	"reverie/cli/output"
	"reverie/cli/searching"
	"reverie/cli/session"
)

// Commands returns the commands that work over the API. version is sent as part of the User-Agent.
func Commands(version string) []*cobra.Command {
	return []*cobra.Command{memoryCommand(version), chat.Command(&session.Session{Version: version})}
}

type commands struct{ *session.Session }

func memoryCommand(version string) *cobra.Command {
	s := &session.Session{Version: version}
	c := &cobra.Command{
		Use:   "memory",
		Short: "Work with memory from the shell: add conversations, search, read, diff, blame, restore, dream",
		Long: "Work with an agent's memory from the shell, over the HTTP API of a running Reverie.\n\n" +
			"The key is that of --key, else of REVERIE_KEY, else the admin key that `reverie dev` keeps in its data folder.\n" +
			"The owner is named with --owner, or --channel and --sender, or --end-user; without one, it is the agent's shared memory.\n" +
			"With --json every command prints the API's own answer. A command that fails exits with 1.",
	}
	s.Register(c)
	session.NeedsCommand(c)
	own := commands{s}
	c.AddCommand(slices.Concat(
		[]*cobra.Command{
			own.agentsCommand(), own.doctorCommand(), own.eventsCommand(), own.toolsCommand(), own.keysCommand(), own.auditCommand(),
			own.ownerCommand(), own.deleteCommand(), own.deletionsCommand(), own.webhooksCommand(),
			own.revokeCommand(), own.revocationsCommand(),
			own.approvalsCommand(),
			importing.Command(s), facts.Command(s), facts.Forget(s), facts.Injections(s), facts.Why(s),
		},
		conversations.Commands(s), documents.Commands(s), searching.Commands(s), dreams.Commands(s),
	)...)
	return c
}

func (s commands) ownerCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "owner [id]",
		Short: "Find a person's workflows in Temporal, or the person behind an owner id",
		Long: "Show the opaque id of a person in workflow ids and in the search attribute OwnerKey, with the ids of the\n" +
			"person's workflows. Name the person (--owner, --end-user, or --channel and --sender), or give an id to see its owner.\n" +
			"It needs an admin key.",
		Args: session.NeedsArgs(0, 1, "at most one owner id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			params := wire.FindOwnerParams{Person: s.Person()}
			if len(args) == 1 {
				params.ID = args[0]
			} else if !s.NamesOwner() {
				return errors.New("name the person (--owner, --end-user, or --channel and --sender), or give an owner id")
			}
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			found, err := client.FindOwner(cmd.Context(), s.Agent, params)
			if err != nil {
				return err
			}
			return s.Print(cmd, found.Raw, func(w io.Writer) error {
				o := found.Data
				rows := [][]string{
					{"owner", output.OneLine(o.Owner, 200)}, {"id", o.OwnerID}, {"query", o.Query}, {"inbox", o.Inbox}, {"dreams", o.Dream},
				}
				if o.Link != "" {
					rows = append(rows, []string{"link", o.Link})
				}
				return output.Table(w, rows)
			})
		},
	}
}
