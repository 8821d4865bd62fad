package services

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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
// person's own database or model, and returns those whose names begin with prefix, as NAME=value. Variables of tests, such as the program
// that deployment.Build returns, stay.
func TakeSettings(prefix string) (taken []string, err error) {
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(setting, "=")
		if !strings.HasPrefix(name, config.Prefix+"_") || strings.HasPrefix(name, config.Prefix+"_TEST_") {
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

// InFolder calls run with a temporary folder, after it has removed Reverie's settings from the environment (see TakeSettings),
// and removes the folder afterwards.
func InFolder(name string, run func(dir string) error) (err error) {
	if _, err := TakeSettings(""); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "reverie-"+name+"-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return run(dir)
}

// Cleanup collects functions that stop what a benchmark has started. The zero value is empty.
type Cleanup struct{ stops []func() error }

// Add registers a function for Close.
func (c *Cleanup) Add(stop func() error) { c.stops = append(c.stops, stop) }

// Close calls the registered functions, the last one first. A second Close does nothing.
func (c *Cleanup) Close() error {
	var errs []error
	for _, stop := range slices.Backward(c.stops) {
		errs = append(errs, stop())
	}
	c.stops = nil
	return errors.Join(errs...)
}

// Parallel calls f for 0 to n-1, in order, with the given number of workers. It starts no more calls after the first error, and
// returns that error.
func Parallel(ctx context.Context, workers, n int, f func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	var next atomic.Int64
	for range workers {
		group.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := f(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	group.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return ctx.Err()
}

// Numbers returns the value of a flag that stores whole numbers from least, separated by commas, in values. An empty value is
// valid only if optional is set, and gives no numbers.
func Numbers(values *[]int, least int, optional bool) flag.Value {
	return &numbers{values: values, least: least, optional: optional}
}

type numbers struct {
	values   *[]int
	least    int
	optional bool
}

// String returns the numbers in the form of the flag.
func (n *numbers) String() string {
	if n.values == nil { // the flag package calls it on the zero value
		return ""
	}
	parts := make([]string, len(*n.values))
	for i, one := range *n.values {
		parts[i] = strconv.Itoa(one)
	}
	return strings.Join(parts, ",")
}

// Set parses the flag.
func (n *numbers) Set(text string) error {
	var out []int
	for part := range strings.SplitSeq(text, ",") {
		if text == "" && n.optional {
			break
		}
		one, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || one < n.least {
			return fmt.Errorf("use whole numbers from %d, separated by commas", n.least)
		}
		out = append(out, one)
	}
	*n.values = out
	return nil
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
