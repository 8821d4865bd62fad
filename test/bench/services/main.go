package services

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"reverie/config"
)

// Main runs a benchmark after its flags are declared: it adds -json, parses the flags, and calls run. The process
// exits with status 1 if run fails or does not pass.
func Main(name string, run func(ctx context.Context, w io.Writer, asJSON bool) (passed bool, err error)) {
	asJSON := flag.Bool("json", false, "print the report as JSON")
	flag.Parse()
	// A closed output pipe must not kill this process before it has stopped what it started.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	defer stop()
	passed, err := run(ctx, os.Stdout, *asJSON)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
	}
	if err != nil || !passed {
		stop()
		os.Exit(1)
	}
}

// Show prints a report as text or as JSON.
func Show(w io.Writer, asJSON bool, report any, text func(io.Writer) error) error {
	if !asJSON {
		return text(w)
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}

// TakeSettings removes Reverie's settings from the environment of this process, whose children would otherwise use a
// person's own database or model, and returns those whose names begin with prefix, as NAME=value.
func TakeSettings(prefix string) (taken []string, err error) {
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(setting, "=")
		if !strings.HasPrefix(name, config.Prefix+"_") {
			continue
		}
		if prefix != "" && strings.HasPrefix(name, config.Prefix+"_"+prefix) {
			taken = append(taken, setting)
		}
		if err := os.Unsetenv(name); err != nil {
			return nil, err
		}
	}
	return taken, nil
}

// Bar is a figure with its upper limit.
type Bar struct {
	Name      string
	Got, Most float64
}

func (b Bar) passed() bool { return b.Got <= b.Most }

// Passed reports whether all figures are within their limits.
func Passed(bars []Bar) bool {
	return !slices.ContainsFunc(bars, func(b Bar) bool { return !b.passed() })
}

// PrintBars prints limits as a part of a table with tab-terminated columns.
func PrintBars(w io.Writer, bars []Bar) {
	fmt.Fprintln(w, "limits\tmeasured\tat most\t\t")
	for _, b := range bars {
		verdict := "passed"
		if !b.passed() {
			verdict = "MISSED"
		}
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%s\t\n", b.Name, b.Got, b.Most, verdict)
	}
}
