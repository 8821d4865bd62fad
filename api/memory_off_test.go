package api_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"reverie/api"
	"reverie/memory/setting"
	"reverie/recall"
	"reverie/store"
	"reverie/store/dreams"
)

// Kinds of operations by their use of memory.
type concern int

const (
	// unconcerned operations answer what they always do.
	unconcerned concern = iota + 1
	// reading operations give agents and their models what is remembered. With memory off it shows nothing of it.
	reading
	// accepting operations accept input for a workflow: the gate decides whether it may write and records the decision.
	accepting
	// writing operations write at once for a machine. They are refused while memory is off, and for a member of a team.
	writing
	// ownHand operations let people see and change what is stored. They work while memory is off.
	ownHand
	// ownWrite operations are ownHand operations that write the agent's memory: a member of a team is refused.
	ownWrite
)

// concerns has an entry for every operation that needs a key: a new one without it fails the test.
var concerns = map[string]concern{
	"search-memory": reading, "search-keywords": reading, "get-memory": reading, "system-prompt": reading, "assemble-context": reading,
	"chat": reading, "chat-stream": reading, "call-tool": reading, "mcp": reading,
	"create-chat-completion": reading,

	"remember": writing, "dream-again": writing, "preview-snapshot": writing, // a preview tells what the import would do

	"write-memory": accepting, "import-snapshot": accepting, "create-import": accepting, "add-import-items": accepting,
	"start-import":  accepting,
	"cancel-import": accepting, "dream": accepting, "dream-focused": accepting, "replay-dream": accepting, "retry-extraction": accepting,

	"list-files": ownHand, "read-file": ownHand, "file-history": ownHand, "file-diff": ownHand, "file-blame": ownHand,
	"export-snapshot":   ownHand,
	"list-prompt-files": ownHand, "forget": ownHand, "forget-fact": ownHand,
	"list-approvals": ownHand, "get-approval": ownHand, "decide-approval": ownHand, // of what there is not
	"create-deletion": ownHand, "list-deletions": ownHand, "get-deletion": ownHand, "cancel-deletion": ownHand, // of what there is not
	"create-webhook": ownHand, "list-webhooks": ownHand, "get-webhook": ownHand, "change-webhook": ownHand, "delete-webhook": ownHand,
	"rotate-webhook-secret": ownHand, "ping-webhook": ownHand, "list-webhook-failures": ownHand, "redeliver-webhook": ownHand,
	"create-revocation": ownHand, "list-revocations": ownHand, "get-revocation": ownHand,
	"write-file": ownWrite, "delete-file": ownWrite, "undelete-file": ownWrite, "restore-file": ownWrite, "set-prompt-file": ownWrite,
	"set-prompt-files": ownWrite,
	"confirm-entry":    ownWrite, "edit-entry": ownWrite, "forget-entry": ownWrite,
	"revert-dream":    ownHand, // of one that wrote nothing
	"dreaming-status": ownHand, "list-candidates": ownHand, "explain-candidate": ownHand, "explain-candidates": ownHand,
	"morning-card": ownHand, "see-morning-card": ownHand,
	"dream-diary": ownHand, "list-injections": ownHand, "get-injection": ownHand,
	"list-facts": ownHand, "get-fact": ownHand, "rebuild-facts": ownHand, "consolidate-structured": ownHand,
	"give-fact-feedback": ownHand, "undo-fact-feedback": ownHand, "restore-fact": ownHand, "list-contradictions": ownHand, "resolve-contradiction": ownHand, // of what there is not
	"list-held": ownHand, "accept-held": ownHand, "refuse-held": ownHand, // of what there is not
	"list-dreams": ownHand, "get-dream": ownHand, "list-dream-candidates": ownHand, "compare-dreams": ownHand, "dream-events": ownHand,
	"list-writes": ownHand, "get-write": ownHand, "list-imports": ownHand, "get-import": ownHand, "list-import-items": ownHand,
	"list-snapshot-imports": ownHand, "get-snapshot-import": ownHand, "list-extractions": ownHand, "get-extraction": ownHand,
	"events": ownHand, "events-jsonl": ownHand, "events-stream": ownHand, "list-artifacts": ownHand,
	"examine-agent": ownHand, "fix-agent": ownHand, "memory-status": ownHand, "build-index": ownHand, "index-progress": ownHand,
	"decide-space": ownHand, "find-owner": ownHand,

	// Conversations are kept whether they are remembered or not, and their summaries are not memory.
	"list-conversations": unconcerned, "add-messages": unconcerned, "list-messages": unconcerned, "list-compactions": unconcerned,
	"list-flushes":         unconcerned,
	"compact-conversation": unconcerned, "summarize-conversation": unconcerned,
	"list-models": unconcerned, "status": unconcerned, "list-agents": unconcerned, "create-agent": unconcerned, "get-agent": unconcerned, "agent-budget": unconcerned, "update-agent": unconcerned,
	"list-tools": unconcerned, "create-key": unconcerned, "list-keys": unconcerned, "revoke-key": unconcerned,
	"rotate-key": unconcerned, "list-audit": unconcerned, "list-queues": unconcerned,
}

