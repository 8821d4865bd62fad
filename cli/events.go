package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/memory"
	"reverie/store"
)

// journalEvent is an event in a list.
type journalEvent struct {
	ID     string          `json:"id"`
	Kind   store.EventKind `json:"kind"`
	Scope  memory.Scope    `json:"scope"`
	Owner  memory.Owner    `json:"owner"`
	Path   string          `json:"path"`
	Detail json.RawMessage `json:"detail"`
	At     time.Time       `json:"at"`
}

// journalPart is a part of the journal: its events as the server sent them.
type journalPart struct {
	Events []json.RawMessage `json:"events"`
	Next   string            `json:"next"`
	More   bool              `json:"more"`
}

// eventsPause is how long `events --follow` waits when nothing is new.
const eventsPause = time.Second

func (s commands) eventsCommand() *cobra.Command {
	var (
		after, path string
		kinds       []string
		limit       int
		many        int
		follow      bool
	)
	c := &cobra.Command{
		Use:   "events",
		Short: "List or follow what happened to memory: writes, recalls, promotions, dreams",
		Long: "List the events of an agent's memory, oldest first: ids, paths, counts and hashes, never what was said.\n" +
			"With --follow it goes on until it is interrupted, and leaves none out: begin again with --after and the id of the last one.\n" +
			"With --follow --json each event is a line.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			query := url.Values{"limit": {strconv.Itoa(limit)}}
			for name, value := range map[string]string{"after": after, "path": path, "kind": strings.Join(kinds, ",")} {
				if value != "" {
					query.Set(name, value)
				}
			}
			if follow {
				return s.followEvents(cmd, query, limit, many)
			}
			if many > 0 {
				return errors.New("--count goes with --follow; without it --limit says how many")
			}
			part, a, err := session.DataOf[journalPart](s.Get(cmd, query, "events"))
			if err != nil {
				return err
			}
			return s.Print(cmd, a, func(w io.Writer) error {
				if err := eventLines(w, part.Events); err != nil || !part.More {
					return err
				}
				_, err := fmt.Fprintf(w, "There may be more: --after %s\n", part.Next)
				return err
			})
		},
	}
	f := c.Flags()
	f.StringVar(&after, "after", "", "events behind this id; empty: from the first one")
	f.StringSliceVar(&kinds, "kind", nil, "only of these kinds, such as document.written,memory.dream.completed")
	f.StringVar(&path, "path", "", "only about the document at this path")
	f.IntVar(&limit, "limit", 50, "how many at once")
	f.IntVar(&many, "count", 0, "end --follow after so many; 0: never")
	f.BoolVar(&follow, "follow", false, "go on with what happens then, until Ctrl-C")
	return c
}

// followEvents prints events until it is interrupted, or has printed so many.
func (s commands) followEvents(cmd *cobra.Command, query url.Values, limit, many int) error {
	for left := many; ; {
		if many > 0 {
			query.Set("limit", strconv.Itoa(min(limit, left)))
		}
		part, _, err := session.DataOf[journalPart](s.Get(cmd, query, "events"))
		if err != nil {
			return unlessInterrupted(err)
		}
		if s.JSON {
			for _, e := range part.Events {
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", e); err != nil {
					return err
				}
			}
		} else if err := eventLines(cmd.OutOrStdout(), part.Events); err != nil {
			return err
		}
		if left -= len(part.Events); many > 0 && left <= 0 {
			return nil
		}
		query.Set("after", part.Next)
		if part.More {
			continue
		}
		if err := session.Sleep(cmd.Context(), eventsPause); err != nil {
			return unlessInterrupted(err)
		}
	}
}

// unlessInterrupted is the error with which a command ends that Ctrl-C is meant to end.
func unlessInterrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// eventLines writes each event as a line. It is no table, whose columns would be known at the end only.
func eventLines(w io.Writer, events []json.RawMessage) error {
	for _, encoded := range events {
		var e journalEvent
		if err := json.Unmarshal(encoded, &e); err != nil {
			return err
		}
		about := output.OneLine(e.Path, 120)
		if about == "" && string(e.Detail) != "{}" {
			about = output.OneLine(string(e.Detail), 100)
		}
		if e.Owner != "" {
			about = strings.TrimLeft(about+" ("+string(e.Owner)+")", " ")
		}
		line := fmt.Sprintf("%-10s  %s  %-25s  %-8s  %s", e.ID, output.When(e.At), e.Kind, e.Scope, about)
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}
