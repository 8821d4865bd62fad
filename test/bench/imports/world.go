package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/imports"
	"reverie/llm/extractive"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/admin"
	"reverie/test/bench/services"
	"reverie/worker"
)

// world is the measured system: private servers, and the worker in this process.
type world struct {
	services.Cleanup

	*bench
	talks    []imports.Conversation
	store    *store.Store
	url      string // of the database, for its superuser
	calls    *services.Calls
	temporal client.Client
}

// agent is the agent to import into.
const agent = "ada"

// ownersAtOnce is the number of owners that an import processes concurrently.
const ownersAtOnce = 8

func newWorld(ctx context.Context, dir string, b *bench) (_ *world, err error) {
	w := &world{bench: b, calls: &services.Calls{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	for n := range b.conversations {
		w.talks = append(w.talks, b.conversation(n))
	}
	s, err := services.Start(ctx, services.Options{Dir: dir, Progress: services.Say})
	if err != nil {
		return nil, err
	}
	w.Add(s.Stop)
	w.url = s.DatabaseURL
	if w.store, err = store.Open(ctx, w.url, store.Options{Tracer: w.calls}); err != nil {
		return nil, err
	}
	w.Add(func() error { w.store.Close(); return nil })
	if err := w.store.EnsureWorkspace(ctx, services.Workspace, services.Workspace); err != nil {
		return nil, err
	}
	if _, err := w.store.CreateAgent(ctx, w.identity(), admin.NewAgent{ID: agent}); err != nil {
		return nil, err
	}
	if _, w.temporal, err = services.StartTemporal(ctx, &w.Cleanup, filepath.Join(dir, "temporal.log")); err != nil {
		return nil, err
	}
	steps, err := activities.New(activities.Options{
		Store: w.store, Proposer: extractive.New(), Rules: extractive.New(), Defaults: setting.DefaultExtractSettings(),
		Timing: setting.DefaultTiming(), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	running := worker.New(w.temporal, steps,
		worker.Options{ModelConcurrency: b.models, SweepInterval: time.Minute, Log: slog.New(slog.DiscardHandler)})
	if err := running.Start(); err != nil {
		return nil, err
	}
	w.Add(func() error { running.Stop(); return nil })
	return w, nil
}

func (w *world) identity() memory.Identity {
	return memory.Identity{Workspace: services.Workspace, Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "bench"}}
}

// begin is the day of the first conversation.
var begin = time.Date(2024, 1, 1, 9, 0, 0, 0, time.UTC)

var said = []string{
	"Please remember that the label of box %d is crate %d.",
	"My name is Ada %d, and I moved to the house at number %d.",
	"I have decided to keep plan %d for the garden with %d oaks.",
	"What is the weather like in place %d on day %d?",
	"I like tea of brand %d more than coffee of brand %d.",
}

// conversation returns the nth conversation: an hour long, each on a different day of its owner.
func (b *bench) conversation(n int) imports.Conversation {
	c := imports.Conversation{
		ID: fmt.Sprintf("bench:%05d", n), Owner: memory.Owner(fmt.Sprintf("user:%d", n%b.owners)), Title: fmt.Sprint("Talk ", n),
	}
	at := begin.AddDate(0, 0, n/b.owners)
	for m := range b.messages {
		message := memory.Message{ID: fmt.Sprintf("%d-%d", n, m), Role: memory.RoleOfUser, CreatedAt: at.Add(time.Duration(m) * 3 * time.Minute)}
		if m%2 == 0 {
			message.Content = fmt.Sprintf(said[(n+m/2)%len(said)], n, m)
		} else {
			message.Role = memory.RoleOfAssistant
			message.Content = "I see. The lamps stay as they are, and the roof is looked at in spring; tell me when that changes."
		}
		c.Messages = append(c.Messages, message)
	}
	return c
}
