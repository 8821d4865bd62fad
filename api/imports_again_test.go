package api_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"reverie/imports"
	"reverie/memory/proposals"
)

// left returns everything that imports leave for an agent, as lines.
func (h *harness) left(agent string) []string {
	h.t.Helper()
	conn, err := pgx.Connect(h.t.Context(), h.database)
	if err != nil {
		h.t.Fatal(err)
	}
	defer conn.Close(h.t.Context())
	rows, err := conn.Query(h.t.Context(), `
select concat_ws(' ', 'version', d.owner_key, d.path, v.version, v.sha256)
from documents d join document_versions v using (workspace_id, agent_id, document_id)
where d.agent_id = $1
union all
select concat_ws(' ', 'message', c.conversation_id, m.seq, m.message_id, m.said_at, m.content)
from messages m join conversations c using (workspace_id, agent_id, conversation_uid)
where m.agent_id = $1
union all
select concat_ws(' ', 'extraction', conversation_id, from_seq, to_seq, outcome)
from extractions
where agent_id = $1 and outcome <> 'skipped' -- too short to be read: it may go on, and is looked at again
order by 1`, agent)
	if err != nil {
		h.t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		h.t.Fatal(err)
	}
	return lines
}

// fixtureItems reads a fixture of package imports, in the shape of the API's request.
func fixtureItems(t *testing.T, name string) (imports.Format, []map[string]any) {
	t.Helper()
	path := filepath.Join("..", "imports", "testdata", name)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	tree := imports.File(name, info.ModTime(), func() (io.ReadCloser, error) { return os.Open(path) })
	if info.IsDir() {
		if tree, err = imports.Folder(os.DirFS(path)); err != nil {
			t.Fatal(err)
		}
	}
	source, err := imports.Open(tree, imports.Options{Zone: time.UTC, Owners: imports.Owners{Default: "user:7"}})
	if err != nil {
		t.Fatal(err)
	}
	var items []map[string]any
	for item, err := range source.Items(nil) {
		if err != nil {
			t.Fatal(err)
		}
		if d := item.Document; d != nil {
			items = append(items, map[string]any{"key": item.Key, "document": map[string]any{
				"path": d.Path, "source": d.Source, "scope": d.Scope, "owner": d.Owner, "content": d.Content,
			}})
			continue
		}
		var said []map[string]any
		for _, m := range item.Conversation.Messages {
			said = append(said, map[string]any{"id": m.ID, "role": m.Role, "name": m.Name, "content": m.Content, "createdAt": m.CreatedAt})
		}
		items = append(items, map[string]any{"key": item.Key, "conversation": map[string]any{
			"id": item.Conversation.ID, "owner": item.Conversation.Owner, "messages": said,
		}})
	}
	return source.Format, items
}

// Every format is imported again: as the same source, and as another one with the same contents, such as a later export. Nothing
// changes, and no engine is asked.
func TestEveryFormatMovesInOnce(t *testing.T) {
	// A line without a value is true of every conversation.
	raw, err := json.Marshal(proposals.Proposal{ShouldUpdate: true, Reason: "news", DailyEntry: "## 10:00 Talk\n\n- It was talked about."})
	if err != nil {
		t.Fatal(err)
	}
	engine := &scripted{raw: string(raw)}
	h := startWithTemporal(t, engine, true)
	formats := map[imports.Format]bool{}
	for _, name := range []string{
		"chatgpt", "claude", "goclaw.jsonl", "locomo.json", "markdown", "mateclaw", "mem0.json", "microclaw", "openclaw", "reverie", "zep.json",
		"zep-legacy.json",
	} {
		t.Run(name, func(t *testing.T) {
			agent := strings.ReplaceAll(name, ".", "-")
			h.agent(agent)
			format, items := fixtureItems(t, name)
			formats[format] = true
			options := map[string]any{"source": "first", "format": format}
			first := h.moveInTo(agent, h.admin, options, items...)
			if first.State != "done" || first.Items != len(items) || first.Outcomes["failed"]+first.Outcomes["quarantined"] > 0 ||
				first.Outcomes["written"] == 0 {
				t.Fatalf("%+v of %d items", first, len(items))
			}
			was, calls := h.left(agent), engine.asked()
			again := h.moveInTo(agent, h.admin, options, items...)
			if diff := cmp.Diff(first, again); diff != "" {
				t.Errorf("the same source is another import (-first +again):\n%s", diff)
			}
			options["source"] = "later"
			later := h.moveInTo(agent, h.admin, options, items...)
			documents := 0
			for _, item := range items {
				if item["document"] != nil {
					documents++
				}
			}
			if later.ID == first.ID || later.State != "done" || later.Outcomes["unchanged"] != documents || later.Settled != len(items) {
				t.Errorf("%+v of %d documents", later, documents)
			}
			if diff := cmp.Diff(was, h.left(agent)); diff != "" || len(was) == 0 {
				t.Errorf("it changed what is stored (-first +again):\n%s", diff)
			}
			if now := engine.asked(); now != calls {
				t.Errorf("the engine was asked %d times again", now-calls)
			}
		})
	}
	for _, format := range imports.Formats() {
		if !formats[format] {
			t.Errorf("no fixture is of the format %s", format)
		}
	}
}

// An export that has grown has longer conversations and a new one. Only new messages are extracted.
func TestAnExportHasGrown(t *testing.T) {
	engine := &scripted{raw: proposal(t, "Lives in Bern.")}
	h := startWithTemporal(t, engine, true)
	h.agent("ada")
	begin := time.Date(2024, 3, 1, 8, 0, 0, 0, time.UTC)
	options := map[string]any{"owner": "user:7", "source": "january", "format": "chatgpt"}
	h.moveIn(h.admin, options, talkOn("a", begin, 4), talkOn("same", begin, 4))
	if calls := engine.asked(); calls != 2 {
		t.Fatalf("the engine was asked %d times", calls)
	}
	options["source"] = "february"
	grown := h.moveIn(h.admin, options, talkOn("a", begin, 10), talkOn("same", begin, 4), talkOn("new", begin, 2))
	if grown.State != "done" || grown.Outcomes["written"]+grown.Outcomes["nothing"] != 3 || engine.asked() != 4 {
		t.Errorf("%+v, the engine was asked %d times", grown, engine.asked())
	}
	var extracted []string
	for _, line := range h.left("ada") {
		if rest, is := strings.CutPrefix(line, "extraction chatgpt:"); is {
			extracted = append(extracted, rest[:strings.LastIndexByte(rest, ' ')])
		}
	}
	if diff := cmp.Diff([]string{"a 1 4", "a 5 10", "new 1 2", "same 1 4"}, extracted); diff != "" {
		t.Error(diff)
	}
}

// moveInTo is moveIn for any agent.
func (h *harness) moveInTo(agent, key string, options map[string]any, items ...map[string]any) imported {
	h.t.Helper()
	path := "/api/v1/agents/" + agent + "/imports"
	made := as[imported](h, h.want(h.do(request{method: "POST", path: path, key: key, body: options}), 200))
	path += "/" + made.ID
	h.want(h.do(request{method: "POST", path: path + "/items", key: key, body: map[string]any{"items": items}}), 200)
	h.want(h.do(request{method: "POST", path: path + "/start", key: key}), 202)
	return h.endedAt(path, key)
}

// asked counts the calls of the engine.
func (s *scripted) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// hold blocks answers until release is called.
func (s *scripted) hold() (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := make(chan struct{})
	s.held = held
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.held = nil
		close(held)
	}
}
