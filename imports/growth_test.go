package imports

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/memory"
)

// said is a message of an export that a test makes.
type said struct {
	id   string
	user bool
	text string
	at   int64 // seconds
}

func drawTalks(t *rapid.T) [][]said {
	at := int64(1_700_000_000)
	talks := make([][]said, rapid.IntRange(1, 4).Draw(t, "talks"))
	for c := range talks {
		talks[c] = make([]said, rapid.IntRange(1, 12).Draw(t, "messages"))
		for i := range talks[c] {
			at += rapid.Int64Range(0, 90_000).Draw(t, "pause")
			talks[c][i] = said{fmt.Sprintf("m-%d-%d", c, i), i%2 == 0, rapid.StringN(1, 40, 80).Draw(t, "text"), at}
		}
	}
	return talks
}

func encoded(value any) string {
	b, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// exporters write conversations in the formats of the supported systems.
var exporters = map[Format]func(talks [][]said) string{
	ChatGPT: func(talks [][]said) string {
		var out []any
		for c, talk := range talks {
			mapping, parent := map[string]any{"root": map[string]any{"message": nil, "parent": nil}}, "root"
			for _, m := range talk {
				mapping["n"+m.id] = map[string]any{"parent": parent, "message": map[string]any{
					"id": m.id, "author": map[string]any{"role": speaker(m, "user")}, "create_time": m.at,
					"content": map[string]any{"content_type": "text", "parts": []any{m.text}},
				}}
				parent = "n" + m.id
			}
			out = append(out, map[string]any{
				"conversation_id": fmt.Sprint(c), "create_time": talk[0].at, "mapping": mapping,
				"current_node": parent,
			})
		}
		return encoded(out)
	},
	Claude: func(talks [][]said) string {
		var out []any
		for c, talk := range talks {
			var messages []any
			for _, m := range talk {
				messages = append(messages, map[string]any{
					"uuid": m.id, "sender": speaker(m, "human"), "text": m.text,
					"created_at": time.Unix(m.at, 0).UTC(),
				})
			}
			out = append(out, map[string]any{"uuid": fmt.Sprint(c), "created_at": time.Unix(talk[0].at, 0).UTC(), "chat_messages": messages})
		}
		return encoded(out)
	},
	Zep: func(talks [][]said) string {
		var out []any
		for c, talk := range talks {
			var messages []any
			for _, m := range talk {
				messages = append(messages, map[string]any{"role_type": speaker(m, "user"), "content": m.text, "created_at": time.Unix(m.at, 0).UTC()})
			}
			out = append(out, map[string]any{"session_id": fmt.Sprint(c), "user_id": "u", "messages": messages})
		}
		return encoded(map[string]any{"sessions": out})
	},
	Mem0: func(talks [][]said) string {
		var out []any
		for _, talk := range talks {
			for _, m := range talk {
				out = append(out, map[string]any{"id": m.id, "memory": m.text, "user_id": "u", "created_at": time.Unix(m.at, 0).UTC()})
			}
		}
		return encoded(map[string]any{"results": out})
	},
}

func speaker(m said, user string) string {
	if m.user {
		return user
	}
	return "assistant"
}

func read(tb testing.TB, format Format, content string) []Item {
	tb.Helper()
	s, err := Open(jsonFile(content), Options{Format: format, Owners: Owners{Default: "user:u"}})
	if err != nil {
		tb.Fatal(err)
	}
	items, _, err := all(tb, s)
	if err != nil {
		tb.Fatal(err)
	}
	return items
}

// A later export of the same system has more and longer conversations: earlier ones keep their keys, ids and text,
// and come first.
func TestALargerExportOnlyAdds(t *testing.T) {
	for format, export := range exporters {
		t.Run(string(format), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				talks := drawTalks(rt)
				earlier := make([][]said, rapid.IntRange(1, len(talks)).Draw(rt, "earlier talks"))
				for c := range earlier {
					earlier[c] = talks[c][:rapid.IntRange(1, len(talks[c])).Draw(rt, "earlier messages")]
				}
				later := map[string]Item{}
				for _, item := range read(t, format, export(talks)) {
					later[item.Key] = item
				}
				for _, before := range read(t, format, export(earlier)) {
					after, found := later[before.Key]
					if !found {
						rt.Fatalf("%s is gone", before.Key)
					}
					if before.Document != nil {
						for line := range strings.Lines(before.Document.Content) {
							if !strings.Contains(after.Document.Content, line) {
								rt.Fatalf("the line %q is gone", line)
							}
						}
						continue
					}
					had := before.Conversation.Messages
					if len(after.Conversation.Messages) < len(had) || cmp.Diff(had, after.Conversation.Messages[:len(had)]) != "" {
						rt.Fatalf("messages have changed:\n%s", cmp.Diff(had, after.Conversation.Messages))
					}
				}
			})
		})
	}
}

