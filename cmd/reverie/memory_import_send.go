package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"reverie/imports"
	"reverie/memory"
)

// importState is an import as the server has it.
type importState struct {
	ID         string         `json:"id"`
	State      string         `json:"state"` // staging, running, done or cancelled
	Items      int            `json:"items"`
	Settled    int            `json:"settled"`
	Waiting    int            `json:"waiting"`
	Outcomes   map[string]int `json:"outcomes"`
	WorkflowID string         `json:"workflowId"`
	Link       string         `json:"link"`
}

const (
	// importPoll is how often is asked how far the import is.
	importPoll = time.Second
	// importPatience is after how long somebody who sees no progress bar is told, and told again.
	importPatience = 30 * time.Second
	// importBatchBytes bounds the words of one request, as maxBatchBytes; a single item may have as many.
	importBatchBytes = maxBatchBytes
	// importBatchItems bounds its items.
	importBatchItems = 200
)

// importRequest begins an import, or finds it.
type importRequest struct {
	Owner      string         `json:"owner,omitempty"`
	Channel    string         `json:"channel,omitempty"`
	Sender     string         `json:"sender,omitempty"`
	EndUserID  string         `json:"endUserId,omitempty"`
	Source     string         `json:"source"`
	Format     imports.Format `json:"format"`
	Label      string         `json:"label,omitempty"`
	OnConflict string         `json:"onConflict"`
	Extract    bool           `json:"extract"`
}

// importItem is an item in the shape of the API's request.
type importItem struct {
	Key          string              `json:"key"`
	Document     *importDocument     `json:"document,omitempty"`
	Conversation *importConversation `json:"conversation,omitempty"`
}

type importDocument struct {
	Path    string       `json:"path"`
	Source  string       `json:"source,omitempty"`
	Scope   memory.Scope `json:"scope"`
	Owner   memory.Owner `json:"owner,omitempty"`
	Content string       `json:"content"`
	At      *time.Time   `json:"at,omitempty"`
}

type importConversation struct {
	ID       string        `json:"id"`
	Owner    memory.Owner  `json:"owner,omitempty"`
	Title    string        `json:"title,omitempty"`
	Messages []fileMessage `json:"messages"`
}

// importBatch is the body of an upload.
type importBatch struct {
	Items []importItem `json:"items"`
}

// stagedItems is the answer to an upload.
type stagedItems struct {
	Staged int `json:"staged"`
	Known  int `json:"known"`
	Failed int `json:"failed"`
}

// uploading is the part of moving in that talks to the server.
type uploading struct {
	*movingIn
	client *apiClient
	path   string // of the import
	state  importState
	answer apiAnswer
	before bool // it was moved in before this run
}

// begin begins the import, or finds it.
func (u *uploading) begin() error {
	base, err := u.agentPath("imports")
	if err != nil {
		return err
	}
	label := strings.ToValidUTF8(filepath.Base(u.name), "\uFFFD")
	body := importRequest{
		Owner: u.owner, Channel: u.channel, Sender: u.sender, EndUserID: u.person, Source: u.plan.source(), Format: u.plan.Format,
		Label: oneLine(label, memory.MaxImportLabel/4), OnConflict: u.onConflict, Extract: !u.noExtract,
	}
	u.state, u.answer, err = dataOf[importState](u.client.call(u.cmd.Context(), apiRequest{method: http.MethodPost, path: base, body: body}))
	u.path = base + pathOf(u.state.ID)
	u.before = u.state.State == "done" && u.known() >= u.plan.items
	return err
}

// known is how many items the server has already, from the first on. Items that failed, and those that were left out when the
// import was cancelled, are uploaded again.
func (u *uploading) known() int {
	if u.state.State == "cancelled" || u.state.Outcomes["failed"] > 0 {
		return 0
	}
	return u.state.Items
}

// upload sends the items that the server does not have yet, batch by batch, in the order of the source.
func (u *uploading) upload() error {
	known := u.known()
	if known >= u.plan.items {
		return nil
	}
	bar := importBar(u.cmd.ErrOrStderr(), "uploading", u.plan.items)
	defer bar.finish()
	bar.add(known)
	var batch importBatch
	place, size := 0, 0
	send := func() error {
		if len(batch.Items) == 0 {
			return nil
		}
		asked := apiRequest{method: http.MethodPost, path: u.path + "/items", body: batch}
		if _, _, err := dataOf[stagedItems](u.client.call(u.cmd.Context(), asked)); err != nil {
			return fmt.Errorf("stopped after %d of %s: %w", place-len(batch.Items), count(u.plan.items, "item"), err)
		}
		bar.add(len(batch.Items))
		batch.Items, size = nil, 0
		return nil
	}
	for item, err := range u.source.Items(nil) {
		if err != nil {
			return err
		}
		if place < known {
			place++
			continue
		}
		weight := weightOf(item)
		if len(batch.Items) == importBatchItems || size+weight > importBatchBytes {
			if err := send(); err != nil {
				return err
			}
		}
		batch.Items, size = append(batch.Items, requestOf(item)), size+weight
		place++
	}
	return send()
}

