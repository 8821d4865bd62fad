package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/memory"
)

// dilution compares searches of a set with those of the same set after an assistant has added long answers to each dialogue.
type dilution struct {
	Answers int `json:"answers"` // added to each dialogue
	// Text is how many times as much text there is, and Time how many times as long the mean search takes.
	Text   float64    `json:"text"`
	Time   float64    `json:"time"`
	Recall []recallAt `json:"recall"`
	Passed bool       `json:"passed"` // a search takes no longer than its share
}

// answerSentences is the number of sentences of an added answer: about 2,000 characters.
const answerSentences = 20

// dilute adds the given number of long answers to a copy of each dialogue, and asks all questions of both in turn.
func (b *bench) dilute(ctx context.Context, s set, answers int) (*dilution, error) {
	d := &dilution{Answers: answers}
	long := set{name: s.name}
	before, after := 0, 0
	for i, one := range s.dialogues {
		before += one.characters()
		one = one.withAnswers(answers, rand.New(rand.NewPCG(uint64(i), 1)))
		after += one.characters()
		if err := b.searches.load(ctx, one); err != nil {
			return nil, fmt.Errorf("dialogue %s: %w", one.id, err)
		}
		long.dialogues = append(long.dialogues, one)
	}
	d.Text = float64(after) / float64(before)
	if err := b.warm(ctx, long); err != nil {
		return nil, err
	}
	var short, all time.Duration
	outcomes, took, err := b.askAll(ctx, long, nil)
	if err != nil {
		return nil, err
	}
	for _, one := range took {
		all += one
	}
	if _, took, err = b.askAll(ctx, s, nil); err != nil {
		return nil, err
	}
	for _, one := range took {
		short += one
	}
	d.Recall = group("", outcomes, b.ks, func(asked) bool { return true }).Recall
	d.Time = float64(all) / float64(max(short, 1))
	d.Passed = d.Time <= d.Text
	return d, nil
}

// characters returns the length of the dialogue.
func (d dialogue) characters() (n int) {
	for _, s := range d.sessions {
		for _, t := range s.turns {
			n += utf8.RuneCountInString(t.text)
		}
	}
	return n
}

// withAnswers returns a copy of the dialogue for another agent, with one more session of answers of an assistant without a name. Their
// sentences are those of the dialogue at random, so that they repeat the words of its questions.
func (d dialogue) withAnswers(n int, random *rand.Rand) dialogue {
	var sentences []string
	last := 0
	for _, s := range d.sessions {
		last = max(last, s.number)
		for _, t := range s.turns {
			sentences = append(sentences, strings.FieldsFunc(t.text, func(r rune) bool { return strings.ContainsRune(".!?。！？\n", r) })...)
		}
	}
	added := session{number: last + 1}
	for i := range n {
		var text strings.Builder
		for range answerSentences {
			text.WriteString(sentences[random.IntN(len(sentences))] + ". ")
		}
		added.turns = append(added.turns, turn{id: fmt.Sprintf("answer-%d", i+1), role: memory.RoleOfAssistant, text: text.String()})
	}
	d.agent += "-answered"
	d.sessions = append(slices.Clone(d.sessions), added)
	return d
}

// print prints one line.
func (d dilution) print(w io.Writer, whole []recallAt) {
	fmt.Fprintf(w, "\n%d long answers of an assistant added to each dialogue: %.1f times the text, %.1f times the time;", d.Answers, d.Text, d.Time)
	for i, at := range d.Recall {
		fmt.Fprintf(w, " R@%d %.1f (%+.1f)", at.K, percent(at.Turn), percent(at.Turn-whole[i].Turn))
	}
	verdict := "missed"
	if d.Passed {
		verdict = "passed"
	}
	fmt.Fprintf(w, "; %s: no more time than the share of the text\n", verdict)
}
