package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"reverie/language/script"
	"reverie/memory"
)

// dilution compares searches of a set with those of the same set after an assistant has added long answers to each dialogue.
type dilution struct {
	Answers int `json:"answers"` // added to each dialogue
	// Text is the ratio of the sizes of text, and Time that of the mean times of a search.
	Text   float64    `json:"text"`
	Time   float64    `json:"time"`
	Recall []recallAt `json:"recall"`
	Rival  []recallAt `json:"bm25"`
	Passed bool       `json:"passed"` // a search takes no longer than its share
}

// answerWords is the number of words of an added answer, in sentences of ten.
const answerWords = 300

// dilute adds the given number of long answers to a copy of each dialogue, and asks all questions of both in turn.
func (b *bench) dilute(ctx context.Context, s set, answers int) (*dilution, error) {
	d := &dilution{Answers: answers}
	long := set{name: s.name}
	before, after := 0, 0
	for i, one := range s.dialogues {
		before += one.characters()
		one = one.withAnswers(answers, rand.New(rand.NewPCG(uint64(i), 1))) //nolint:gosec // test data
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
	every := func(asked) bool { return true }
	d.Recall, d.Rival = group("", outcomes, b.ks, every).Recall, group("", b.plain(long), b.ks, every).Recall
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
// words are those of the dialogue at random, as often as there, so that they have many words of its questions and none of its answers.
func (d dialogue) withAnswers(n int, random *rand.Rand) dialogue {
	var words []string
	last := 0
	for _, s := range d.sessions {
		last = max(last, s.number)
		for _, t := range s.turns {
			words = append(words, pieces(t.text)...)
		}
	}
	added := session{number: last + 1}
	for i := range n {
		var text strings.Builder
		for w := range answerWords {
			text.WriteString(words[random.IntN(len(words))])
			if w%10 == 9 {
				text.WriteByte('.')
			}
			text.WriteByte(' ')
		}
		added.turns = append(added.turns, turn{id: fmt.Sprintf("answer-%d", i+1), role: memory.RoleOfAssistant, text: text.String()})
	}
	d.agent += "-answered"
	d.sessions = append(slices.Clone(d.sessions), added)
	return d
}

// pieces splits a text into words; of Chinese, into pairs of characters.
func pieces(text string) (words []string) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if r := []rune(word); script.IsHan(r[0]) {
			for pair := range slices.Chunk(r, 2) {
				words = append(words, string(pair))
			}
			continue
		}
		words = append(words, word)
	}
	return words
}

// print prints one line.
func (d dilution) print(w io.Writer, whole []recallAt) {
	fmt.Fprintf(w, "\n%d long answers of an assistant added to each dialogue: %.1f times the text, %.1f times the time;",
		d.Answers, d.Text, d.Time)
	for i, at := range d.Recall {
		fmt.Fprintf(w, " R@%d %.1f (%+.1f, BM25 %.1f)", at.K, percent(at.Turn), percent(at.Turn-whole[i].Turn), percent(d.Rival[i].Turn))
	}
	verdict := "missed"
	if d.Passed {
		verdict = "passed"
	}
	fmt.Fprintf(w, "; %s: no more time than the share of the text\n", verdict)
}
