package importing

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"reverie/cli/output"
	"reverie/cli/session"
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
	// importBatchBytes bounds the words of one request, as 4 << 20; a single item may have as many.
	importBatchBytes = 4 << 20
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
	ID       string          `json:"id"`
	Owner    memory.Owner    `json:"owner,omitempty"`
	Title    string          `json:"title,omitempty"`
	Messages []importMessage `json:"messages"`
}

type importMessage struct {
	ID        string     `json:"id"`
	Role      string     `json:"role"`
	Name      string     `json:"name,omitempty"`
	Content   string     `json:"content"`
	CreatedAt *time.Time `json:"createdAt,omitempty"`
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
	client *session.Client
	path   string // of the import
	state  importState
	answer session.Answer
	before bool // it was moved in before this run
}

// begin begins the import, or finds it.
func (u *uploading) begin() error {
	base, err := u.AgentPath("imports")
	if err != nil {
		return err
	}
	label := strings.ToValidUTF8(filepath.Base(u.name), "\uFFFD")
	body := importRequest{
		Owner: u.Owner, Channel: u.Channel, Sender: u.Sender, EndUserID: u.EndUser, Source: u.plan.source(), Format: u.plan.Format,
		Label: output.OneLine(label, memory.MaxImportLabel/4), OnConflict: u.onConflict, Extract: !u.noExtract,
	}
	u.state, u.answer, err = session.DataOf[importState](u.client.Call(u.cmd.Context(), session.Request{Method: http.MethodPost, Path: base, Body: body}))
	u.path = base + session.Path(u.state.ID)
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
	bar := output.NewBar(u.cmd.ErrOrStderr(), "uploading", u.plan.items)
	defer bar.Finish()
	bar.Add(known)
	var batch importBatch
	place, size := 0, 0
	send := func() error {
		if len(batch.Items) == 0 {
			return nil
		}
		asked := session.Request{Method: http.MethodPost, Path: u.path + "/items", Body: batch}
		if _, _, err := session.DataOf[stagedItems](u.client.Call(u.cmd.Context(), asked)); err != nil {
			return fmt.Errorf("stopped after %d of %s: %w", place-len(batch.Items), output.Count(u.plan.items, "item"), err)
		}
		bar.Add(len(batch.Items))
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
		out.Conversation.Messages = append(out.Conversation.Messages, importMessage{
			ID: m.ID, Role: m.Role, Name: m.Name, Content: m.Content, CreatedAt: &m.CreatedAt,
		})
	}
	return out
}

// start has what was uploaded moved in.
func (u *uploading) start() (err error) {
	u.state, u.answer, err = session.DataOf[importState](u.client.Call(u.cmd.Context(), session.Request{Method: http.MethodPost, Path: u.path + "/start"}))
	return err
}

// watch waits until all is settled.
func (u *uploading) watch() error {
	bar := output.NewBar(u.cmd.ErrOrStderr(), "moving in", u.state.Items)
	defer bar.Finish()
	last, told := 0, time.Duration(0)
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, importPoll) {
		var err error
		u.state, u.answer, err = session.DataOf[importState](u.client.Call(u.cmd.Context(), session.Request{Method: http.MethodGet, Path: u.path}))
		if err != nil {
			return err
		}
		bar.Add(max(u.state.Settled-last, 0))
		last = max(last, u.state.Settled)
		if u.state.State == "done" || u.state.State == "cancelled" {
			return nil
		}
		if told += wait; told >= importPatience && !bar.Drawn() {
			told = 0
			fmt.Fprintf(u.cmd.ErrOrStderr(), "moving in: %d of %d (Ctrl-C stops watching, and not the work)\n", u.state.Settled, u.state.Items)
		}
		if err := u.client.Sleep(u.cmd.Context(), wait); err != nil {
			return err
		}
	}
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
		page, _, err := session.DataOf[session.List[importedItem]](u.client.Call(ctx, session.Request{Method: http.MethodGet, Path: u.path + "/items", Query: query}))
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

// importKinds and importOutcomes are the rows and columns of the last table.
var (
	importKinds    = []string{"document", "conversation"}
	importOutcomes = []string{"written", "merged", "unchanged", "nothing", "skipped", "quarantined", "failed", "waiting"}
	// importProblems are the outcomes that somebody has to look at.
	importProblems = []string{"failed", "quarantined"}
)

// shownProblems is how many items with a problem are listed.
const shownProblems = 20

