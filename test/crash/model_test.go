package crash

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"reverie/llm/llmtest"
)

var (
	codePattern = regexp.MustCompile(`code of the markers in this request is (\w+)`)
	markPattern = regexp.MustCompile(`\[(talk-\d+/\d+)\]`)
	userPattern = regexp.MustCompile(`(?m)^User[^:\n]*: This is \[(talk-\d+/\d+)\]`)
)

// scriptedModel writes down every message of a user, by its mark: a line in MEMORY.md, whose text it repeats as a model
// does, and a line in the day's entry. What it writes follows from the request alone.
func scriptedModel(faults llmtest.Script) llmtest.Options {
	return llmtest.Options{Answer: remember, Key: func(prompt string) string {
		if mark := markPattern.FindStringSubmatch(section(prompt, "CONVERSATION")); mark != nil {
			return mark[1]
		}
		return ""
	}, Script: faults}
}

func remember(prompt string) string {
	memory := section(prompt, "MEMORY.md")
	if memory == "" {
		memory = "# Memory\n\n## Facts\n"
	}
	var entry strings.Builder
	for _, mark := range userPattern.FindAllStringSubmatch(section(prompt, "CONVERSATION"), -1) {
		line := "- " + mark[1] + " matters."
		memory = strings.TrimRight(memory, "\n") + "\n" + line + "\n"
		if entry.Len() == 0 {
			entry.WriteString("## 10:00 " + strings.Split(mark[1], "/")[0] + "\n\n")
		}
		entry.WriteString(line + "\n")
	}
	raw, err := json.Marshal(map[string]any{
		"should_update": true, "reason": "synthetic", "daily_entry": entry.String(), "memory_update": memory, "profile_update": "", "retired": []any{},
	})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// section is the material of that name in a prompt; empty when there is none.
func section(prompt, name string) string {
	code := codePattern.FindStringSubmatch(prompt)
	if code == nil {
		return ""
	}
	_, rest, found := strings.Cut(prompt, "<<<"+name+" "+code[1]+"\n")
	if !found {
		return ""
	}
	text, _, _ := strings.Cut(rest, "\n"+code[1]+" "+name+">>>")
	return text
}

// faults are those of a bad day at a provider. Each step of a conversation meets at most three, and a repair round none:
// a proposal that is refused twice is quarantined, rightly, and would make the two runs differ.
func faults(seed uint64) llmtest.Script {
	mix := llmtest.Mix{Seed: seed, MaxPerKey: 3, Faults: []llmtest.Chance{
		{Share: 0.10, Reply: llmtest.Slow(1500 * time.Millisecond)},
		{Share: 0.08, Reply: llmtest.Status(429, 300*time.Millisecond)},
		{Share: 0.08, Reply: llmtest.Status(500)},
		{Share: 0.08, Reply: llmtest.HangUpMidBody()},
		{Share: 0.08, Reply: llmtest.TruncatedJSON()},
		{Share: 0.08, Reply: llmtest.WrongJSON()},
	}}.Script()
	return func(r llmtest.Request) llmtest.Reply {
		if strings.Contains(r.User, "Answer again") || section(r.User, "PREVIOUS ANSWER") != "" {
			return llmtest.Honest()
		}
		return mix(r)
	}
}
