package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
)

// ErrFindings means that the doctor has findings left, or could not check everything.
var ErrFindings = errors.New("the doctor found problems; docs/operations.md explains each finding")

func (s commands) doctorCommand() *cobra.Command {
	var fix bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check an agent's data for damage, and repair it",
		Long: "Check an agent's data for damage: the index, hashes, records whose workflow is gone, schedules, contaminated candidates.\n" +
			"Nothing is changed without --fix. The exit code is 1 while findings are left, or something could not be checked.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			examine := client.ExamineAgent
			if fix {
				examine = client.FixAgent
			}
			found, err := examine(cmd.Context(), s.Agent)
			if err != nil {
				return err
			}
			if err := s.Print(cmd, found.Raw, func(w io.Writer) error { showFindings(w, found.Data, fix); return nil }); err != nil {
				return err
			}
			if !found.Data.Healthy {
				return ErrFindings
			}
			return nil
		},
	}
	c.Flags().BoolVar(&fix, "fix", false, "repair what is found")
	return c
}

func showFindings(w io.Writer, e wire.Examination, fix bool) {
	for _, f := range e.Fixed {
		fmt.Fprintf(w, "fixed    %-24s %d\n", f.Code, f.Count)
	}
	for _, f := range e.Findings {
		fmt.Fprintf(w, "%-24s %d\n  %s\n", f.Code, f.Count, f.Means)
		switch {
		case f.Fix == "":
			fmt.Fprintln(w, "  needs a person: --fix does not change it")
		case fix:
			fmt.Fprintln(w, "  --fix failed: "+f.Fix)
		default:
			fmt.Fprintln(w, "  --fix will: "+f.Fix)
		}
		if len(f.Examples) > 0 {
			fmt.Fprintln(w, "  such as "+strings.Join(f.Examples, "; "))
		}
	}
	if len(e.Unchecked) > 0 {
		fmt.Fprintln(w, "not checked, because workflows do not answer: "+strings.Join(e.Unchecked, ", "))
	}
	if e.Healthy {
		fmt.Fprintf(w, "%s: no problems found\n", e.Agent)
	}
}
