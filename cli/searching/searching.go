// Package searching implements the commands that search memory, read results and show the state of the index.
package searching

import (
	"github.com/spf13/cobra"

	"reverie/cli/session"
)

// Commands returns the commands of this package.
func Commands(s *session.Session) []*cobra.Command {
	c := commands{s}
	return []*cobra.Command{c.searchCommand(), c.contextCommand(), c.getCommand(), c.indexCommand(), c.statusCommand()}
}

type commands struct{ *session.Session }
