package services

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Main is the main function of a benchmark whose flags are declared: it adds -json, reads the flags, and measures. The process
// ends with status 1 when run fails or a bar is missed.
func Main(name string, run func(ctx context.Context, w io.Writer, asJSON bool) (passed bool, err error)) {
	asJSON := flag.Bool("json", false, "print the report as JSON")
	flag.Parse()
	// A reader that goes away (a pipe to head) must not kill this process before it has stopped what it started.
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

// Show prints a report, by itself or as JSON.
func Show(w io.Writer, asJSON bool, report any, text func(io.Writer) error) error {
	if !asJSON {
		return text(w)
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}
