package services

import (
	"fmt"
	"io"
	"slices"
)

// Bar is what a benchmark is held against: a figure that may not be larger than Most.
type Bar struct {
	Name      string
	Got, Most float64
}

func (b Bar) passed() bool { return b.Got <= b.Most }

// Passed says that no bar is missed.
func Passed(bars []Bar) bool {
	return !slices.ContainsFunc(bars, func(b Bar) bool { return !b.passed() })
}

// PrintBars writes them as a part of a table whose columns end with tabs.
func PrintBars(w io.Writer, bars []Bar) {
	fmt.Fprintln(w, "bars\tmeasured\tat most\t\t")
	for _, b := range bars {
		verdict := "passed"
		if !b.passed() {
			verdict = "MISSED"
		}
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%s\t\n", b.Name, b.Got, b.Most, verdict)
	}
}
