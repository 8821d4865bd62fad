package toolbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"reverie/memory"
	"reverie/recall"
	"reverie/scan"
	"reverie/search"
	excerpts "reverie/search/excerpt"
	"reverie/store"
	"reverie/store/gate"
)

// excerpt is a part of a file or of a conversation.
type excerpt struct {
	Path      string `json:"path"`
	Text      string `json:"text"`
	From      int    `json:"from"`
	Lines     int    `json:"lines"`
	Total     int    `json:"total"`
	Truncated bool   `json:"truncated,omitempty"`
	NextFrom  int    `json:"nextFrom,omitempty"`
	NextSkip  int    `json:"nextSkip,omitempty"`
	Notice    string `json:"notice,omitempty"`
	Citation  string `json:"citation,omitempty"`

	Disagreements []disputed `json:"disagreements,omitempty"` // pairs of the shown statements that cannot both hold

	Scope    memory.Scope `json:"scope,omitempty"`
	Agent    string       `json:"agent,omitempty"` // whose memory it is
	Disabled bool         `json:"disabled,omitempty"`
	Error    string       `json:"error,omitempty"`
}

// get implements memory_get. What does not exist, or the caller may not see, gives an empty text.
func (k *call) get(ctx context.Context) (any, error) {
	path := given(k.args, "path", "")
	e := excerpt{Path: path, From: given(k.args, "from", 1)}
	if !k.enabled(k.Agent) {
		k.result.IsError = true
		e.Disabled, e.Error = true, errOff
		return e, nil
	}
	if conversation, is := strings.CutPrefix(path, recall.SessionsFolder); is && !strings.HasSuffix(path, ".md") {
		return k.messages(ctx, e, conversation)
	}
	path, err := k.filename("path")
	if err != nil {
		return nil, err
	}
	e.Path = path
	d, err := k.document(ctx, path)
	if errors.Is(err, store.ErrNotFound) {
		return e, nil
	}
	if err != nil {
		return nil, err
	}
	e.Scope, e.Agent = d.Scope, d.Agent
	e.fill(excerpts.Of(d.Content, excerpts.Options{From: e.From, Lines: given(k.args, "lines", 0), Skip: given(k.args, "skip", 0)}))
	if e.Lines > 0 {
		k.shown(d, e.From, e.From+e.Lines-1, e.Text)
	}
	e.Disagreements, err = k.disputed(ctx, e.Text)
	return e, err
}

// messages reads messages of one of the owner's conversations, one per line.
func (k *call) messages(ctx context.Context, e excerpt, conversation string) (any, error) {
	if k.Identity.Owner == memory.NoOwner {
		return e, nil
	}
	lines := min(given(k.args, "lines", excerpts.DefaultLines), store.MaxPage)
	said, err := k.Store.Messages(ctx, k.Identity, conversation, int64(e.From-1), lines)
	if err != nil || len(said) == 0 {
		return e, err
	}
	known, err := k.Store.Conversation(ctx, k.Identity, conversation)
	if errors.Is(err, store.ErrNotFound) || err == nil && known.Owner != k.Identity.Owner {
		return e, nil
	}
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for _, m := range said {
		name := strings.Join(strings.Fields(m.Name), " ")
		if name == "" {
			name = m.Role
		}
		fmt.Fprintf(&text, "%s: %s\n", name, strings.Join(strings.Fields(scan.Redacted(m.Content)), " "))
	}
	e.fill(excerpts.Of(text.String(), excerpts.Options{Skip: given(k.args, "skip", 0), Lines: lines}).Behind(e.From - 1))
	e.Total = int(known.Last)
	if last := e.From + e.Lines - 1; !e.Truncated && last < e.Total {
		e.Truncated, e.NextFrom = true, last+1
		e.Notice = excerpts.ReadOn(e.NextFrom, 0)
	}
	k.result.Found = append(k.result.Found, recall.Hit{
		Corpus: search.Sessions, Path: e.Path, FromLine: e.From, ToLine: e.From + e.Lines - 1, Text: e.Text,
		Snippet: clip(e.Text, maxConflictText),
		Source:  recall.SourceRef{Scope: memory.ScopePersonal, Owner: known.Owner, ID: known.UID, Conversation: conversation},
	})
	return e, nil
}