// Parts of a long conversation stay the same when it grows, and no part of a long message is lost.
func TestLongConversationsComeInParts(t *testing.T) {
	talk := make([]said, 2500)
	for i := range talk {
		talk[i] = said{fmt.Sprint(i), i%2 == 0, fmt.Sprintf("message %d", i), 1_700_000_000 + int64(i)}
	}
	long := strings.Repeat("a line of a long letter\n", 50_000) + "the end"
	talk[2400].text = long
	shorter := read(t, Claude, exporters[Claude]([][]said{talk[:2100]}))
	whole := read(t, Claude, exporters[Claude]([][]said{talk}))
	if len(shorter) != 3 || len(whole) != 3 || whole[1].Key != whole[0].Key+"/2" || whole[2].Key != whole[0].Key+"/3" {
		t.Fatalf("%d and %d parts", len(shorter), len(whole))
	}
	for i := range 2 {
		if diff := cmp.Diff(shorter[i], whole[i]); diff != "" {
			t.Errorf("part %d has changed:\n%s", i+1, diff)
		}
	}
	var text strings.Builder
	for _, m := range whole[2].Conversation.Messages {
		if m.ID == "2400" || strings.HasPrefix(m.ID, "2400/") {
			text.WriteString(m.Content)
			if !strings.HasSuffix(m.Content, "\n") && !strings.HasSuffix(m.Content, "the end") {
				t.Errorf("message %s ends within a line", m.ID)
			}
		}
	}
	if text.String() != long {
		t.Errorf("%d of %d bytes are left of a long message", text.Len(), len(long))
	}
}

// Notes of a person and a day that exceed a document continue in another one.
func TestManyMemoriesOfOneDayComeInPages(t *testing.T) {
	var talk []said
	for i := range 30 {
		talk = append(talk, said{fmt.Sprint(i), true, fmt.Sprintf("%d %s", i, strings.Repeat("words ", 8000)), 1_700_000_000})
	}
	items := read(t, Mem0, exporters[Mem0]([][]said{talk}))
	var paths []string
	for _, item := range items {
		paths = append(paths, item.Document.Path)
	}
	if diff := cmp.Diff([]string{"memory/2023-11-14-mem0.md", "memory/2023-11-14-mem0-2.md", "memory/2023-11-14-mem0-3.md"},
		paths); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// growing is an export that is generated while it is read: n conversations of some kilobytes each.
type growing struct {
	left int
	rest *strings.Reader
}

func (g *growing) Read(p []byte) (int, error) {
	for g.rest.Len() == 0 {
		if g.left--; g.left < 0 {
			return 0, io.EOF
		}
		text := strings.Repeat(fmt.Sprintf("conversation %d goes on ", g.left), 200)
		end := ","
		if g.left == 0 {
			end = "]"
		}
		g.rest.Reset(gpt(text) + end)
	}
	return g.rest.Read(p)
}

func (g *growing) Close() error { return nil }

// Reading an export takes the memory of one conversation.
func TestALargeExportIsReadInLittleMemory(t *testing.T) {
	const conversations = 8_000
	open := func() (io.ReadCloser, error) { return &growing{conversations, strings.NewReader("[")}, nil }
	s, err := Open(File("conversations.json", changed, open), Options{Format: ChatGPT})
	if err != nil {
		t.Fatal(err)
	}
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	most, bytes, n := uint64(0), 0, 0
	for item, err := range s.Items(nil) {
		if err != nil {
			t.Fatal(err)
		}
		bytes += len(item.Conversation.Messages[0].Content)
		if n++; n%1000 == 0 {
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapInuse-min(now.HeapInuse, before.HeapInuse))
		}
	}
	t.Logf("%d MiB of words in %d conversations; at most %d MiB more in use", bytes>>20, n, most>>20)
	if n != conversations || most > 24<<20 || bytes < 32<<20 {
		t.Errorf("%d conversations with %d MiB of words took %d MiB", n, bytes>>20, most>>20)
	}
}

func TestMessagesWithoutATimeGetThatOfTheirNeighbours(t *testing.T) {
	day := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, want := range []struct {
		began time.Time
		said  []time.Time
		get   []time.Time
	}{
		{day, []time.Time{{}, day.Add(time.Hour), {}, day}, []time.Time{day, day.Add(time.Hour), day.Add(time.Hour), day.Add(time.Hour)}},
		{time.Time{}, []time.Time{{}, day}, []time.Time{day, day}},
		{day.Add(time.Hour), []time.Time{day}, []time.Time{day}},
		{time.Time{}, []time.Time{{}, {}}, []time.Time{changed, changed}},
	} {
		made := talk{began: want.began}
		for _, at := range want.said {
			made.messages = append(made.messages, memory.Message{CreatedAt: at})
		}
		if !made.dated(changed) {
			t.Errorf("%v has no date", want.said)
		}
		for i, m := range made.messages {
			if !m.CreatedAt.Equal(want.get[i]) {
				t.Errorf("%v from %v: message %d is of %s, want %s", want.said, want.began, i, m.CreatedAt, want.get[i])
			}
		}
	}
	undated := talk{messages: []memory.Message{{}}}
	if undated.dated(time.Time{}) {
		t.Error("a date came from nowhere")
	}
}
