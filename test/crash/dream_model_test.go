package crash

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"reverie/llm/llmtest"
)

var (
	candidatePattern = regexp.MustCompile(`(?m)^\d+\. (.+) \(score .*\)$`)
	agentPattern     = regexp.MustCompile(`Name of the agent: "(\w+)"`)
)

// scriptedDreams is a model that writes every candidate into MEMORY.md, under one heading. Of the disturbed agent it fails as
// on a bad day, and lets the last person of each night wait, so that the worker can be killed meanwhile.
func (w *dreamers) scriptedDreams() llmtest.Options {
	var people atomic.Int32
	return llmtest.Options{
		Answer: consolidate,
		Key: func(prompt string) string {
			who := agentPattern.FindStringSubmatch(prompt)
			what := candidatePattern.FindStringSubmatch(section(prompt, "CANDIDATES"))
			if who == nil || what == nil {
				return ""
			}
			return who[1] + ": " + what[1]
		},
		Script: func(r llmtest.Request) llmtest.Reply {
			switch {
			case !strings.HasPrefix(r.Key, storm):
				return llmtest.Honest()
			case r.Attempt == 1 && strings.Contains(r.Key, fmt.Sprintf(" %d ", number(w.users-1, int(w.night.Load())))):
				w.answering.Add(1)
				return llmtest.Slow(5 * time.Second)
			case r.Attempt == 1:
				return dreamFaults[int(people.Add(1))%len(dreamFaults)]
			}
			return llmtest.Honest()
		},
	}
}

// dreamFaults are how a model fails, one after the other, each person once a night. What it is asked again is answered honestly:
// a proposal that is refused twice is quarantined, rightly, and would make the two agents differ.
var dreamFaults = []llmtest.Reply{
	llmtest.Slow(1500 * time.Millisecond), llmtest.Status(429, 300*time.Millisecond), llmtest.Status(500), llmtest.HangUpBeforeAnswer(),
	llmtest.HangUpMidBody(), llmtest.TruncatedJSON(), llmtest.WrongJSON(), llmtest.FinishLength(), llmtest.EmptyChoices(), llmtest.GarbageBody(),
	llmtest.ContextTooLong(),
}

// consolidate is the honest answer to a dream.
func consolidate(prompt string) string {
	memory := section(prompt, "MEMORY.md")
	if memory == "" {
		memory = "# Memory"
	}
	memory = strings.TrimRight(memory, "\n") + "\n"
	const heading = "\n## Things\n"
	if !strings.Contains(memory, heading) {
		memory += heading + "\n"
	}
	for _, candidate := range candidatePattern.FindAllStringSubmatch(section(prompt, "CANDIDATES"), -1) {
		memory += "- " + candidate[1] + "\n"
	}
	raw, err := json.Marshal(map[string]any{"should_update": true, "reason": "synthetic", "memory_content": memory, "retired": []any{}})
	if err != nil {
		panic(err)
	}
	return string(raw)
}