// report prints what became of everything, and returns the error with which the command ends.
func (u *uploading) report() error {
	r := importReport{Plan: u.plan, Import: u.answer.Data, Outcomes: map[string]map[string]int{}, Left: map[string]int{}, Problems: []importedItem{}}
	for _, kind := range importKinds {
		r.Outcomes[kind] = map[string]int{}
	}
	err := u.eachItem(u.cmd.Context(), func(item importedItem) {
		if counts := r.Outcomes[item.Kind]; counts != nil {
			counts[item.Outcome]++
		}
		switch {
		case slices.Contains(importProblems, item.Outcome):
			r.Problems = append(r.Problems, item)
		case item.Outcome == "skipped":
			r.Left[item.ReasonCode]++
		}
	})
	if err != nil {
		return err
	}
	out := u.cmd.OutOrStdout()
	if u.JSON {
		encoded, err := json.Marshal(r)
		if err == nil {
			err = output.JSON(out, encoded)
		}
		return errors.Join(err, u.verdict())
	}
	fmt.Fprintf(out, "%s: %s\n", output.OneLine(u.name, 80), u.plan)
	switch {
	case u.before:
		fmt.Fprintln(out, "moved in before; nothing was done again")
	case u.state.State == "running":
		fmt.Fprintf(out, "under way, %d of %d settled; the same command shows how far it is\n", u.state.Settled, u.state.Items)
	case u.state.State == "cancelled":
		fmt.Fprintln(out, "cancelled; the same command goes on with what was left out")
	}
	if err := r.table(out); err != nil {
		return err
	}
	if err := r.showLeft(out); err != nil {
		return err
	}
	if err := r.showProblems(out); err != nil {
		return err
	}
	u.plan.showSkipped(out)
	return u.verdict()
}

// table shows outcomes by kind, without columns that have nothing.
func (r importReport) table(out io.Writer) error {
	heading := []string{"KIND"}
	var columns []string
	for _, outcome := range importOutcomes {
		for _, kind := range importKinds {
			if r.Outcomes[kind][outcome] > 0 && !slices.Contains(columns, outcome) {
				columns = append(columns, outcome)
				heading = append(heading, strings.ToUpper(outcome))
			}
		}
	}
	rows := [][]string{heading}
	for _, kind := range importKinds {
		row, total := []string{kind + "s"}, 0
		for _, outcome := range columns {
			n := r.Outcomes[kind][outcome]
			total += n
			row = append(row, strconv.Itoa(n))
		}
		if total > 0 {
			rows = append(rows, row)
		}
	}
	fmt.Fprintln(out)
	return output.Table(out, rows)
}

// showLeft shows why things were skipped: an export of years has many short talks, which one by one nobody wants to read.
func (r importReport) showLeft(out io.Writer) error {
	if len(r.Left) == 0 {
		return nil
	}
	rows := [][]string{{"SKIPPED BECAUSE", "ITEMS"}}
	for _, code := range slices.Sorted(maps.Keys(r.Left)) {
		rows = append(rows, []string{cmp.Or(code, "-"), strconv.Itoa(r.Left[code])})
	}
	fmt.Fprintln(out)
	return output.Table(out, rows)
}

func (r importReport) showProblems(out io.Writer) error {
	if len(r.Problems) == 0 {
		return nil
	}
	rows := [][]string{{"OUTCOME", "REASON", "ITEM", "WHOSE"}}
	for i, item := range r.Problems {
		if i == shownProblems {
			rows = append(rows, []string{fmt.Sprintf("… and %d more (--json lists all)", len(r.Problems)-i), "", "", ""})
			break
		}
		owner := output.OneLine(string(item.Owner), 40)
		if owner == "" {
			owner = "everybody"
		}
		rows = append(rows, []string{item.Outcome, cmp.Or(item.ReasonCode, "-"), output.OneLine(item.Target, 60), owner})
	}
	fmt.Fprintln(out)
	return output.Table(out, rows)
}

// verdict is an error when something is left that somebody has to look at.
func (u *uploading) verdict() error {
	bad := 0
	for _, outcome := range importProblems {
		bad += u.state.Outcomes[outcome]
	}
	switch {
	case u.state.State == "cancelled":
		return errors.New("the import was cancelled")
	case bad > 0:
		return fmt.Errorf("%s could not be moved in; the same command tries what failed again", output.Count(bad, "item"))
	}
	return nil
}