// weightOf is how many bytes of words an item has.
func weightOf(item imports.Item) int {
	if item.Document != nil {
		return len(item.Document.Content)
	}
	weight := 0
	for _, m := range item.Conversation.Messages {
		weight += len(m.Content)
	}
	return weight
}

// requestOf is an item as it is sent.
func requestOf(item imports.Item) importItem {
	out := importItem{Key: item.Key}
	if d := item.Document; d != nil {
		out.Document = &importDocument{Path: d.Path, Source: d.Source, Scope: d.Scope, Owner: d.Owner, Content: d.Content}
		if !d.At.IsZero() {
			out.Document.At = &d.At
		}
		return out
	}
	c := item.Conversation
	out.Conversation = &importConversation{ID: c.ID, Owner: c.Owner, Title: c.Title}
	for _, m := range c.Messages {
		out.Conversation.Messages = append(out.Conversation.Messages, fileMessage{
			ID: m.ID, Role: m.Role, Name: m.Name, Content: m.Content, CreatedAt: &m.CreatedAt,
		})
	}
	return out
}

// start has what was uploaded moved in.
func (u *uploading) start() (err error) {
	u.state, u.answer, err = dataOf[importState](u.client.call(u.cmd.Context(), apiRequest{method: http.MethodPost, path: u.path + "/start"}))
	return err
}

// watch waits until all is settled.
func (u *uploading) watch() error {
	bar := importBar(u.cmd.ErrOrStderr(), "moving in", u.state.Items)
	defer bar.finish()
	last, told := 0, time.Duration(0)
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, importPoll) {
		var err error
		u.state, u.answer, err = dataOf[importState](u.client.call(u.cmd.Context(), apiRequest{method: http.MethodGet, path: u.path}))
		if err != nil {
			return err
		}
		bar.add(max(u.state.Settled-last, 0))
		last = max(last, u.state.Settled)
		if u.state.State == "done" || u.state.State == "cancelled" {
			return nil
		}
		if told += wait; told >= importPatience && bar.shown == nil {
			told = 0
			fmt.Fprintf(u.cmd.ErrOrStderr(), "moving in: %d of %d (Ctrl-C stops watching, and not the work)\n", u.state.Settled, u.state.Items)
		}
		if err := u.client.sleep(u.cmd.Context(), wait); err != nil {
			return err
		}
	}
}

// importBar is a progress bar on a terminal, and nothing elsewhere. A total of -1 is not known.
func importBar(w io.Writer, what string, total int) *bar {
	if !isTerminal(w) {
		return &bar{}
	}
	return &bar{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(fmt.Sprintf("%-9s", what)), progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(30), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(true), progressbar.OptionSetElapsedTime(true),
	)}
}

// importedItem is an item with its outcome.
type importedItem struct {
	Key        string       `json:"key"`
	Kind       string       `json:"kind"` // document or conversation
	Owner      memory.Owner `json:"owner"`
	Target     string       `json:"target"`
	Messages   int          `json:"messages"`
	Outcome    string       `json:"outcome"`
	ReasonCode string       `json:"reasonCode"`
}

// importPage is how many items are asked for at once.
const importPage = "500"

// eachItem goes through the items of the import as the server has them.
func (u *uploading) eachItem(ctx context.Context, do func(importedItem)) error {
	query := url.Values{"limit": {importPage}}
	for {
		page, _, err := dataOf[listed[importedItem]](u.client.call(ctx, apiRequest{method: http.MethodGet, path: u.path + "/items", query: query}))
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			do(item)
		}
		if page.Next == "" {
			return nil
		}
		query.Set("cursor", page.Next)
	}
}

// importReport is what `memory import --json` prints.
type importReport struct {
	Plan     importPlan                `json:"plan"`
	Import   json.RawMessage           `json:"import"`   // as the API says it
	Outcomes map[string]map[string]int `json:"outcomes"` // by kind
	Left     map[string]int            `json:"skipped"`  // by reason code: how many items
	Problems []importedItem            `json:"problems"` // items that failed or were quarantined
}
