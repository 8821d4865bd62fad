package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"reverie/activities"
	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/memory"
)

// answerTokens bounds an answer: MEMORY.md at its ceiling fits.
const answerTokens = 8000

// startModel starts a model on loopback that takes its time, and opens it as the program does.
func startModel(delay time.Duration) (*llmtest.Server, activities.Prompted, error) {
	server, err := llmtest.Listen("127.0.0.1:0", llmtest.Options{
		Script: llmtest.Always(llmtest.Slow(delay)), Answer: consolidated, Keep: 1,
	})
	if err != nil {
		return nil, activities.Prompted{}, err
	}
	model, err := llm.Open(llm.Config{
		Provider: "openai", Model: "scripted", APIKey: "key", BaseURL: server.URL + "/v1", Timeout: delay + time.Minute,
	})
	if err != nil {
		server.Close()
		return nil, activities.Prompted{}, err
	}
	return server, activities.Prompted{Model: model, MaxTokens: answerTokens}, nil
}

var (
	memoryShown    = regexp.MustCompile(`(?s)<<<MEMORY\.md (\S+)\n(.*?)\n\S+ MEMORY\.md>>>`)
	candidateShown = regexp.MustCompile(`(?m)^\d+\. (.*) \(score [^()]*\)$`)
)

// consolidated is what a well-behaved model answers: MEMORY.md as it was shown, with every candidate behind it.
func consolidated(prompt string) string {
	var text strings.Builder
	if shown := memoryShown.FindStringSubmatch(prompt); shown != nil {
		text.WriteString(strings.TrimRight(shown[2], "\n") + "\n")
	}
	text.WriteString("\n## Lately\n\n")
	for _, candidate := range candidateShown.FindAllStringSubmatch(prompt, -1) {
		text.WriteString("- " + candidate[1] + "\n")
	}
	answer, err := json.Marshal(memory.Consolidation{ShouldUpdate: true, Reason: "it came up on several days", MemoryContent: text.String()})
	if err != nil { // a struct of strings
		return llmtest.Nothing
	}
	return string(answer)
}
