// Package documents has the commands that read, change, export and sync documents.
package documents

import (
	"github.com/spf13/cobra"

	"reverie/cli/session"
)

// Commands returns the commands of this package.
func Commands(s *session.Session) []*cobra.Command {
	c := commands{s}
	return []*cobra.Command{
		c.listCommand(), c.catCommand(), c.logCommand(), c.diffCommand(), c.blameCommand(), c.restoreCommand(), c.promptCommand(),
		c.exportCommand(), c.syncCommand(), c.snapshotCommand(), c.artifactsCommand(), c.writeCommand(),
	}
}

type commands struct{ *session.Session }
