package api_test

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// probe describes one call that the matrix makes of an operation, and the expected status for an allowed caller.
type probe struct {
	path   string // instead of the document's, with the parameters filled in; %d is a number that no other call has
	body   func(n int64) any
	header map[string]string
	status int // when it is allowed
	// prepare makes what the call needs, as the admin of the workspace.
	prepare func(h *harness, n int64)
	// whole marks an operation on the workspace: keys limited to agents or to an owner are refused.
	whole bool
	// owner marks an operation that needs an owner, which only an admin may omit.
	owner bool
	// words marks an operation that returns contents; for dreams of the shared memory only an admin may call it.
	words bool
	// named marks an operation whose body names the agent, ada.
	named bool
	// shared marks an operation on shared data made by prepare, which a key pinned to an owner may not touch.
	shared bool
	// unpinned marks an operation on the whole agent, which a key pinned to an owner may not read.
	unpinned bool
}

func object(fields map[string]any) func(int64) any { return func(int64) any { return fields } }

// probes have an entry for every operation that needs a key: a new operation without one fails the test.
func probes(quarantined, dreamt, rehearsed uuid.UUID) map[string]probe {
	const ada = "/api/v1/agents/ada"
	report, entry := dreamReports+"/"+dreamt.String(), "/entries/"+string(promoted().ID)
	write := func(h *harness, path string) {
		h.t.Helper()
		for _, owner := range []string{"", "?owner=api:42"} {
			h.want(h.put(path+owner, "text\n", nil), 201)
		}
	}
	makeFile := func(h *harness, n int64) { write(h, fmt.Sprintf("f%d.md", n)) }
	// The same source in the same way is the same import.
	const imports, moving, filled = ada + "/imports", ada + "/imports/3d438e76-1590-5c0d-8a18-01ea98a75409",
		ada + "/imports/6625f935-db8c-5d6b-85a1-1f23d53a644a"
	source := map[string]any{"owner": "api:42", "source": "matrix", "format": "mem0"}
	makeImport := func(h *harness, _ int64) {
		h.t.Helper()
		for _, format := range []string{"mem0", "zep"} {
			h.want(
				h.do(
					request{
						method: "POST",
						path:   imports,
						key:    h.admin,
						body:   map[string]any{"owner": "api:42", "source": "matrix", "format": format},
					},
				),
				200,
			)
		}
	}
	item := map[string]any{"key": "k", "document": map[string]any{"path": "a.md", "scope": "PERSONAL", "content": "x"}}
	return map[string]probe{
		"mcp": {path: "/mcp?agent=ada", status: 200, named: true, body: object(rpc("tools/list", nil))},
		"create-chat-completion": {
			path: completionsPath, status: 200, named: true, body: object(completionOf("ada", "api:42", "Where do I live?")),
		},
		"list-models":   {path: "/v1/models", status: 200},
		"create-import": {path: imports, status: 200, body: object(source)},
		"list-imports":  {path: imports, status: 200},
		"get-import":    {path: moving, status: 200, prepare: makeImport},
		"add-import-items": {
			path:    filled + "/items",
			status:  200,
			prepare: makeImport,
			body:    object(map[string]any{"items": []any{item}}),
		},
		"list-import-items": {path: moving + "/items", status: 200, prepare: makeImport},
		"start-import":      {path: moving + "/start", status: 202, prepare: makeImport},
		"cancel-import":     {path: moving + "/cancel", status: 202, prepare: makeImport},
		"status":            {path: "/api/v1/status", status: 200},
		"list-agents":       {path: "/api/v1/agents", status: 200},
		"create-agent": {
			path: "/api/v1/agents", status: 201, whole: true,
			body: func(n int64) any { return map[string]any{"id": fmt.Sprint("new", n)} },
		},
		"get-agent":          {path: ada, status: 200},
		"update-agent":       {path: ada, status: 200, body: object(map[string]any{"name": "Ada"}), shared: true},
		"agent-budget":       {path: ada + "/budget", status: 200, unpinned: true},
		"list-conversations": {path: ada + "/conversations", status: 200},
		"add-messages": {
			path: ada + "/conversations/matrix/messages", status: 202,
			body: func(n int64) any {
				return map[string]any{
					"owner":    "api:42",
					"messages": []map[string]any{{"id": fmt.Sprint(n), "role": "user", "content": "x"}},
				}
			},
		},
		"list-messages":        {path: ada + "/conversations/c1/messages", status: 200, owner: true},
		"list-compactions":     {path: ada + "/conversations/c1/compactions", status: 200, owner: true},
		"list-flushes":         {path: ada + "/conversations/c1/flushes", status: 200},
		"compact-conversation": {path: ada + "/conversations/c1/compact", status: 200},
		"assemble-context": {
			path:   ada + "/context",
			status: 200,
			body:   object(map[string]any{"owner": "api:42", "message": "Where do I live?"}),
		},
		"chat": {
			path:   chatPath,
			status: 200,
			named:  true,
			body:   object(map[string]any{"agentId": "ada", "owner": "api:42", "message": "Where do I live?"}),
		},
		"chat-stream": {
			path:   chatPath + "/stream",
			status: 200,
			named:  true,
			body:   object(map[string]any{"agentId": "ada", "owner": "api:42", "message": "Where do I live?"}),
		},
		"remember": {
			path:   ada + "/remember",
			status: 200,
			body:   object(map[string]any{"owner": "api:42", "text": "I live in Bern."}),
		},
		"list-artifacts": {path: ada + "/artifacts", status: 200},
		"list-tools":     {path: ada + "/tools", status: 200},
		"call-tool":      {path: ada + "/tools/list_workspace_memory_files", status: 200},
		"write-memory": {path: ada + "/writes", status: 202, body: func(n int64) any {
			return map[string]any{
				"requestId": fmt.Sprint("r", n),
				"owner":     "api:42",
				"target":    "memory/case.md",
				"strategy":  "append",
				"content":   "x",
			}
		}},
		"list-writes": {path: ada + "/writes", status: 200},
		"get-write":   {path: ada + "/writes/none", status: 404},
		"forget": {
			path:   ada + "/forget",
			status: 404,
			body:   object(map[string]any{"owner": "api:42", "path": "nothing.md", "startLine": 1}),
		},
		"create-deletion": {
			path: ada + "/deletions", status: 200, body: object(map[string]any{"target": "owner", "owner": "api:42", "dryRun": true}),
		},
		"create-webhook": {
			path: ada + "/webhooks", status: 201, body: object(map[string]any{"url": "https://example.com/", "owner": "api:42"}),
		},
		"list-webhooks":         {path: ada + "/webhooks", status: 200, owner: true},
		"get-webhook":           {path: ada + "/webhooks/" + uuid.NewString(), status: 404, owner: true},
		"change-webhook":        {path: ada + "/webhooks/" + uuid.NewString(), status: 404, owner: true, body: object(map[string]any{"state": "paused"})},
		"delete-webhook":        {path: ada + "/webhooks/" + uuid.NewString(), status: 404, owner: true},
		"rotate-webhook-secret": {path: ada + "/webhooks/" + uuid.NewString() + "/rotate", status: 404, owner: true, body: object(map[string]any{})},
		"ping-webhook":          {path: ada + "/webhooks/" + uuid.NewString() + "/ping", status: 404, owner: true},
		"list-webhook-failures": {path: ada + "/webhooks/" + uuid.NewString() + "/failures", status: 404, owner: true},
		"redeliver-webhook":     {path: ada + "/webhooks/" + uuid.NewString() + "/redeliver", status: 404, owner: true, body: object(map[string]any{})},
		"create-revocation": {
			path: ada + "/revocations", status: 404,
			body: object(map[string]any{"kind": "conversation", "source": "none", "owner": "api:42"}),
		},
		"list-revocations": {path: ada + "/revocations", status: 200, owner: true},
		"get-revocation":   {path: ada + "/revocations/" + uuid.NewString(), status: 404, owner: true},
		"list-approvals":   {path: ada + "/approvals", status: 200},
		"get-approval":     {path: ada + "/approvals/" + uuid.NewString(), status: 404},
		"decide-approval": {
			path: ada + "/approvals/" + uuid.NewString() + "/decisions", status: 404, body: object(map[string]any{"others": "approve"}),
		},
		"list-deletions":         {path: ada + "/deletions", status: 200, owner: true},
		"get-deletion":           {path: ada + "/deletions/" + uuid.NewString(), status: 404, owner: true},
		"cancel-deletion":        {path: ada + "/deletions/" + uuid.NewString(), status: 404, owner: true},
		"forget-fact":            {path: ada + "/facts/" + uuid.NewString() + "/forget", status: 404},
		"summarize-conversation": {path: "/api/v1/memory/ada/summarize/c1", status: 503},
		"list-extractions":       {path: ada + "/extractions", status: 200},
		"get-extraction":         {path: ada + "/extractions/" + quarantined.String(), status: 200},
		"retry-extraction":       {path: ada + "/extractions/" + quarantined.String() + "/retry", status: 503},
		"list-files":             {path: ada + "/workspace/files", status: 200},
		"read-file":              {path: ada + "/workspace/files/AGENTS.md", status: 200},
		"write-file":             {path: ada + "/workspace/files/w%d.md", status: 201, body: object(map[string]any{"content": "x"})},
		"delete-file":            {path: ada + "/workspace/files/f%d.md", status: 200, prepare: makeFile},
		"undelete-file": {path: ada + "/workspace/undelete/f%d.md", status: 200, prepare: func(h *harness, n int64) {
			makeFile(h, n)
			for _, owner := range []string{"", "?owner=api:42"} {
				h.want(h.do(request{method: "DELETE", path: fmt.Sprintf("%sfiles/f%d.md%s", workspaceFiles, n, owner), key: h.admin}), 200)
			}
		}},
		"restore-file": {
			path:    ada + "/workspace/restore/f%d.md",
			status:  200,
			prepare: makeFile,
			body:    object(map[string]any{"version": 1}),
		},
		"set-prompt-file": {
			path:    ada + "/workspace/files/f%d.md",
			status:  200,
			prepare: makeFile,
			body:    object(map[string]any{"enabled": true}),
		},
		"export-snapshot":       {path: ada + "/workspace/memory/export", status: 200},
		"preview-snapshot":      {path: ada + "/workspace/memory/import/preview", status: 200, body: anArchive, header: asZip},
		"import-snapshot":       {path: ada + "/workspace/memory/import?wait=0s", status: 202, body: anArchive, header: asZip},
		"list-snapshot-imports": {path: ada + "/workspace/memory/imports", status: 200},
		"get-snapshot-import":   {path: ada + "/workspace/memory/imports/" + uuid.NewString(), status: 404},
		"events":                {path: ada + "/events", status: 200},
		"events-jsonl":          {path: ada + "/events.jsonl", status: 200},
		"events-stream":         {path: ada + "/events/stream", header: map[string]string{"Last-Event-ID": "nonsense"}, status: 422},
		"file-history":          {path: ada + "/workspace/history/AGENTS.md", status: 200},
		"file-diff":             {path: ada + "/workspace/diff/AGENTS.md", status: 200},
		"file-blame":            {path: ada + "/workspace/blame/AGENTS.md", status: 200},
		"list-prompt-files":     {path: ada + "/workspace/prompt-files", status: 200},
		"set-prompt-files":      {path: ada + "/workspace/prompt-files", status: 200, body: object(map[string]any{"files": []string{}})},
		"system-prompt":         {path: ada + "/system-prompt", status: 200},
		"search-memory":         {path: ada + "/memory/search", status: 200, body: object(map[string]any{"query": "Bern"})},
		"search-keywords":       {path: ada + "/memory/keyword", status: 200, body: object(map[string]any{"query": "Bern"})},
		"get-memory":            {path: ada + "/memory/get?path=MEMORY.md", status: 200},
		"memory-status":         {path: ada + "/memory/status", status: 200},
		"examine-agent":         {path: ada + "/doctor", status: 200},
		"fix-agent":             {path: ada + "/doctor/fix", status: 200},
		"build-index":           {path: ada + "/memory/index", status: 503, body: object(map[string]any{"force": true})},
		"index-progress":        {path: ada + "/memory/index", status: 200},
		"decide-space":          {path: ada + "/memory/spaces/1", status: 404, body: object(map[string]any{"decision": "switch"})},
		"dream":                 {path: emergence, status: 503},
		"dream-focused":         {path: dreaming + "/focused", status: 503, body: object(map[string]any{"topic": "Bern"})},
		"dreaming-status":       {path: dreaming + "/status", status: 200},
		"list-candidates":       {path: dreaming + "/candidates", status: 200},
		"explain-candidate":     {path: dreaming + "/candidates/" + strings.Repeat("0", 32) + "/explain", status: 404},
		"explain-candidates":    {path: dreaming + "/explain?text=Bern", status: 200, words: true},
		"dream-diary":           {path: dreaming + "/dreams", status: 200},
		"dream-events":          {path: dreamEvents, header: map[string]string{"Last-Event-ID": "nonsense"}, status: 422},
		"list-dreams":           {path: dreamReports, status: 200},
		"get-dream":             {path: report, status: 200},
		"list-dream-candidates": {path: report + "/candidates", status: 200},
		"compare-dreams":        {path: report + "/difference?from=" + dreamt.String(), status: 200},
		"replay-dream":          {path: report + "/replay", status: 503},
		"confirm-entry":         {path: report + entry + "/confirm", status: 200},
		"edit-entry":            {path: report + entry + "/edit", status: 200, body: object(map[string]any{"content": statement})},
		"forget-entry":          {path: report + entry + "/forget", status: 200},
		"dream-again":           {path: report + "/again", status: 503},
		"list-held":             {path: ada + "/held?endUserId=42", status: 200},
		"accept-held":           {path: ada + "/held/0123456789abcdef0123456789abcdef/accept?endUserId=42", status: 404},
		"refuse-held":           {path: ada + "/held/0123456789abcdef0123456789abcdef/refuse?endUserId=42", status: 404},
		"list-facts":            {path: ada + "/facts", status: 200},
		"get-fact":              {path: ada + "/facts/" + uuid.NewString(), status: 404},
		"give-fact-feedback": {
			path: ada + "/facts/" + uuid.NewString() + "/feedback", status: 404, body: object(map[string]any{"kind": "HELPFUL"}),
		},
		"undo-fact-feedback":  {path: ada + "/facts/" + uuid.NewString() + "/feedback/" + uuid.NewString(), status: 404},
		"restore-fact":        {path: ada + "/facts/" + uuid.NewString() + "/restore", status: 404},
		"list-contradictions": {path: ada + "/facts/contradictions", status: 200},
		"resolve-contradiction": {
			path: ada + "/facts/contradictions/" + uuid.NewString() + "/resolve", status: 404, body: object(map[string]any{"resolution": "KEEP_A"}),
		},
		"rebuild-facts": {path: ada + "/facts/rebuild", status: 202},
		"morning-card":  {path: ada + "/dreams/morning-card?endUserId=42", status: 200},
		"see-morning-card": {
			path: ada + "/dreams/morning-card/seen?endUserId=42", status: 404, body: object(map[string]any{"reportId": uuid.NewString()}),
		},
		"list-injections":        {path: ada + "/injections?endUserId=42", status: 200},
		"get-injection":          {path: ada + "/injections/" + uuid.NewString() + "?endUserId=42", status: 404},
		"find-owner":             {path: ada + "/owner?endUserId=42", status: 200},
		"revert-dream":           {path: dreamReports + "/" + rehearsed.String() + "/revert", status: 409},
		"consolidate-structured": {path: ada + "/structured-consolidation", status: 200},
		"create-key": {
			path:   "/api/v1/keys",
			status: 201,
			whole:  true,
			body:   object(map[string]any{"name": "n", "role": "viewer"}),
		},
		"list-keys": {path: "/api/v1/keys", status: 200, whole: true},
		"rotate-key": {
			path: "/api/v1/keys/" + uuid.NewString() + "/rotate", status: 404, whole: true, body: object(map[string]any{}),
		},
		"list-audit":  {path: "/api/v1/audit", status: 200},
		"list-queues": {path: "/api/v1/queues", status: 200, whole: true},
		"revoke-key":  {path: "/api/v1/keys/" + uuid.NewString(), status: 404, whole: true},
	}
}
