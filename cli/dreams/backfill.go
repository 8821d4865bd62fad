package dreams

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/memory"
)

// maxBackfill is how many notes one backfill takes: several for each day of a year. A longer history goes in folders of their own.
const maxBackfill = 1000

// noteFile is what the name of a daily note looks like.
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
	Run        json.RawMessage `json:"dream,omitempty"` // as the API answered
	Problem    string          `json:"problem,omitempty"`
}

// backfillNote is what became of one note.
type backfillNote struct {
	Path    string `json:"path"`
	Status  string `json:"status"`
	Problem string `json:"problem,omitempty"`
}

// What becomes of a note.
const (
	noteStored  = "stored"
	noteThere   = "there"   // with the same words
	noteKept    = "kept"    // other words are there, and stay
	noteRefused = "refused" // it may not become memory
)

func (s commands) remBackfillCommand() *cobra.Command {
	var (
		path    string
		promote bool
	)
	c := &cobra.Command{
		Use:   "rem-backfill --path <folder of notes>",
		Short: "Dream the nights of older notes: the diary and what was noted when",
		Long: "Take daily notes of a folder, files such as 2026-01-31.md and 2026-01-31-trip.md, day by day from the oldest one. Each is stored\n" +
			"as memory/<name> unless there is one with other words, which stays as it is. Then the night after that day is dreamed, so that the\n" +
			"diary has an entry for it and its statements count for what recurs. Nothing is promoted without --promote. A night that was dreamed\n" +
			"before is not dreamed again: the same command goes on where it stopped. Nights of more than 92 days ago are not dreamed.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if path == "" {
				return errors.New("say which folder: --path <folder with notes such as 2026-01-31.md>")
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
			return nil, fmt.Errorf("%s: %s is no day", filepath.Join(folder, e.Name()), m[1])
		}
		if len(notes) == maxBackfill {
			return nil, fmt.Errorf("%s has more than %d notes: split it into several folders, the oldest days first", folder, maxBackfill)
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
	client, err := s.Client()
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
			return fmt.Errorf("%s: %w\nWhat was done stays; the same command goes on behind it", day.Day, err)
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
		return fmt.Errorf("%s not dreamed", output.Plural(failed, "day was", "days were"))
	}
	return nil
}

// noteWritten is the answer to a note that was stored.
type noteWritten struct {
	Changes []memory.ChangeReceipt `json:"changes"`
}

// storeNote makes a note a document, unless there is one. A text that may not become memory stops nothing.
func (s commands) storeNote(cmd *cobra.Command, client *session.Client, n oldNote) (backfillNote, error) {
	out := backfillNote{Path: "memory/" + n.name, Status: noteStored}
	files, err := s.AgentPath("workspace", "files")
	if err != nil {
		return out, err
	}
	request := session.Request{
		Method: http.MethodPut, Path: files + session.DocumentPath(out.Path), Query: s.OwnerQuery(),
		Body: map[string]string{"content": n.content, "reason": "an older note, taken over"},
	}
	written, _, err := session.DataOf[noteWritten](client.Call(cmd.Context(), request))
	refused, found := errors.AsType[*session.Error](err)
	switch {
	case !found:
		if len(written.Changes) == 0 || !written.Changes[0].Changed {
			out.Status = noteThere
		}
		return out, err
	case refused.Name == "quarantined":
		out.Status, out.Problem = noteRefused, refused.Msg
		return out, nil
	case refused.Status != http.StatusPreconditionRequired: // what is there is overwritten only by who says that they have read it
		return out, err
	}
	request.Method, request.Body = http.MethodGet, nil
	there, _, err := session.DataOf[struct {
		Content string `json:"content"`
	}](client.Call(cmd.Context(), request))
	out.Status = noteThere
	if strings.TrimSpace(there.Content) != strings.TrimSpace(n.content) {
		out.Status = noteKept
	}
	return out, err
}

// dreamOfDay dreams the night after a day. That a night was dreamed before, or is too long ago, stops nothing.
func (s commands) dreamOfDay(cmd *cobra.Command, day *backfilled, mode memory.DreamMode) error {
	r := dreamRequest{query: url.Values{"mode": {string(mode)}}, dreamFlags: dreamFlags{wait: true, asOf: nightAfter(day.Day)}}
	run, a, err := s.dreaming(cmd, r)
	refused, isRefused := errors.AsType[*session.Error](err)
	switch {
	case isRefused && refused.Name == "night_dreamed":
		day.Outcome, day.Before = "dreamed before", true
		before, answer, err := s.readDream(cmd.Context(), dreamInTheWay(refused), 0)
		if err == nil {
			day.Run = answer.Data
			day.tell(before.dreamRecord)
		}
		return err
	case isRefused && refused.Status == http.StatusUnprocessableEntity && strings.Contains(refused.Msg, "in the future"):
		r.asOf = "" // the night is still to come: dream of what there is by now
		run, a, err = s.dreaming(cmd, r)
	case isRefused && refused.Status == http.StatusUnprocessableEntity:
		day.Outcome, day.Problem = "failed", strings.TrimPrefix(refused.Msg, "--as-of: ")
		return nil
	}
	if err != nil {
		return err
	}
	day.Run = a.Data
	if run.Report != nil {
		day.Outcome = string(run.Report.Outcome)
		day.tell(run.Report.dreamRecord)
		if err := run.Report.problem(); err != nil {
			day.Problem = err.Error()
		}
	}
	return nil
}

// tell takes the figures of a dream over.
func (d *backfilled) tell(r dreamRecord) {
	d.Candidates, d.Promoted, d.Themes, d.Truths = r.Counts.Candidates, r.Counts.Promoted, r.Counts.Themes, r.Counts.Truths
}

// nightAfter is the date of the night that ends a day.
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
		encoded, err := json.Marshal(map[string]any{"days": days})
		if err != nil {
			return err
		}
		return output.JSON(out, encoded)
	}
	rows := [][]string{{"DAY", "NOTES", "DREAM", "CANDIDATES", "THEMES", "TRUTHS", "PROMOTED", ""}}
	for _, d := range days {
		rows = append(rows, []string{
			d.Day, d.notes(), d.Outcome, fmt.Sprint(d.Candidates), fmt.Sprint(d.Themes), fmt.Sprint(d.Truths), fmt.Sprint(d.Promoted), output.OneLine(d.Problem, 80),
		})
	}
	if err := output.Table(out, rows); err != nil {
		return err
	}
	for _, d := range days {
		for _, n := range d.Notes {
			switch n.Status {
			case noteKept:
				fmt.Fprintf(out, "%s is there with other words and stays as it is\n", n.Path)
			case noteRefused:
				fmt.Fprintf(out, "%s was refused: %s\n", n.Path, output.OneLine(n.Problem, 200))
			}
		}
	}
	return nil
}

// notes counts the notes of a day by what became of them: "1 stored, 1 kept".
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
