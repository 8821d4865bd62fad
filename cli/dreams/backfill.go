package dreams

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/memory"
)

// maxBackfill bounds the notes of one backfill: several for each day of a year. A longer history needs several folders.
const maxBackfill = 1000

// noteFile matches the name of a daily note.
var noteFile = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})(?:-[^/]+)?\.md$`)

// oldNote is a daily note of a folder.
type oldNote struct {
	name    string
	day     string
	content string
}

// backfilled is a day of a backfill: its notes, and the dream of its night.
type backfilled struct {
	Day        string          `json:"day"`
	Notes      []backfillNote  `json:"notes"`
	Outcome    string          `json:"outcome"` // of the dream; failed: see problem
	Before     bool            `json:"before"`  // the night was dreamed before
	Candidates int             `json:"candidates"`
	Themes     int             `json:"themes"`
	Truths     int             `json:"truths"`
	Promoted   int             `json:"promoted"`
	Run        json.RawMessage `json:"dream,omitempty"` // as the API sent it
	Problem    string          `json:"problem,omitempty"`
}

// backfillNote is the outcome of one note.
type backfillNote struct {
	Path    string `json:"path"`
	Status  string `json:"status"`
	Problem string `json:"problem,omitempty"`
}

// Outcomes of a note.
const (
	noteStored  = "stored"
	noteThere   = "there"   // it exists with the same text
	noteKept    = "kept"    // it exists with another text, which stays
	noteRefused = "refused" // it may not become memory
)

func (s commands) remBackfillCommand() *cobra.Command {
	var (
		path    string
		promote bool
	)
	c := &cobra.Command{
		Use:   "rem-backfill --path <folder of notes>",
		Short: "Import older daily notes, and dream their nights",
		Long: "Import the daily notes of a folder, files such as 2026-01-31.md and 2026-01-31-trip.md, day by day from the oldest " +
			"one. Each is\n" +
			"stored as memory/<name>, unless that exists with another text, which stays. Then the night after that day is dreamed, so that\n" +
			"the diary has an entry for it and its statements count as signals. Nothing is promoted without --promote. A night that was\n" +
			"dreamed before is not dreamed again: the same command continues where it stopped. Nights more than 92 days ago are not dreamed.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if path == "" {
				return errors.New("name a folder: --path <folder with notes such as 2026-01-31.md>")
			}
			notes, err := readNotes(path)
			if err != nil {
				return err
			}
			mode := memory.DreamREM
			if promote {
				mode = memory.DreamNightly
			}
			return s.backfill(cmd, notes, mode)
		},
	}
	c.Flags().StringVar(&path, "path", "", "the folder")
	c.Flags().BoolVar(&promote, "promote", false, "dream as at night: promote into MEMORY.md, too")
	return c
}

// readNotes reads the daily notes of a folder, the oldest day first.
func readNotes(folder string) ([]oldNote, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var notes []oldNote
	for _, e := range entries {
		m := noteFile.FindStringSubmatch(e.Name())
		if m == nil || !e.Type().IsRegular() {
			continue
		}
		if _, err := time.Parse(time.DateOnly, m[1]); err != nil {
			return nil, fmt.Errorf("%s: invalid date %s", filepath.Join(folder, e.Name()), m[1])
		}
		if len(notes) == maxBackfill {
			return nil, fmt.Errorf("%s has more than %d notes: split it into several folders and start with the oldest days", folder, maxBackfill)
		}
		note, err := readNote(folder, e.Name(), m[1])
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(note.content) != "" {
			notes = append(notes, note)
		}
	}
	if len(notes) == 0 {
		return nil, fmt.Errorf("%s has no daily notes: they are files named after their day, such as 2026-01-31.md or 2026-01-31-trip.md", folder)
	}
	slices.SortFunc(notes, func(a, b oldNote) int {
		if a.day != b.day {
			return strings.Compare(a.day, b.day)
		}
		return strings.Compare(a.name, b.name)
	})
	return notes, nil
}

// readNote reads a file that can become a document.
func readNote(folder, name, day string) (oldNote, error) {
	path := filepath.Join(folder, name)
	f, err := os.Open(path)
	if err != nil {
		return oldNote{}, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	content, err := io.ReadAll(io.LimitReader(f, memory.MaxDocumentBytes+1))
	if err != nil {
		return oldNote{}, err
	}
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if err := memory.ValidContent(string(content)); err != nil {
		return oldNote{}, fmt.Errorf("%s: %w", path, err)
	}
	return oldNote{name: name, day: day, content: string(content)}, nil
}

// backfill stores notes and dreams their nights.
func (s commands) backfill(cmd *cobra.Command, notes []oldNote, mode memory.DreamMode) error {
	client, err := s.AgentClient()
	if err != nil {
		return err
	}
	var days []*backfilled
	line := output.NewStatusLine(cmd.ErrOrStderr())
	for i := 0; i < len(notes); {
		day := &backfilled{Day: notes[i].day, Notes: []backfillNote{}}
		for ; i < len(notes) && notes[i].day == day.Day; i++ {
			line.Show(fmt.Sprintf("%s: storing (%d of %d notes)", day.Day, i+1, len(notes)))
			stored, err := s.storeNote(cmd, client, notes[i])
			if err != nil {
				line.Clear()
				return fmt.Errorf("%s: %w", notes[i].name, err)
			}
			day.Notes = append(day.Notes, stored)
		}
		line.Clear()
		if err := s.dreamOfDay(cmd, day, mode); err != nil {
			return fmt.Errorf("%s: %w\nCompleted days are kept; run the same command to continue", day.Day, err)
		}
		days = append(days, day)
	}
	if err := s.showBackfill(cmd, days); err != nil {
		return err
	}
	failed := 0
	for _, d := range days {
		if d.Problem != "" {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%s not dreamed", memory.Plural(failed, "day was", "days were"))
	}
	return nil
}

// storeNote stores a note as a document, unless one exists. A refused text does not stop the backfill.
func (s commands) storeNote(cmd *cobra.Command, client *wire.Client, n oldNote) (backfillNote, error) {
	out := backfillNote{Path: "memory/" + n.name, Status: noteStored}
	body := wire.WriteFileBody{Content: n.content, Reason: "imported older note"}
	written, err := client.WriteFile(cmd.Context(), s.Agent, out.Path, wire.WriteFileParams{Person: s.Person()}, body)
	refused, found := errors.AsType[*wire.Error](err)
	switch {
	case !found:
		if len(written.Data.Changes) == 0 || !written.Data.Changes[0].Changed {
			out.Status = noteThere
		}
		return out, err
	case refused.Name == "quarantined":
		out.Status, out.Problem = noteRefused, refused.Message
		return out, nil
	case refused.Status != http.StatusPreconditionRequired: // an existing document is overwritten only with its version
		return out, err
	}
	there, err := client.ReadFile(cmd.Context(), s.Agent, out.Path, wire.ReadFileParams{Person: s.Person()})
	out.Status = noteThere
	if strings.TrimSpace(there.Data.Content) != strings.TrimSpace(n.content) {
		out.Status = noteKept
	}
	return out, err
}

// dreamOfDay dreams the night after a day. A night that was dreamed before, or is too long ago, does not stop the backfill.
func (s commands) dreamOfDay(cmd *cobra.Command, day *backfilled, mode memory.DreamMode) error {
	r := request{mode: mode, wait: true, asOf: nightAfter(day.Day)}
	run, err := s.dream(cmd, r)
	refused, isRefused := errors.AsType[*wire.Error](err)
	switch {
	case isRefused && refused.Name == "night_dreamed":
		day.Outcome, day.Before = "dreamed before", true
		before, err := s.readDream(cmd.Context(), blockingDream(refused), 0)
		if err == nil {
			day.Run = before.Raw
			day.count(before.Data)
		}
		return err
	case isRefused && refused.Status == http.StatusUnprocessableEntity && strings.Contains(refused.Message, "in the future"):
		r.asOf = "" // the night is in the future: use the present state
		run, err = s.dream(cmd, r)
	case isRefused && refused.Status == http.StatusUnprocessableEntity:
		day.Outcome, day.Problem = "failed", strings.TrimPrefix(refused.Message, "--as-of: ")
		return nil
	}
	if err != nil {
		return err
	}
	day.Run = run.Raw
	if report := run.Data.Report; report.ID != "" {
		day.Outcome = report.Outcome
		day.count(report)
		if err := problem(report); err != nil {
			day.Problem = err.Error()
		}
	}
	return nil
}

// count takes the counts of a dream.
func (d *backfilled) count(r wire.Report) {
	d.Candidates, d.Promoted, d.Themes, d.Truths = r.Counts.Candidates, r.Counts.Promoted, r.Counts.Themes, r.Counts.Truths
}

// nightAfter returns the date of the night that ends a day.
func nightAfter(day string) string {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return at.AddDate(0, 0, 1).Format(time.DateOnly)
}

func (s commands) showBackfill(cmd *cobra.Command, days []*backfilled) error {
	out := cmd.OutOrStdout()
	if s.JSON {
		return output.Encode(out, map[string]any{"days": days})
	}
	rows := [][]string{{"DAY", "NOTES", "DREAM", "CANDIDATES", "THEMES", "TRUTHS", "PROMOTED", ""}}
	for _, d := range days {
		rows = append(rows, []string{
			d.Day, d.notes(), d.Outcome, fmt.Sprint(d.Candidates), fmt.Sprint(d.Themes), fmt.Sprint(d.Truths), fmt.Sprint(d.Promoted),
			output.OneLine(d.Problem, 80),
		})
	}
	if err := output.Table(out, rows); err != nil {
		return err
	}
	for _, d := range days {
		for _, n := range d.Notes {
			switch n.Status {
			case noteKept:
				fmt.Fprintf(out, "%s exists with another text, which stays\n", n.Path)
			case noteRefused:
				fmt.Fprintf(out, "%s was refused: %s\n", n.Path, output.OneLine(n.Problem, 200))
			}
		}
	}
	return nil
}

// notes formats the number of notes of a day by outcome: "1 stored, 1 kept".
func (d *backfilled) notes() string {
	counts := map[string]int{}
	for _, n := range d.Notes {
		counts[n.Status]++
	}
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[status], status))
	}
	return strings.Join(parts, ", ")
}
