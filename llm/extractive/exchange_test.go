package extractive

import (
	"slices"
	"strings"
	"testing"
	"time"

	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/transcripts"
	"reverie/test/corpus"
)

// turn returns the end of a message of a user and the answers to it.
func turn(transcript []transcripts.Line, from int) (to int) {
	for to = from + 1; to < len(transcript) && transcript[to].Role != memory.RoleOfUser; to++ {
	}
	return to
}

// exchangesOf returns an example for each unit of each part of n messages of a user with the answers to them.
func exchangesOf(tb testing.TB, all []corpus.Conversation, n int) (out []example) {
	tb.Helper()
	for k := range all {
		talk := &all[k]
		in := inputOf(tb, talk)
		for from := 0; from < len(in.Transcript); {
			to := from
			for range n {
				to = min(turn(in.Transcript, to), len(in.Transcript))
			}
			c := listenTo(in.Transcript[from:to], in.Today, hearing{whole: true})
			for i := range c.units {
				out = append(out, exampleOf(talk, &c.units[i], k, c.vectorOf(i)))
			}
			from = to
		}
	}
	return out
}

// byExchange extracts each message of a user with the answers to it, as it happens while people talk.
func byExchange(in proposals.ExtractionInput) corpus.Kept {
	step := in
	var daily []string
	for from := 0; from < len(in.Transcript); {
		to := turn(in.Transcript, from)
		step.Before, step.Transcript = in.Transcript[max(0, from-transcripts.ContextMessages):from], in.Transcript[from:to]
		from = to
		p := propose(step)
		daily = append(daily, corpus.KeptOf(step, p).Daily...)
		step.Note += "\n" + p.DailyEntry
		if p.ProfileUpdate != "" {
			step.Profile = p.ProfileUpdate
		}
		if p.MemoryUpdate != "" {
			step.Memory = p.MemoryUpdate
		}
	}
	kept := corpus.KeptOf(in, proposals.Proposal{ProfileUpdate: step.Profile, MemoryUpdate: step.Memory})
	kept.Daily = daily
	return kept
}

// TestExchanges holds what is kept of conversations that are extracted exchange by exchange to floors. Without the messages before, the
// engine fell into .363 of the traps of hard, .085 of blind2 and .430 of blind3, and kept .938, .969 and .953. The weights are not fitted to
// blind2 and blind3. One trap of hard and one of blind2 had been taken back by clauses about something else.
func TestExchanges(t *testing.T) {
	for set, floor := range map[string]struct{ kept, lasting, traps, junk float64 }{
		"hard":   {.86, .57, .105, .09},
		"blind2": {.95, .7, .076, .071},
		"blind3": {.91, .61, .32, .132},
	} {
		var all corpus.Score
		for _, talk := range loadSet(t, corpusFolder+set) {
			in := inputOf(t, &talk)
			kept := byExchange(in)
			for _, l := range append(kept.Daily, kept.Lasting...) {
				if !corpus.IsFaithful(l, in) {
					t.Errorf("%s: not what was said: %s", talk.ID, l)
				}
			}
			all.Add(talk.Judge(kept, func(string, string) {}))
		}
		t.Logf("%s: %s", set, corpus.Row("all", all))
		share := func(a, b int) float64 { return float64(a) / float64(b) }
		if share(all.Kept, all.Keep) < floor.kept || share(all.LastingKept, all.LastingKeep) < floor.lasting ||
			share(all.Fallen, all.Traps) > floor.traps || share(all.Junk, all.LastingLines) > floor.junk {
			t.Errorf("%s: the floors are %+v", set, floor)
		}
	}
}

// A message is read as a part of what was said before it, and nothing of that is proposed.
func TestMessagesBefore(t *testing.T) {
	lines := func(texts ...string) (out []transcripts.Line) {
		for i, text := range texts {
			out = append(out, transcripts.Line{Seq: int64(i + 1), Role: []string{memory.RoleOfUser, memory.RoleOfAssistant}[i%2], Text: text})
		}
		return out
	}
	for name, c := range map[string]struct {
		said []transcripts.Line
		kept string // of the last message by itself; empty with those before
		both string // kept in both cases
	}{
		"a role-play goes on": {
			said: lines("Let's play: you are an innkeeper and I am a knight.", "*bows* Welcome, sir! Where do you come from?", "I live in Camelot."),
			kept: "Camelot",
		},
		"an answer": {
			said: lines("My sister Ida is allergic to nuts.", "Noted. And where do you live?", "I live in Camelot."),
			both: "Camelot",
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := proposals.ExtractionInput{Today: time.Date(2026, 11, 21, 9, 5, 0, 0, time.UTC), ProfileMaxChars: 4000, MemoryMaxChars: 8000}
			in.Transcript = c.said[len(c.said)-1:]
			alone := proposeRaw(t, in)
			in.Before = c.said[:len(c.said)-1]
			after := proposeRaw(t, in)
			if !strings.Contains(alone.ProfileUpdate, c.kept+c.both) || c.kept != "" && strings.Contains(after.ProfileUpdate+after.DailyEntry, c.kept) ||
				!strings.Contains(after.ProfileUpdate, c.both) || strings.Contains(after.ProfileUpdate+after.MemoryUpdate+after.DailyEntry, "Ida") {
				t.Errorf("alone %+v\nafter %+v", alone, after)
			}
			for _, e := range after.Evidence {
				if slices.ContainsFunc(e.Messages, func(seq int64) bool { return seq < in.Transcript[0].Seq }) {
					t.Errorf("%+v", e)
				}
			}
		})
	}
}
