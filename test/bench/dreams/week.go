package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
	"reverie/store"
	"reverie/store/talk"
	"reverie/test/bench/services"
)

// week is the amount of notes and messages of an owner on each of the seven days before today.
type week struct {
	Statements int `json:"statements"` // in each day's note; two of them recur on two more days
	Turns      int `json:"turns"`      // in each day's conversation: a message of the person and an answer
	Lines      int `json:"lines"`      // of MEMORY.md, written by the person
}

// Weeks: a typical one, and one near the limits of a dream.
var (
	usualWeek = week{Statements: 5, Turns: 3, Lines: 8}
	largeWeek = week{Statements: 40, Turns: 40, Lines: 60}
)

const daysOfWeek = 7

// daysOfRecurring are the days, counted back from yesterday, on which notes repeat earlier statements.
var daysOfRecurring = []int{0, 2, 5}

var (
	subjects = strings.Fields("Anna Boris Clara Dmitri Elena Farid Greta Hugo Irina Jonas Karla Lukas Mira Nils Olga Pavel")
	deeds    = []string{
		"repairs", "collects", "is allergic to", "sold", "teaches a course about", "is writing a book about", "photographs",
		"ordered", "restores", "is planning an exhibition of", "dreams of", "imports", "paints", "donated", "borrowed", "measures",
	}
	objects = []string{
		"old bicycles", "church bells", "peanuts", "wooden boats", "medieval maps", "garden lamps", "steam engines", "silver spoons",
		"glass marbles", "radio valves", "mountain huts", "copper kettles", "tulip bulbs", "violin strings", "stone bridges", "fishing nets",
	}
	places = strings.Fields("Hamburg Lisbon Bern Oslo Kraków Porto Ghent Turin Vienna Riga Nantes Malmö Graz Cork Brno Split")
)

// writer generates an owner's notes and messages. The same seed and name give the same texts.
type writer struct {
	rng *rand.Rand
	n   int
}

func newWriter(seed uint64, name string) *writer {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))                                // a hash never fails
	return &writer{rng: rand.New(rand.NewPCG(seed, h.Sum64()))} //nolint:gosec // the same seed must give the same texts
}

// statement returns a new statement each time; a number makes it unique.
func (w *writer) statement() string {
	w.n++
	pick := func(from []string) string { return from[w.rng.IntN(len(from))] }
	return fmt.Sprintf("%s %s %s in %s since %d.", pick(subjects), pick(deeds), pick(objects), pick(places), 1000+w.n)
}

// notes returns the daily notes, by the day counted back from yesterday.
func (w *writer) notes(size week) []string {
	days := make([][]string, daysOfWeek)
	for range min(2, size.Statements) {
		again := w.statement()
		for _, day := range daysOfRecurring {
			days[day] = append(days[day], again)
		}
	}
	out := make([]string, daysOfWeek)
	for day := range days {
		for len(days[day]) < size.Statements {
			days[day] = append(days[day], w.statement())
		}
		out[day] = "- " + strings.Join(days[day], "\n- ") + "\n"
	}
	return out
}

// memory returns a MEMORY.md written by the person.
func (w *writer) memory(size week) string {
	lines := make([]string, size.Lines)
	for i := range lines {
		lines[i] = "- " + w.statement() + "\n"
	}
	return "# Memory\n\n## People\n\n" + strings.Join(lines, "")
}

// said returns the messages of one day.
func (w *writer) said(size week, day time.Time) []memory.Message {
	var out []memory.Message
	say := func(role, text string) {
		out = append(out, memory.Message{
			ID: fmt.Sprintf("%s-%d", day.Format(time.DateOnly), len(out)), Role: role, Content: text,
			CreatedAt: day.Add(time.Duration(len(out)) * time.Minute),
		})
	}
	for range size.Turns {
		object, place := objects[w.rng.IntN(len(objects))], places[w.rng.IntN(len(places))]
		say(memory.RoleOfUser, "We decided to use "+object+" for the shop in "+place+". "+w.statement())
		say(memory.RoleOfAssistant, "Understood. Is there anything else about the shop?")
	}
	return out
}

// write stores a week up to yesterday for an owner.
func (w *writer) write(ctx context.Context, s *store.Store, agent string, owner memory.Owner, size week, now time.Time) error {
	id := memory.Identity{
		Workspace: services.Workspace, Agent: agent, Owner: owner, Role: memory.RoleMember,
		Author: memory.Author{Kind: memory.AuthorUser, ID: "bench"},
	}
	replace := func(path, content string) memory.Change {
		return memory.Change{Ref: memory.Ref{Scope: memory.ScopePersonal, Path: path}, Op: memory.OpReplace, Content: content, Force: true}
	}
	noon := time.Date(now.Year(), now.Month(), now.Day(), 12, 0, 0, 0, time.UTC).AddDate(0, 0, -1)
	changes := []memory.Change{replace(memory.MemoryPath, w.memory(size))}
	for day, text := range w.notes(size) {
		date := noon.AddDate(0, 0, -day).Format(time.DateOnly)
		changes = append(changes, replace("memory/"+date+".md", "# "+date+"\n\n"+text))
	}
	if _, err := s.Apply(ctx, id, uuid.NewString(), changes); err != nil {
		return err
	}
	for day := range daysOfWeek {
		messages := w.said(size, noon.AddDate(0, 0, -day))
		if len(messages) == 0 {
			continue
		}
		batch := talk.Batch{Conversation: fmt.Sprint(owner, "-", day), Trigger: memory.TriggerAPI, Messages: messages}
		if _, err := s.AppendMessages(ctx, id, batch); err != nil {
			return err
		}
	}
	return nil
}
