package grounding_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"reverie/memory/grounding"
	"reverie/memory/transcripts"
)

// conversation is a conversation of the corpus.
type conversation struct {
	ID, At, Zone, Profile, Memory string
	Messages                      []struct{ Role, Name, Text string }
}

// evidence returns what the author of a line about the conversation saw.
func (c conversation) evidence(tb testing.TB) grounding.Evidence {
	tb.Helper()
	zone, err := time.LoadLocation(c.Zone)
	if err != nil {
		tb.Fatal(err)
	}
	at, err := time.ParseInLocation("2006-01-02 15:04", c.At, zone)
	if err != nil {
		tb.Fatal(err)
	}
	e := grounding.Evidence{Documents: []string{c.Profile, c.Memory}, Day: at}
	for i, m := range c.Messages {
		e.Transcript = append(e.Transcript, transcripts.Line{
			Seq: int64(i + 1), Role: m.Role, Name: m.Name, Text: strings.TrimSpace(m.Text),
			At: at.Add(time.Duration(i-len(c.Messages)+1) * time.Minute),
		})
	}
	return e
}

func conversations(tb testing.TB) map[string]conversation {
	tb.Helper()
	content, err := os.ReadFile("testdata/conversations.json")
	if err != nil {
		tb.Fatal(err)
	}
	var list []conversation
	if err := json.Unmarshal(content, &list); err != nil {
		tb.Fatal(err)
	}
	out := map[string]conversation{}
	for _, c := range list {
		out[c.ID] = c
	}
	return out
}

// written is a line written by hand about a conversation.
type written struct{ id, kind, text string }

func lines(tb testing.TB, path string) (list []written, names map[string][]string) {
	tb.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	names = map[string][]string{}
	for line := range strings.Lines(string(content)) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(fields) != 3 || strings.HasPrefix(line, "#") {
			continue
		}
		if fields[1] == "names" {
			names[fields[0]] = strings.Split(fields[2], ",")
			continue
		}
		list = append(list, written{fields[0], fields[1], fields[2]})
	}
	return list, names
}

// grounds prepares each conversation once.
func grounds(tb testing.TB) map[string]*grounding.Ground {
	tb.Helper()
	out := map[string]*grounding.Ground{}
	for id, c := range conversations(tb) {
		out[id] = grounding.New(c.evidence(tb))
	}
	return out
}