// keptInMemory occurs in the memory of the person 42 and nowhere else.
const keptInMemory = "Bern-Wankdorf" // a search marks the word that it looks for

// asksOf returns the requests of readers for remembered text, which replace the matrix' probes.
func asksOf(id string) []request {
	const ada = "/api/v1/agents/ada"
	body := func(path string, fields map[string]any) request {
		return request{method: "POST", path: path, body: fields}
	}
	tool := func(name string, arguments map[string]any) request {
		return body(ada+"/tools/"+name+"?owner=api:42", arguments)
	}
	question := map[string]any{"owner": "api:42", "query": "Wankdorf"}
	ask := func(method string, params map[string]any) request {
		return body("/mcp?agent=ada&owner=api:42", rpc(method, params))
	}
	turn := map[string]any{"agentId": "ada", "owner": "api:42", "message": "Where do I live, Wankdorf?"}
	return map[string][]request{
		"search-memory":    {body(ada+"/memory/search", question)},
		"search-keywords":  {body(ada+"/memory/keyword?owner=api:42", map[string]any{"query": "Wankdorf"})},
		"get-memory":       {{method: "GET", path: ada + "/memory/get?path=MEMORY.md&owner=api:42"}},
		"system-prompt":    {{method: "GET", path: ada + "/system-prompt?owner=api:42"}},
		"assemble-context": {body(ada+"/context", map[string]any{"owner": "api:42", "message": turn["message"]})},
		"chat":             {body(chatPath, turn)},
		"chat-stream":      {body(chatPath+"/stream", turn)},
		"create-chat-completion": {
			body(completionsPath, completionOf("ada", "api:42", turn["message"].(string))),
		},
		"mcp": {
			ask("tools/call", map[string]any{"name": "memory_search", "arguments": map[string]any{"query": "Wankdorf"}}),
			ask("tools/call", map[string]any{"name": "memory_query", "arguments": map[string]any{"op": "list"}}),
			ask("resources/read", map[string]any{"uri": "memory:///MEMORY.md"}),
		},
		"call-tool": {
			tool("memory_search", map[string]any{"query": "Wankdorf"}), tool("memory_get", map[string]any{"path": "MEMORY.md"}),
			tool("search_workspace_memory", map[string]any{"query": "Wankdorf"}),
			tool("read_workspace_memory_file", map[string]any{"filename": "MEMORY.md"}),
		},
	}[id]
}

// quiet holds the reasons why an agent's memory is not written.
type quiet struct {
	server bool // memory is off by default
	agent  bool // it is off by the agent's settings
	member bool // of a team
}

// be makes the agent ada what is tried, or for a moment an agent like others.
func (h *harness) be(q quiet, usual bool) {
	h.t.Helper()
	settings := map[string]any{"leader": nil, "memoryEnabled": nil}
	switch {
	case usual:
		settings["memoryEnabled"] = true
	case q.member:
		settings["leader"] = "lead"
	case q.agent:
		settings["memoryEnabled"] = false
	}
	h.want(h.do(request{method: "PATCH", path: "/api/v1/agents/ada", key: h.admin, body: map[string]any{"settings": settings}}), 200)
}

