package extractive

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/memory/proposals"
	"reverie/memory/setting"
)

// flushed returns the lines that the engine notes from a transcript, after parsing its answer.
func flushed(t interface {
	Helper()
	Fatal(...any)
}, in proposals.ExtractionInput,
) proposals.Proposal {
	t.Helper()
	answer, err := New().Flush(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	p, err := proposals.ParseFlush(answer.Raw)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func flushInput(said ...string) proposals.ExtractionInput {
	return proposals.ExtractionInput{
		Transcript: saidBy(said...), Today: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC), ProfileMaxChars: 4000, MemoryMaxChars: 8000,
	}
}

func TestFlush(t *testing.T) {
	for name, c := range map[string]struct {
		in   proposals.ExtractionInput
		want []string
	}{
		"what would go into the files": {
			flushInput("I live in Leeds.", "We decided to use Postgres because of the JSON functions.", "Remember that I'm allergic to peanuts."),
			[]string{
				`"I live in Leeds."`, `"We decided to use Postgres because of the JSON functions."`, `"Remember that I'm allergic to peanuts."`,
			},
		},
		"Chinese": {flushInput("我住在北京。", "记住我对花生过敏。"), []string{`"我住在北京。"`, `"记住我对花生过敏。"`}},
		"a value is corrected": {
			flushInput("The staging database is on port 5433.", "Sorry, it's 5434, not 5433."),
			[]string{`"The staging database is on port 5433."`, `"Sorry, it's 5434, not 5433."`},
		},
		"small talk": {flushInput("Hello there!", "What is the weather like?", "Thanks!"), nil},
		"German": {
			flushInput("Ich wohne seit drei Jahren in Bremen und mag die Stadt."),
			[]string{`"Ich wohne seit drei Jahren in Bremen und mag die Stadt."`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := flushed(t, c.in)
			var got []string
			for line := range strings.Lines(p.DailyEntry) {
				if text, isItem := strings.CutPrefix(line, "- "); isItem {
					got = append(got, strings.TrimSpace(text))
				}
			}
			if d := cmp.Diff(c.want, got); d != "" || p.ShouldUpdate != (len(c.want) > 0) {
				t.Errorf("update: %v, lines (-want +got):\n%s", p.ShouldUpdate, d)
			}
			if p.ShouldUpdate && !strings.HasPrefix(p.DailyEntry, "## 09:4") {
				t.Errorf("it begins with %.40q", p.DailyEntry)
			}
		})
	}
}

func TestFlushLeavesOutWhatIsKnown(t *testing.T) {
	in := flushInput("I live in Leeds.", "Remember that I'm allergic to peanuts.", "The standup is at 9:30 every weekday.")
	in.Profile, in.Note = "# Profile\n\n## Identity\n\n- \"I live in Leeds.\"\n", "# 2026-03-02\n\n## 08:00 Food\n\n- \"Remember that I'm allergic to peanuts.\"\n"
	p := flushed(t, in)
	if strings.Contains(p.DailyEntry, "Leeds") || strings.Contains(p.DailyEntry, "peanuts") || !strings.Contains(p.DailyEntry, "9:30") {
		t.Errorf("it notes\n%s", p.DailyEntry)
	}
}

// More than an entry holds: what was asked to be remembered stays, and the newest.
func TestFlushOfMoreThanAnEntryHolds(t *testing.T) {
	var said []string
	for i := range 300 {
		said = append(said, fmt.Sprintf("The server of department %d runs on port %d.", i, 20_000+i))
	}
	p := flushed(t, flushInput(append(said, "Maybe I will go to the cinema tonight.")...))
	if n := utf8.RuneCountInString(p.DailyEntry); n > proposals.MaxDailyChars || n < proposals.MaxDailyChars/2 {
		t.Errorf("the entry has %d characters", n)
	}
	if !strings.Contains(p.DailyEntry, "20299") || strings.Contains(p.DailyEntry, "20000") || strings.Contains(p.DailyEntry, "cinema") ||
		!strings.Contains(p.Reason, "no room") {
		t.Errorf("(%s) it notes\n%s", p.Reason, p.DailyEntry)
	}
}

func TestARefusedEntryIsNotRepeated(t *testing.T) {
	in := flushInput("I live in Leeds.")
	in.Violations = []string{"daily_entry looks like a dialogue"}
	if p := flushed(t, in); p.ShouldUpdate {
		t.Errorf("it proposes %+v", p)
	}
}

// Whatever was said, the entry passes the guards, and every line of it says from which messages it comes.
func TestFlushedEntriesPassTheGuards(t *testing.T) {
	pool := newPool(t)
	rapid.Check(t, func(t *rapid.T) {
		in := pool.input(t)
		in.Violations, in.Previous = nil, ""
		p := flushed(t, in)
		if again := flushed(t, in); !cmp.Equal(p, again) {
			t.Fatal("the same input gives two entries")
		}
		s := setting.DefaultExtractSettings()
		guarded, violations := proposals.Guard(p, in, s)
		if len(violations) > 0 || guarded.Memory != "" || guarded.Profile != "" {
			t.Fatalf("%+v, %+v", violations, guarded)
		}
		known := map[string]bool{}
		for _, e := range p.Evidence {
			known[e.Line] = len(e.Messages) > 0
		}
		for line := range strings.Lines(p.DailyEntry) {
			if line = strings.TrimSpace(line); line != "" && !known[line] {
				t.Fatalf("%q comes from nowhere: %+v", line, p.Evidence)
			}
		}
	})
}
