package output

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Bar is a progress bar on a terminal. Elsewhere it draws nothing.
type Bar struct{ bar *progressbar.ProgressBar }

// NewBar starts a bar on w for total steps; -1: the total is unknown.
func NewBar(w io.Writer, what string, total int) *Bar {
	if !IsTerminal(w) {
		return &Bar{}
	}
	return &Bar{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(fmt.Sprintf("%-9s", what)), progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(30), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(true), progressbar.OptionSetElapsedTime(true),
	)}
}

// Drawn reports whether the bar is drawn.
func (b *Bar) Drawn() bool { return b.bar != nil }

// Add counts n more steps.
func (b *Bar) Add(n int) {
	if b.bar != nil {
		_ = b.bar.Add(n) // it only fails to draw
	}
}

// Set sets the steps done and their total, which may have changed.
func (b *Bar) Set(done, total int64) {
	if b.bar != nil {
		b.bar.ChangeMax64(max(total, 1))
		_ = b.bar.Set64(done) // it only fails to draw
	}
}

// Finish removes the bar.
func (b *Bar) Finish() {
	if b.bar != nil {
		_ = b.bar.Finish() // it only fails to draw
	}
}

// StatusLine is one line on a terminal that is written again and again. Elsewhere it draws nothing.
type StatusLine struct {
	w     io.Writer
	drawn bool
	width int // characters of the current line
	began time.Time
}

// NewStatusLine returns an empty line on w.
func NewStatusLine(w io.Writer) *StatusLine {
	return &StatusLine{w: w, drawn: IsTerminal(w), began: time.Now()}
}

// Drawn reports whether the line is drawn.
func (l *StatusLine) Drawn() bool { return l.drawn }

// Show replaces the line by text, after the time since the start.
func (l *StatusLine) Show(text string) {
	if !l.drawn {
		return
	}
	text = OneLine(fmt.Sprintf("%s  %s", time.Since(l.began).Truncate(time.Second), text), 100)
	was := l.width
	l.width = len([]rune(text))
	fmt.Fprintf(l.w, "\r%s%s", text, strings.Repeat(" ", max(was-l.width, 0)))
}

// Clear removes the line.
func (l *StatusLine) Clear() {
	if l.width > 0 {
		fmt.Fprintf(l.w, "\r%s\r", strings.Repeat(" ", l.width))
		l.width = 0
	}
}