// startFor starts a server whose agents have memory or not unless they say so.
func startFor(t *testing.T, off bool) *harness {
	t.Helper()
	if !off {
		return start(t)
	}
	return startWith(t, store.Options{MemoryOff: true}, func(o *api.Options) {
		found := recall.DefaultSettings()
		found.Enabled = false
		o.Search = &recall.Searcher{Store: o.Store, Defaults: found, Recorder: recall.NewRecorder(o.Store, o.Log), Log: o.Log}
		o.Chat.Settings, o.Chat.Extract = setting.DefaultWindowSettings(), setting.DefaultExtractSettings()
		o.Chat.Settings.MemoryEnabled, o.Chat.Extract.MemoryEnabled = false, false
		o.Dreams, o.DreamSchedule = setting.DefaultDreamSettings(), setting.DefaultDreamSchedule()
		o.Dreams.MemoryEnabled, o.DreamSchedule.MemoryEnabled = false, false
	})
}

// Every way to an agent's memory is closed while memory is off and writes nothing for a member of a team; operations that people
// call themselves still work.
func TestEveryWayToMemory(t *testing.T) {
	ops := operations(t)
	for id, op := range ops {
		if (op.role != "") != (concerns[id] != 0) {
			t.Errorf("%s: role %q, and its concern with memory is %d: every operation has one", id, op.role, concerns[id])
		}
	}
	for name, q := range map[string]quiet{
		"off by default": {server: true}, "off by the agent": {agent: true}, "a member of a team": {member: true}, "usual": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := startFor(t, q.server)
			h.agent("ada")
			h.agent("lead")
			h.be(q, true)
			h.want(h.put("MEMORY.md?owner=api:42", "- I live in "+keptInMemory+"\n", nil), 201)
			h.want(h.post("c1", batch("42", true, "I live in Bern.", "Noted.")), 202)
			dreamt, rehearsed := h.dreamt(
				"api:42",
				dreams.NewDream{},
			), h.dreamt(
				"api:42",
				dreams.NewDream{Mode: "nightly", Trigger: "request", DryRun: true},
			)
			table := probes(h.quarantined("c1"), dreamt.ID, rehearsed.ID)
			for i, id := range slices.SortedFunc(maps.Keys(concerns), func(a, b string) int { // those that change memory come later
				return cmp.Or(cmp.Compare(concerns[a], concerns[b]), cmp.Compare(a, b))
			}) {
				if p, found := table[id]; found {
					h.tryWay(q, ops[id], p, concerns[id], i)
				}
			}
		})
	}
}

// tryWay tries one operation.
func (h *harness) tryWay(q quiet, op operation, p probe, is concern, n int) {
	h.t.Helper()
	h.be(q, true)
	if p.prepare != nil {
		p.prepare(h, int64(n))
	}
	h.be(q, false)
	defer h.be(q, true)
	if is == reading {
		off := q.server || q.agent
		for _, r := range asksOf(op.id) {
			r.key = h.admin
			got := h.do(r)
			if shown := strings.Contains(string(got.body), "Bern-"); got.status != http.StatusOK || shown == off {
				h.t.Errorf("%s %s: %d, shows what is remembered: %v\n%s", op.id, r.path, got.status, shown, got.body)
			}
		}
		return
	}
	r := request{method: op.method, path: strings.ReplaceAll(p.path, "%d", fmt.Sprint(n)), key: h.admin, header: p.header}
	if p.body != nil {
		r.body = p.body(int64(n))
	}
	status, name := p.status, ""
	switch {
	case q.member && (is == writing || is == ownWrite):
		status, name = http.StatusForbidden, "team_member"
	case (q.server || q.agent) && is == writing:
		status, name = http.StatusConflict, "memory_off"
	}
	if got := h.do(r); got.status != status || name != "" && got.Error != name {
		h.t.Errorf("%s: %d %q, want %d %q: %s", op.id, got.status, got.Error, status, name, got.body)
	}
}
