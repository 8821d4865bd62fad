package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// console prints what a person sees while parts start: one line for each part once it is ready, and the progress of long
// work meanwhile.
type console struct {
	mu  sync.Mutex
	out io.Writer
}

// progress shows what a part is doing; it fits devenv.Progress.
func (c *console) progress(part, message string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.out, "  … %-12s %s\n", part, message)
}

// part runs the start of one part and prints its line: what it is, how long it took, where it is.
func (c *console) part(name string, start func() (where string, err error)) error {
	began := time.Now()
	where, err := start()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		fmt.Fprintf(c.out, "  ✗ %-12s\n", name)
		return fmt.Errorf("%s: %w", name, err)
	}
	fmt.Fprintf(c.out, "  ✓ %-12s %5.1fs  %s\n", name, time.Since(began).Seconds(), where)
	return nil
}

func (c *console) printf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.out, format, args...)
}
