package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"reverie/test/deployment"
)

// owner is who talks.
const owner = "api:bench"

var (
	topics = strings.Fields("harbour orchard archive bakery theatre workshop library vineyard museum observatory lighthouse greenhouse")
	people = strings.Fields("Anna Boris Clara Dmitri Elena Farid Greta Hugo Irina Jonas Karla Lukas Mira Nils Olga Pavel")
	plans  = []string{
		"repair the roof before winter", "order forty chairs", "move the opening to the second week of May", "ask two more suppliers for prices",
		"paint the west wall in grey", "keep the old lamps", "print the guide in three languages", "leave the second floor closed",
		"hire a carpenter for ten days", "measure the humidity each morning", "sort the letters by year", "sell the tickets at the gate",
	}
	remarks = []string{
		"The figures of last month are in the report that was sent around on Tuesday.", "Nobody has answered the letter yet, so it stays open.",
		"It was cheaper than expected, which leaves something for the next quarter.", "The neighbours had asked for quiet after nine in the evening.",
		"There is a drawing of it in the blue folder on the shelf.", "The weather decides whether the delivery comes by boat or by road.",
	}
)

// talk makes up a conversation. The same seed gives the same.
type talk struct {
	rng *rand.Rand
	n   int
}

func newTalk(seed uint64) *talk {
	return &talk{rng: rand.New(rand.NewPCG(seed, 7))} //nolint:gosec // the same seed has to make the same texts
}

func (t *talk) pick(from []string) string { return from[t.rng.IntN(len(from))] }

// question is what the user says next: a number makes it differ from all others.
func (t *talk) question() string {
	t.n++
	return fmt.Sprintf("About the %s, point %d: %s wants to %s. %s What does that mean for what we said about the %s?",
		t.pick(topics), t.n, t.pick(people), t.pick(plans), t.pick(remarks), t.pick(topics))
}

// answer is what the assistant says to it, some sentences long.
func (t *talk) answer() string {
	var b strings.Builder
	fmt.Fprintf(&b, "For point %d I would first %s.", t.n, t.pick(plans))
	for range 6 + t.rng.IntN(12) {
		fmt.Fprintf(&b, " %s %s could %s, if the %s is not in the way.", t.pick(remarks), t.pick(people), t.pick(plans), t.pick(topics))
	}
	return b.String()
}

// turn is a question with its answer.
func (t *talk) turn() []deployment.Message {
	question := t.question()
	return []deployment.Message{
		{ID: fmt.Sprintf("q%d", t.n), Role: "user", Content: question},
		{ID: fmt.Sprintf("a%d", t.n), Role: "assistant", Content: t.answer()},
	}
}
