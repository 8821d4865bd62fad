package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"

	"reverie/llm/llmtest"
	"reverie/test/bench/services"
	"reverie/test/deployment"
)

// world is the measured system: the program's API and worker, with and without a scripted model.
type world struct {
	services.Cleanup

	url   string // of the database, for its superuser
	rules *deployment.Client
	model *deployment.Client
	asked *llmtest.Server // the model
}

// newWorld starts both. Each has a separate Temporal, so that their workers do not take each other's steps.
func newWorld(ctx context.Context, dir string) (_ *world, err error) {
	w := &world{}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	s, err := services.Start(ctx, services.Options{Dir: dir, Progress: services.Say})
	if err != nil {
		return nil, err
	}
	w.Add(s.Stop)
	w.url = s.DatabaseURL
	if w.asked, err = llmtest.Listen("127.0.0.1:0", llmtest.Options{Answer: answer, Keep: 100_000}); err != nil {
		return nil, err
	}
	w.Add(func() error { w.asked.Close(); return nil })
	if w.rules, err = w.run(ctx, s, filepath.Join(dir, "rules.log")); err != nil {
		return nil, err
	}
	w.model, err = w.run(ctx, s, filepath.Join(dir, "model.log"),
		"REVERIE_LLM_PROVIDER=openai", "REVERIE_LLM_MODEL=scripted", "REVERIE_LLM_API_KEY=key", "REVERIE_LLM_BASE_URL="+w.asked.URL+"/v1")
	return w, err
}

// run starts an API and a worker with a separate Temporal. Extraction waits for a quiet day, because only the window
// is measured.
func (w *world) run(ctx context.Context, s *services.Services, log string, env ...string) (*deployment.Client, error) {
	address, _, err := services.StartTemporal(ctx, &w.Cleanup, log)
	if err != nil {
		return nil, err
	}
	env = append([]string{
		"REVERIE_TEMPORAL_ADDRESS=" + address, "REVERIE_QUIET_PERIOD=24h", "REVERIE_SWEEP_INTERVAL=1s", "REVERIE_DREAMING_ENABLED=false",
	}, env...)
	api, err := s.StartAPI(ctx, env...)
	if err != nil {
		return nil, err
	}
	return api, s.StartWorker(env...)
}

// newAgent creates an agent without owners.
func newAgent(ctx context.Context, api *deployment.Client, agent string) error {
	return api.Call(ctx, http.MethodPost, "/api/v1/agents", map[string]string{"id": agent, "name": agent, "timeZone": "UTC"}, nil)
}

// answer returns a well-behaved model's answer: a proposal that keeps one thing, or a summary of the requested
// length.
func answer(prompt string) string {
	if strings.Contains(prompt, "daily_entry") {
		return `{"should_update":true,"reason":"plans were made","daily_entry":"## 10:00 Plans\n\n- Plans for the building were weighed.\n"}`
	}
	return "Goal: plan the building. " + strings.Repeat("The roof, the chairs and the opening were talked about; the letters stay open. ", 12)
}

// owner is the speaker.
const owner = "api:bench"

// The words of a conversation follow Zipf's law, like natural texts: a few are very frequent, most are rare. Every
// other word is a stop word.
const (
	vocabulary   = 8000
	zipfExponent = 1.07
	zipfShift    = 30 // the most frequent significant word is about one in a hundred
)

var (
	syllables = strings.Fields("ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bar cen dil fom gur hal jen kir lom mun")
	between   = strings.Fields("the and of to in for that with on as at by from this or which it is was but")
)

// talk generates a conversation. The same seed gives the same.
type talk struct {
	rng  *rand.Rand
	zipf *rand.Zipf
	n    int
}

func newTalk(seed uint64) *talk {
	rng := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // the same seed must give the same texts
	return &talk{rng: rng, zipf: rand.NewZipf(rng, zipfExponent, zipfShift, vocabulary-1)}
}

// word returns a word of the vocabulary by its rank.
func word(rank uint64) string {
	var b strings.Builder
	for n := rank + uint64(len(syllables)); n > 0; n /= uint64(len(syllables)) {
		b.WriteString(syllables[n%uint64(len(syllables))])
	}
	return b.String()
}

// sentence returns a sentence of a number of words.
func (t *talk) sentence(words int) string {
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if i%2 == 0 {
			b.WriteString(between[t.rng.IntN(len(between))])
		} else {
			b.WriteString(word(t.zipf.Uint64()))
		}
	}
	return strings.ToUpper(b.String()[:1]) + b.String()[1:]
}

// question returns the user's next message; a number makes it unique.
func (t *talk) question() string {
	t.n++
	return fmt.Sprintf("Point %d: %s. %s?", t.n, t.sentence(10+t.rng.IntN(10)), t.sentence(8+t.rng.IntN(8)))
}

// answer returns the assistant's answer, some sentences long.
func (t *talk) answer() string {
	var b strings.Builder
	fmt.Fprintf(&b, "As to point %d: %s.", t.n, t.sentence(8+t.rng.IntN(10)))
	for range 6 + t.rng.IntN(12) {
		b.WriteString(" " + t.sentence(8+t.rng.IntN(12)) + ".")
	}
	return b.String()
}

// turn returns a question with its answer.
func (t *talk) turn() []deployment.Message {
	question := t.question()
	return []deployment.Message{
		{ID: fmt.Sprintf("q%d", t.n), Role: "user", Content: question},
		{ID: fmt.Sprintf("a%d", t.n), Role: "assistant", Content: t.answer()},
	}
}
