// Package conversations implements the commands that add conversations and show their extractions.
package conversations

import (
	"github.com/spf13/cobra"

	"reverie/cli/session"
)

// Commands returns the commands of this package.
func Commands(s *session.Session) []*cobra.Command {
	c := commands{s}
	return []*cobra.Command{c.addCommand(), c.summarizeCommand(), c.extractionsCommand()}
}

type commands struct{ *session.Session }
