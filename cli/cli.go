// Package cli is the command line program over the HTTP API: `reverie memory` and `reverie chat`.
package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"reverie/cli/chat"
	"reverie/cli/conversations"
	"reverie/cli/documents"
	"reverie/cli/dreams"
	"reverie/cli/facts"
	"reverie/cli/importing"
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
