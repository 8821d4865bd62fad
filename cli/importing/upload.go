package importing

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/imports"
	"reverie/memory"
)

const (
	// importPoll is the longest pause between two requests for the progress.
	importPoll = time.Second
	// importPatience is the interval of progress messages without a progress bar.
	importPatience = 30 * time.Second
	// importBatchBytes bounds the text of one request, unless a single item has more. The server accepts 32 MiB, and JSON's
	// escapes may multiply the size by six.
	importBatchBytes = 4 << 20
	// importBatchItems bounds its items.
	importBatchItems = 200
)

// uploading is the state of the upload and the import on the server.
type uploading struct {
	*importing

	client *wire.Client
	state  wire.Import
	raw    json.RawMessage // state as the server sent it
	before bool            // it was complete before this run
}

// begin creates the import, or finds it.
func (u *uploading) begin() error {
	label := strings.ToValidUTF8(filepath.Base(u.name), "\uFFFD")
	return u.take(u.client.CreateImport(u.cmd.Context(), u.Agent, wire.CreateImportBody{
		Owner: u.Owner, Channel: u.Channel, Sender: u.Sender, EndUserID: u.EndUser, Source: u.plan.source(), Format: string(u.plan.Format),
		Label: output.OneLine(label, memory.MaxImportLabel/4), OnConflict: u.onConflict, Extract: new(!u.noExtract),
	}))
}

// take records the import state of the server's response.
func (u *uploading) take(answer wire.Answer[wire.Import], err error) error {
	if err == nil {
		u.state, u.raw = answer.Data, answer.Raw
	}
	return err
}

// known returns how many items the server has already, from the first on. Items that failed, and those left out when the
// import was cancelled, are uploaded again.
func (u *uploading) known() int {
	if u.state.State == "cancelled" || u.state.Outcomes["failed"] > 0 {
		return 0
	}
	return u.state.Items
}

