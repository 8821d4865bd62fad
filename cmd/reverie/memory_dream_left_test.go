package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
)

// What a conversation corrected, and what a person deleted, stays out of MEMORY.md although the daily notes still have it.
func TestDreamsDoNotRestoreWhatLeftMemory(t *testing.T) {
	for name, c := range map[string]struct {
		talks   []string
		deletes string // the line that a person deletes by hand
		gone    string
	}{
		"corrected in a later conversation": {
			talks: []string{
				hello, `{"role":"user","content":"Update on the ward: the printer of the ward is in room 310 now, not in room 214."}
{"role":"assistant","content":"Thanks, I will remember that."}
`,
			},
			gone: "214",
		},
		"corrected without a cue": {
			talks: []string{
				`{"role":"user","content":"Please remember that the printer of the ward is in room 214."}
{"role":"assistant","content":"Noted."}
`, `{"role":"user","content":"The printer of the ward is in room 310 now."}
{"role":"assistant","content":"Noted."}
`,
			},
			gone: "214",
		},
		"corrected in the same conversation": {
			talks: []string{`{"role":"user","content":"Please remember that the printer of the ward is in room 214."}
{"role":"assistant","content":"Noted."}
{"role":"user","content":"Sorry, the printer is in room 310, not 214."}
{"role":"assistant","content":"Noted."}
`},
			gone: "214",
		},
		"deleted by hand": {
			talks: []string{hello}, deletes: "214", gone: "214",
		},
	} {
		t.Run(name, func(t *testing.T) {
			startServer(t)
			grace := func(args ...string) string { t.Helper(); return mustRun(t, append(args, "--end-user", "42")...) }
			for i, talk := range c.talks {
				name := "talk-" + string(rune('a'+i))
				grace("add", write(t, name+".jsonl", talk))
				grace("summarize", name)
			}
			memory := grace("cat", "MEMORY.md")
			if c.deletes != "" {
				if !strings.Contains(memory, c.deletes) {
					t.Fatalf("MEMORY.md lacks %s:\n%s", c.deletes, memory)
				}
				var kept []string
				for line := range strings.Lines(memory) {
					if !strings.Contains(line, c.deletes) {
						kept = append(kept, line)
					}
				}
				putDocument(t, "MEMORY.md", strings.Join(kept, ""))
				memory = grace("cat", "MEMORY.md")
			}
			if lines := current(memory, c.gone); len(lines) > 0 {
				t.Fatalf("before the dream, MEMORY.md has %q", lines)
			}
			t.Log(grace("dream"))
			if lines := current(grace("cat", "MEMORY.md"), c.gone); len(lines) > 0 {
				t.Errorf("after the dream, MEMORY.md has %q\n%s", lines, grace("promote"))
			}
		})
	}
}

// putDocument replaces a document of user 42.
func putDocument(t *testing.T, path, content string) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"content": content})
	if err != nil {
		t.Fatal(err)
	}
	address := os.Getenv("REVERIE_URL") + "/api/v1/agents/ada/workspace/files/" + path + "?scope=PERSONAL&endUserId=42"
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, address, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+testKey)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("If-Match", "*")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status)
	}
}

// current returns the lines of a text that have a word and do not deny it.
func current(text, word string) (lines []string) {
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) && !strings.Contains(line, "not in room "+word) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}
