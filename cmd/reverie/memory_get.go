package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"
)

// excerpt is a part of a document or of a conversation.
type excerpt struct {
	Text   string `json:"text"`
	Corpus string `json:"corpus"`
	Notice string `json:"notice"`
	Error  string `json:"error"`
}

func (s *session) getCommand() *cobra.Command {
	var (
		scope             scopeFlag
		from, lines, skip int
	)
	c := &cobra.Command{
		Use:   "get <path>",
		Short: "Print lines of a document, or messages of a conversation, as an agent reads them",
		Long: "Print lines of a document, or messages of a conversation (sessions/ and its id), as an agent reads what it found: at\n" +
			"most 120 lines and 12,000 characters at once. `reverie memory cat` prints a whole document.",
		Args: needsArgs(1, 1, "what `reverie memory search` has found"),
		RunE: func(cmd *cobra.Command, args []string) error {
			query := scope.query()
			query.Set("path", args[0])
			for name, value := range map[string]int{"from": from, "lines": lines, "skip": skip} {
				if value != 0 {
					query.Set(name, strconv.Itoa(value))
				}
			}
			e, a, err := dataOf[excerpt](s.get(cmd, query, "memory", "get"))
			if err != nil {
				return err
			}
			if err := s.print(cmd, a, func(w io.Writer) error {
				if e.Text == "" {
					return nil
				}
				_, err := fmt.Fprintln(w, shown(w, e.Text))
				return err
			}); err != nil {
				return err
			}
			switch {
			case e.Error != "":
				fmt.Fprintf(cmd.ErrOrStderr(), "! %s\n", e.Error)
			case e.Corpus == "":
				fmt.Fprintf(cmd.ErrOrStderr(), "! there is no %s\n", oneLine(args[0], 200))
			case e.Notice != "":
				fmt.Fprintf(cmd.ErrOrStderr(), "! %s\n", e.Notice)
			}
			return nil
		},
	}
	f := c.Flags()
	f.IntVar(&from, "from", 0, "first line, or number of the first message; not given: 1")
	f.IntVar(&lines, "lines", 0, "how many; not given: 120")
	f.IntVar(&skip, "skip", 0, "characters of the first line that were read already")
	scope.register(c)
	return c
}