// upload sends the items that the server does not have, batch by batch, in the order of the source.
func (u *uploading) upload() error {
	known := u.known()
	if known >= u.plan.items {
		return nil
	}
	bar := output.NewBar(u.cmd.ErrOrStderr(), "uploading", u.plan.items)
	defer bar.Finish()
	bar.Add(known)
	var batch wire.AddImportItemsBody
	place, size := 0, 0
	send := func() error {
		if len(batch.Items) == 0 {
			return nil
		}
		if _, err := u.client.AddImportItems(u.cmd.Context(), u.Agent, u.state.ID, batch); err != nil {
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

// weightOf returns the bytes of text of an item.
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

// requestOf returns the request for an item.
func requestOf(item imports.Item) wire.ImportItem {
	out := wire.ImportItem{Key: item.Key}
	if d := item.Document; d != nil {
		out.Document = wire.ImportDocument{
			Path: d.Path, Source: d.Source, Scope: string(d.Scope), Owner: string(d.Owner), Content: d.Content, At: d.At,
		}
		return out
	}
	c := item.Conversation
	out.Conversation = wire.ImportConversation{ID: c.ID, Owner: string(c.Owner), Title: c.Title}
	for _, m := range c.Messages {
		out.Conversation.Messages = append(out.Conversation.Messages, wire.ImportMessage{
			ID: m.ID, Role: m.Role, Name: m.Name, Content: m.Content, CreatedAt: m.CreatedAt,
		})
	}
	return out
}

// start starts the import of the uploaded items.
func (u *uploading) start() error {
	return u.take(u.client.StartImport(u.cmd.Context(), u.Agent, u.state.ID))
}

// watch waits until all items are settled.
func (u *uploading) watch() error {
	bar := output.NewBar(u.cmd.ErrOrStderr(), "importing", u.state.Items)
	defer bar.Finish()
	last, told := 0, time.Duration(0)
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, importPoll) {
		if err := u.take(u.client.GetImport(u.cmd.Context(), u.Agent, u.state.ID)); err != nil {
			return err
		}
		bar.Add(max(u.state.Settled-last, 0))
		last = max(last, u.state.Settled)
		if u.state.State == "done" || u.state.State == "cancelled" {
			return nil
		}
		if told += wait; told >= importPatience && !bar.Drawn() {
			told = 0
			fmt.Fprintf(u.cmd.ErrOrStderr(), "importing: %d of %d (Ctrl-C stops watching, not the work)\n", u.state.Settled, u.state.Items)
		}
		if err := session.Sleep(u.cmd.Context(), wait); err != nil {
			return err
		}
	}
}

// importPage is the size of the pages of items.
const importPage = 500

// importReport is the output of `memory import --json`.
type importReport struct {
	Plan     importPlan                `json:"plan"`
	Import   json.RawMessage           `json:"import"`   // as the API sent it
	Outcomes map[string]map[string]int `json:"outcomes"` // by kind
	Left     map[string]int            `json:"skipped"`  // number of items by reason code
	Problems []wire.ImportedItem       `json:"problems"` // items that failed or were quarantined
}

// importKinds and importOutcomes are the rows and columns of the last table.
var (
	importKinds    = []string{"document", "conversation"}
	importOutcomes = []string{"written", "merged", "unchanged", "nothing", "skipped", "quarantined", "failed", "waiting"}
	// importProblems are the outcomes that need attention.
	importProblems = []string{"failed", "quarantined"}
)

// shownProblems bounds the items with a problem that are listed.
const shownProblems = 20

// report prints the outcomes, and returns the error of the command.
func (u *uploading) report() error {
	r := importReport{
		Plan: u.plan, Import: u.raw, Outcomes: map[string]map[string]int{}, Left: map[string]int{},
		Problems: []wire.ImportedItem{},
	}
	for _, kind := range importKinds {
		r.Outcomes[kind] = map[string]int{}
	}
	items := wire.Items(func(cursor string) (wire.Answer[wire.Page[wire.ImportedItem]], error) {
		return u.client.ListImportItems(u.cmd.Context(), u.Agent, u.state.ID, wire.ListImportItemsParams{Cursor: cursor, Limit: importPage})
	})
	for item, err := range items {
		if err != nil {
			return err
		}
		if counts := r.Outcomes[item.Kind]; counts != nil {
			counts[item.Outcome]++
		}
		switch {
		case slices.Contains(importProblems, item.Outcome):
			r.Problems = append(r.Problems, item)
		case item.Outcome == "skipped":
			r.Left[item.ReasonCode]++
		}
	}
	out := u.cmd.OutOrStdout()
	if u.JSON {
		return errors.Join(output.Encode(out, r), u.verdict())
	}
	fmt.Fprintf(out, "%s: %s\n", output.OneLine(u.name, 80), u.plan)
	switch {
	case u.before:
		fmt.Fprintln(out, "Already imported; no changes")
	case u.state.State == "running":
		fmt.Fprintf(out, "in progress, %d of %d settled; the same command shows the progress\n", u.state.Settled, u.state.Items)
	case u.state.State == "cancelled":
		fmt.Fprintln(out, "cancelled; the same command continues with what was left out")
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

// table prints the outcomes by kind, without empty columns.
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

// showLeft counts the skipped items by reason: an export of years has many short conversations.
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
		owner := output.OneLine(item.Owner, 40)
		if owner == "" {
			owner = "everybody"
		}
		rows = append(rows, []string{item.Outcome, cmp.Or(item.ReasonCode, "-"), output.OneLine(item.Target, 60), owner})
	}
	fmt.Fprintln(out)
	return output.Table(out, rows)
}

// verdict returns an error when an outcome needs attention.
func (u *uploading) verdict() error {
	bad := 0
	for _, outcome := range importProblems {
		bad += int(u.state.Outcomes[outcome])
	}
	switch {
	case u.state.State == "cancelled":
		return errors.New("the import was cancelled")
	case bad > 0:
		return fmt.Errorf("%s could not be imported; the same command tries the failed ones again", output.Count(bad, "item"))
	}
	return nil
}