// fill takes over the excerpt.
func (e *excerpt) fill(x excerpts.Excerpt) {
	e.Text, e.From, e.Lines, e.Total = x.Text, x.From, x.Lines, x.Total
	e.Truncated, e.NextFrom, e.NextSkip = x.Truncated, x.NextFrom, x.NextSkip
	if x.Lines > 0 {
		e.Citation = recall.Citation(e.Path, e.From, e.From+e.Lines-1)
	}
	if x.Truncated {
		e.Notice = excerpts.ReadOn(e.NextFrom, e.NextSkip)
	}
}

// file is a file in a list, or read.
type file struct {
	AgentID    string       `json:"agentId,omitempty"`
	Filename   string       `json:"filename"`
	Enabled    bool         `json:"enabled"` // in the system prompt
	FileSize   int          `json:"fileSize"`
	Content    *string      `json:"content,omitempty"`
	UpdateTime string       `json:"updateTime"`
	Scope      memory.Scope `json:"scope"`
	Version    int          `json:"version"`
	Truncated  bool         `json:"truncated,omitempty"`
	Notice     string       `json:"notice,omitempty"`

	Disagreements []disputed `json:"disagreements,omitempty"` // pairs of the shown statements that cannot both hold
}

func fileOf(d memory.Document, size int) file {
	return file{
		AgentID: d.Agent, Filename: d.Path, Enabled: d.Enabled, FileSize: size, UpdateTime: d.UpdatedAt.UTC().Format(time.RFC3339),
		Scope: d.Scope, Version: d.Version,
	}
}

// listing is the result of list_workspace_memory_files.
type listing struct {
	AgentID   string `json:"agentId"`
	Count     int    `json:"count"`
	Files     []file `json:"files"`
	Truncated bool   `json:"truncated,omitempty"`
	Notice    string `json:"notice,omitempty"`
}

// list implements list_workspace_memory_files.
func (k *call) list(ctx context.Context) (any, error) {
	entries, err := k.Store.ReadableDocuments(ctx, k.Identity, gate.DocumentFilter{Prefix: given(k.args, "filenamePrefix", "")})
	if err != nil {
		return nil, err
	}
	out := listing{AgentID: k.Identity.Agent, Count: len(entries), Files: []file{}}
	for _, entry := range entries[:min(len(entries), maxFiles)] {
		out.Files = append(out.Files, fileOf(entry.Document, entry.Bytes))
	}
	if len(entries) > maxFiles {
		out.Truncated = true
		out.Notice = fmt.Sprintf("%d of %d files are shown: give a filenamePrefix, such as memory/2026-01.", maxFiles, len(entries))
	}
	return out, nil
}

// read implements read_workspace_memory_file.
func (k *call) read(ctx context.Context) (any, error) {
	path, err := k.filename("filename")
	if err != nil {
		return nil, err
	}
	d, err := k.document(ctx, path)
	if err != nil {
		return nil, err
	}
	out := fileOf(d, d.Size())
	content, cut := shorten(d.Content, maxShown)
	out.Content = &content
	lines := strings.Count(content, "\n")
	if cut {
		out.Truncated = true
		out.Notice = fmt.Sprintf("The file does not fit into one result: continue with %s from=%d.", MemoryGet, lines+1)
	}
	if content != "" {
		k.shown(d, 1, max(1, lines+trailing(content)), content)
	}
	out.Disagreements, err = k.disputed(ctx, content)
	return out, err
}

// trailing returns 1 if the last line of a text has no line break, otherwise 0.
func trailing(s string) int {
	if strings.HasSuffix(s, "\n") {
		return 0
	}
	return 1
}
