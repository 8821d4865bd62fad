// Command imports measures how fast conversations of another system move in and become memory, next to a floor (the same engine
// called directly, and what it keeps and the messages inserted plainly), next to a plain COPY of the same messages into a table,
// and next to Temporal alone with workflows of the same shape in which nothing happens, on the same servers in the same run.
//
//	go run ./test/bench/imports
//
// It starts a private PostgreSQL and a private Temporal dev server, makes up conversations, and runs the worker in its own
// process, with the built-in engine: 1,000 conversations of 20 messages unless flags say otherwise. It prints figures and ratios,
// checks that every message was stored and extracted once, stops and removes what it started, and ends with status 1 when the
// bar is missed.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"

	"reverie/test/bench/services"
)

func main() {
	var b bench
	flag.IntVar(&b.conversations, "n", 1000, "conversations that move in")
	flag.IntVar(&b.messages, "messages", 20, "messages of each of them")
	flag.IntVar(&b.owners, "owners", 20, "whose they are, in turn")
	flag.IntVar(&b.models, "models", 8, "calls of the engine at once")
	services.Main("imports", b.run)
}

// bench is one run.
type bench struct{ conversations, messages, owners, models int }

func (b *bench) run(ctx context.Context, w io.Writer, asJSON bool) (passed bool, err error) {
	if b.conversations < 1 || b.messages < 2 || b.owners < 1 {
		return false, errors.New("there is at least one conversation of two messages, and an owner of it")
	}
	dir, err := os.MkdirTemp("", "reverie-imports-")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	world, err := newWorld(ctx, dir, b)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, world.close()) }()
	r, err := world.measure(ctx)
	if err != nil {
		return false, err
	}
	return r.passed(), services.Show(w, asJSON, r, r.print)
}
