// Package output prints what the commands show: text of a memory made safe for a terminal, tables, JSON, and progress.
package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/reverie-memory/reverie/client/wire"
	"golang.org/x/term"

	"reverie/memory"
	"reverie/scan"
)

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Coloured reports whether to use colour on w: on a terminal, unless NO_COLOR is set.
func Coloured(w io.Writer) bool { return IsTerminal(w) && os.Getenv("NO_COLOR") == "" }

// Escape sequences of the colours in use.
const (
	Red   = "\x1b[31m"
	Green = "\x1b[32m"
	Cyan  = "\x1b[36m"
	Plain = "\x1b[0m"
)

// Shown makes text of a memory safe to print on w. On a terminal it replaces control characters, so that a memory cannot
// move the cursor or rename the window; elsewhere the text stays as it is.
func Shown(w io.Writer, text string) string {
	if !IsTerminal(w) {
		return text
	}
	return visible(text)
}

func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return '\uFFFD'
		}
		return r
	}, text)
}

// OneLine fits text into a table cell: no line breaks, tabs or control characters, at most limit characters.
func OneLine(text string, limit int) string {
	runes := []rune(strings.Join(strings.Fields(visible(text)), " "))
	if len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return string(runes)
}

// JSON writes encoded JSON, indented.
func JSON(w io.Writer, data json.RawMessage) error {
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := b.WriteTo(w)
	return err
}

// Encode writes a value as indented JSON.
func Encode(w io.Writer, value any) error {
	encoded, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return JSON(w, encoded)
}

// Table writes rows in aligned columns. The first row is the heading.
func Table(w io.Writer, rows [][]string) error {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// NextPage notes below a list that there is more.
func NextPage(w io.Writer, next string) {
	if next != "" {
		fmt.Fprintf(w, "… there is more: --cursor %s\n", next)
	}
}

// When formats a time in the local time zone, to the second; "-" for the zero time.
func When(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

// Count formats a number with its noun: "1 message", "2 messages".
func Count(n int, noun string) string { return memory.Plural(n, noun, noun+"s") }

// Size formats a number of bytes: "512 bytes", "1.5 KiB", "2.0 MiB".
func Size(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

// Stat formats a change of lines: "+3 -1".
func Stat(added, removed int) string { return fmt.Sprintf("+%d -%d", added, removed) }

// Change formats the change of one document: "MEMORY.md (PERSONAL) version 2, +3 -0".
func Change(c wire.ChangeReceipt) string {
	text := fmt.Sprintf("%s (%s) version %d", c.Path, c.Scope, c.Version)
	switch {
	case !c.Changed:
		return text + ", unchanged"
	case c.Created:
		text += ", new"
	}
	text += ", " + Stat(c.Added, c.Removed)
	if c.Merged {
		text += ", merged"
	}
	if c.Verdict == string(scan.VerdictRedact) {
		text += ", secrets redacted"
	}
	return text
}

// Usage formats the use of a model: "2 calls, 812 tokens in, 90 out, 0.0012 USD".
func Usage(u wire.Usage) string {
	return fmt.Sprintf("%s, %d tokens in, %d out, %.4f USD", Count(u.Calls, "call"), u.InputTokens, u.OutputTokens, float64(u.CostMicros)/1e6)
}

// Reasons joins the reasons that are not empty: " (few_messages: too short)"; empty without any.
func Reasons(parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, OneLine(p, 100))
		}
	}
	if len(some) == 0 {
		return ""
	}
	return " (" + strings.Join(some, ": ") + ")"
}

// Place formats the lines of a passage: "path:3-7".
func Place(path string, from, to int) string {
	if from == to {
		return fmt.Sprintf("%s:%d", OneLine(path, 200), from)
	}
	return fmt.Sprintf("%s:%d-%d", OneLine(path, 200), from, to)
}

// Sentence makes a sentence of text: a capital letter and a full stop.
func Sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }

// Emphasised colours text where w shows colour.
func Emphasised(w io.Writer, text string) string {
	if !Coloured(w) {
		return text
	}
	return Cyan + text + Plain
}

// Diff colours a unified diff where w shows colour, and makes it safe to print.
func Diff(w io.Writer, diff string) string {
	diff = Shown(w, diff)
	if !Coloured(w) {
		return diff
	}
	var b strings.Builder
	for line := range strings.Lines(diff) {
		colour := ""
		switch {
		case strings.HasPrefix(line, "@@"):
			colour = Cyan
		case strings.HasPrefix(line, "+"):
			colour = Green
		case strings.HasPrefix(line, "-"):
			colour = Red
		}
		if colour == "" {
			b.WriteString(line)
			continue
		}
		b.WriteString(colour + strings.TrimSuffix(line, "\n") + Plain + "\n")
	}
	return b.String()
}

// Card prints a morning card.
func Card(w io.Writer, c wire.MorningCard) error {
	fmt.Fprintf(w, "Dreamed on %s: %d new in memory, %d rejected.\n", When(c.StartedAt), c.PromotedCount, c.RejectedCount)
	if len(c.Facts) == 0 {
		return nil
	}
	rows := [][]string{{"ENTRY", "STATE", "TEXT"}}
	for _, f := range c.Facts {
		state := f.Status
		if state == "" {
			state = "new"
		}
		rows = append(rows, []string{f.Entry, state, OneLine(f.Text, 200)})
	}
	if err := Table(w, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "`reverie memory card confirm`, `edit` or `forget` with an entry changes what is remembered; `card seen` puts it away.")
	return err
}
