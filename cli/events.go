package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
)

// eventsPause is the pause of `events --follow` when nothing is new.
const eventsPause = time.Second

func (s commands) eventsCommand() *cobra.Command {
	var (
		params wire.EventsParams
		count  int
		follow bool
	)
	c := &cobra.Command{
		Use:   "events",
		Short: "List or follow memory events: writes, recalls, promotions, dreams",
		Long: "List the events of an agent's memory, oldest first: ids, paths, counts and hashes, never contents.\n" +
			"With --follow it continues until it is interrupted, without gaps: start again with --cursor and the id of the last event.\n" +
			"With --follow --json each event is a line.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			params.Person = s.Person()
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			if follow {
				return s.followEvents(cmd, client, params, count)
			}
			if count > 0 {
				return errors.New("--count requires --follow; without it, --limit bounds the list")
			}
			part, err := client.Events(cmd.Context(), s.Agent, params)
			if err != nil {
				return err
			}
			return s.Print(cmd, part.Raw, func(w io.Writer) error {
				if err := eventLines(w, part.Data.Items); err != nil || !part.Data.More {
					return err
				}
				_, err := fmt.Fprintf(w, "There may be more: --cursor %s\n", part.Data.Next)
				return err
			})
		},
	}
	f := c.Flags()
	for _, name := range []string{"cursor", "after"} {
		f.StringVar(&params.After, name, "", "events after this id; empty: from the first one") //nolint:staticcheck // older servers know it, too
	}
	f.Lookup("after").Hidden = true // the name of earlier releases
	f.StringSliceVar(&params.Kind, "kind", nil, "only of these kinds, such as document.written,memory.dream.completed")
	f.StringVar(&params.Path, "path", "", "only about the document at this path")
	f.IntVar(&params.Limit, "limit", 50, "how many per page")
	f.IntVar(&count, "count", 0, "end --follow after so many; 0: never")
	f.BoolVar(&follow, "follow", false, "continue with new events, until Ctrl-C")
	return c
}

// followEvents prints events until it is interrupted, or has printed count of them; 0: no limit.
func (s commands) followEvents(cmd *cobra.Command, client *wire.Client, params wire.EventsParams, count int) error {
	limit := params.Limit
	for left := count; ; {
		if count > 0 {
			params.Limit = min(limit, left)
		}
		part, err := client.Events(cmd.Context(), s.Agent, params)
		if err != nil {
			return unlessInterrupted(err)
		}
		if s.JSON {
			if err := jsonLines(cmd.OutOrStdout(), part.Raw); err != nil {
				return err
			}
		} else if err := eventLines(cmd.OutOrStdout(), part.Data.Items); err != nil {
			return err
		}
		if left -= len(part.Data.Items); count > 0 && left <= 0 {
			return nil
		}
		params.After = part.Data.Next //nolint:staticcheck // the name that servers before "cursor" know, too
		if part.Data.More {
			continue
		}
		if err := session.Sleep(cmd.Context(), eventsPause); err != nil {
			return unlessInterrupted(err)
		}
	}
}

// jsonLines writes each event of a part as a line, as the server sent it.
func jsonLines(w io.Writer, raw json.RawMessage) error {
	var part struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(raw, &part); err != nil {
		return err
	}
	for _, e := range part.Items {
		if _, err := fmt.Fprintf(w, "%s\n", e); err != nil {
			return err
		}
	}
	return nil
}

// unlessInterrupted drops the error of a command that Ctrl-C is meant to end.
func unlessInterrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// eventLines writes each event as a line. They are not a table, whose column widths would be known at the end only.
func eventLines(w io.Writer, events []wire.Event) error {
	for _, e := range events {
		about := output.OneLine(e.Path, 120)
		if about == "" && string(e.Detail) != "{}" {
			about = output.OneLine(string(e.Detail), 100)
		}
		if e.Owner != "" {
			about = strings.TrimLeft(about+" ("+e.Owner+")", " ")
		}
		line := fmt.Sprintf("%-10s  %s  %-25s  %-8s  %s", e.ID, output.When(e.At), e.Kind, e.Scope, about)
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}
