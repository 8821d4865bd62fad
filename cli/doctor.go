package cli

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
)

// examination is what the doctor says of an agent.
type examination struct {
	Agent    string `json:"agent"`
	Healthy  bool   `json:"healthy"`
	Findings []struct {
		Code     string   `json:"code"`
		Means    string   `json:"means"`
		Fix      string   `json:"fix"`
		Count    int      `json:"count"`
		Examples []string `json:"examples"`
	} `json:"findings"`
	Unchecked []string `json:"unchecked"`
	Fixed     []struct {
		Code  string `json:"code"`
		Count int    `json:"count"`
	} `json:"fixed"`
}

// ErrFindings makes the command fail while something is left.
var ErrFindings = errors.New("the doctor is not content; docs/operations.md says what each finding means")

func (s commands) doctorCommand() *cobra.Command {
	var fix bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Look for damage in what an agent has, and put it right",
		Long: "Look for damage in what an agent has: the index, hashes, records whose workflow is gone, schedules, contaminated candidates.\n" +
			"Nothing is changed without --fix. The exit code is 1 while findings are left, or something could not be looked at.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := s.AgentPath("doctor")
			if err != nil {
				return err
			}
			client, err := s.Client()
			if err != nil {
				return err
			}
			asked := session.Request{Method: http.MethodGet, Path: path}
			if fix {
				asked = session.Request{Method: http.MethodPost, Path: path + "/fix"}
			}
			found, a, err := session.DataOf[examination](client.Call(cmd.Context(), asked))
			if err != nil {
				return err
			}
			if s.JSON {
				err = output.JSON(cmd.OutOrStdout(), a.Data)
			} else {
				found.show(cmd, fix)
			}
			if err == nil && !found.Healthy {
				return ErrFindings
			}
			return err
		},
	}
	c.Flags().BoolVar(&fix, "fix", false, "put right what is found")
	return c
}

func (e examination) show(cmd *cobra.Command, fix bool) {
	w := cmd.OutOrStdout()
	for _, f := range e.Fixed {
		fmt.Fprintf(w, "fixed    %-24s %d\n", f.Code, f.Count)
	}
	for _, f := range e.Findings {
		fmt.Fprintf(w, "%-24s %d\n  %s\n", f.Code, f.Count, f.Means)
		switch {
		case f.Fix == "":
			fmt.Fprintln(w, "  a matter of people: --fix leaves it")
		case fix:
			fmt.Fprintln(w, "  --fix could not: "+f.Fix)
		default:
			fmt.Fprintln(w, "  --fix will: "+f.Fix)
		}
		if len(f.Examples) > 0 {
			fmt.Fprintln(w, "  such as "+strings.Join(f.Examples, "; "))
		}
	}
	if len(e.Unchecked) > 0 {
		fmt.Fprintln(w, "not looked at, because workflows do not answer: "+strings.Join(e.Unchecked, ", "))
	}
	if e.Healthy {
		fmt.Fprintf(w, "%s is well\n", e.Agent)
	}
}
