// Package dreams has the commands that start, show and undo dreams.
package dreams

import (
	"github.com/spf13/cobra"

	"reverie/cli/session"
)

// Commands returns the commands of this package.
func Commands(s *session.Session) []*cobra.Command {
	c := commands{s}
	return []*cobra.Command{
		c.dreamCommand(), c.dreamsCommand(), c.promoteCommand(), c.promoteExplainCommand(), c.remHarnessCommand(),
		c.remBackfillCommand(), c.revertCommand(), c.heldCommand(), c.cardCommand(),
	}
}

type commands struct{ *session.Session }
