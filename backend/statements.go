package backend

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Op is an operation of the two tools.
type Op string

// Operations.
const (
	List    Op = "list"
	Context Op = "context"
	Search  Op = "search"
	Get     Op = "get"

	Insert    Op = "insert"
	Update    Op = "update"
	Archive   Op = "archive"
	Touch     Op = "touch"
	Supersede Op = "supersede"
)

const (
	// maxContent bounds one statement, in characters. Longer ones are cut.
	maxContent = 4000
	maxSource  = 64
	// MaxID is the largest id: JSON numbers are exact up to it.
	MaxID = 1<<53 - 1

	defaultCategory   = "KNOWLEDGE"
	defaultConfidence = 0.8
	defaultSource     = "mcp_memory"
)

// Query asks for statements.
type Query struct {
	Op       Op
	ID       int64  // of Get
	Text     string // of Context and Search
	Limit    int    // 0: the server's own
	Archived bool   // also archived ones
	Chat     *int64 // of the owner; only where the server is told the owner (see Serves)
}

// Statement is a row of a server. Its words are foreign: scan them before they are shown.
type Statement struct {
	ID         int64
	Chat       *int64 // of the owner
	Content    string
	Category   string // PROFILE, KNOWLEDGE or EVENT
	Confidence float64
	Source     string
	UpdatedAt  time.Time
	Archived   bool
}

// Change changes a statement.
type Change struct {
	Op         Op
	ID         int64 // of all but Insert
	Content    string
	Category   string
	Source     string
	Confidence float64
	Floor      float64 // of Touch: at least this confidence
	Reason     string  // of Supersede
	Chat       *int64  // as in Query; of Insert
	Key        string  // a call with the same key is made once, by servers that know it
}

// Query returns statements of an owner, in the server's order, and the server's name. The error is a *Failure, or context.Canceled.
func (b *Backend) Query(ctx context.Context, who Owner, q Query) (rows []Statement, name string, err error) {
	name, err = b.first(who, func(s *server) (err error) {
		rows, err = s.query(ctx, who, q)
		return err
	})
	return rows, name, err
}

func (s *server) query(ctx context.Context, who Owner, q Query) ([]Statement, error) {
	args := map[string]any{"op": q.Op}
	if q.Op == Get {
		args["id"] = q.ID
	} else {
		s.setChat(args, who, q.Chat)
		if q.Limit > 0 {
			args["limit"] = q.Limit
		}
		if q.Text != "" {
			args["query"] = q.Text
		}
	}
	if q.Op == Search {
		args["include_archived"], args["broad_recall"] = q.Archived, false
	}
	payload, err := s.call(ctx, who, queryTool, args, "")
	if err != nil {
		return nil, err
	}
	rows, err := rowsOf(payload, q.Op == Get, s.now())
	if err == nil {
		rows, err = s.own(who, q, rows)
	}
	if err != nil {
		s.failed(ctx, err)
		return nil, err
	}
	if q.Limit > 0 && len(rows) > q.Limit {
		rows = rows[:q.Limit]
	}
	return rows, nil
}

// setChat sets the chat_id of a call: of the owner, where the server is told nothing else, else of the owner's chat.
func (s *server) setChat(args map[string]any, who Owner, chat *int64) {
	switch {
	case !s.named():
		args["chat_id"] = who.Number
	case chat != nil:
		args["chat_id"] = *chat
	}
}

// own returns the rows that are the owner's. Where a server is told the owner only by chat_id, every row must name it: a row of another
// chat, or of none, is nobody's here.
func (s *server) own(who Owner, q Query, rows []Statement) ([]Statement, error) {
	if q.Op == Get {
		rows = slices.DeleteFunc(rows, func(r Statement) bool { return r.ID != q.ID })
	}
	found := len(rows)
	switch {
	case found == 0 && q.Op == Get:
		return nil, failed(NotTheirs)
	case s.named():
		return rows, nil
	}
	rows = slices.DeleteFunc(rows, func(r Statement) bool { return r.Chat == nil || *r.Chat != who.Number || who.Number == 0 })
	for i := range rows {
		rows[i].Chat = nil
	}
	switch {
	case found == 0 || len(rows) > 0:
		return rows, nil
	case q.Op == Get:
		return nil, failed(NotTheirs)
	}
	return nil, failed(InvalidPayload)
}

// Apply changes a statement of an owner, and returns its id, which may be a new one, and the server's name. The error is a *Failure, or
// context.Canceled. After a failure other than Refused and NotTheirs the change may still have been made.
func (b *Backend) Apply(ctx context.Context, who Owner, c Change) (id int64, name string, err error) {
	name, err = b.first(who, func(s *server) (err error) {
		id, err = s.apply(ctx, who, c)
		return err
	})
	return id, name, err
}

func (s *server) apply(ctx context.Context, who Owner, c Change) (int64, error) {
	if !s.named() && c.Op != Insert { // an id is everybody's: it must be the owner's
		if _, err := s.query(ctx, who, Query{Op: Get, ID: c.ID}); err != nil {
			return 0, err
		}
	}
	args := map[string]any{"op": c.Op}
	switch c.Op {
	case Insert:
		s.setChat(args, who, c.Chat)
	case Supersede:
		args["from_memory_id"] = c.ID
	default:
		args["id"] = c.ID
	}
	if c.Op == Touch {
		args["confidence_floor"] = c.Floor
	}
	if c.Op == Insert || c.Op == Update || c.Op == Supersede {
		for name, value := range map[string]string{"content": c.Content, "category": c.Category, "source": c.Source, "reason": c.Reason} {
			if value != "" && (name != "reason" || c.Op == Supersede) {
				args[name] = value
			}
		}
		if c.Confidence > 0 {
			args["confidence"] = c.Confidence
		}
	}
	payload, err := s.call(ctx, who, upsertTool, args, c.Key)
	if err != nil {
		return 0, err
	}
	id, err := doneOf(payload, c)
	if err != nil {
		s.failed(ctx, err)
	}
	return id, err
}

// payloadOf returns the JSON of a result: its structured content, or what its texts contain.
func payloadOf(r *mcp.CallToolResult) (json.RawMessage, error) {
	if r.IsError {
		return nil, failed(Refused)
	}
	if r.StructuredContent != nil {
		payload, err := json.Marshal(r.StructuredContent)
		if err != nil || len(payload) > maxAnswer {
			return nil, failed(InvalidPayload)
		}
		return payload, nil
	}
	var text strings.Builder
	for _, c := range r.Content {
		if t, is := c.(*mcp.TextContent); is {
			text.WriteString(t.Text + "\n")
		}
	}
	if text.Len() > maxAnswer {
		return nil, failed(InvalidPayload)
	}
	// Models wrap JSON into prose, and so do some servers.
	for at := 0; at < text.Len(); at++ {
		next := strings.IndexAny(text.String()[at:], "{[")
		if next < 0 {
			break
		}
		at += next
		var payload json.RawMessage
		if json.NewDecoder(strings.NewReader(text.String()[at:])).Decode(&payload) == nil {
			return payload, nil
		}
		if at > maxProse {
			break
		}
	}
	return nil, failed(InvalidPayload)
}

// maxProse bounds where JSON may begin in a text, so that a text of brackets takes no time.
const maxProse = 4 << 10

// wireRow is a statement as servers write it.
type wireRow struct {
	ID         json.Number  `json:"id"`
	Chat       *json.Number `json:"chat_id"`
	Content    string       `json:"content"`
	Category   string       `json:"category"`
	Confidence *float64     `json:"confidence"`
	Source     string       `json:"source"`
	UpdatedAt  string       `json:"updated_at"`
	Archived   bool         `json:"is_archived"`
}

// rowsOf reads an array, or {"memories": […]} or {"items": […]}; single also reads one row. One bad row rejects all of them.
func rowsOf(payload json.RawMessage, single bool, now time.Time) ([]Statement, error) {
	var list []wireRow
	if bytes.HasPrefix(bytes.TrimSpace(payload), []byte("[")) {
		if json.Unmarshal(payload, &list) != nil {
			return nil, failed(InvalidPayload)
		}
	} else {
		var object struct {
			wireRow

			Memories *[]wireRow `json:"memories"`
			Items    *[]wireRow `json:"items"`
		}
		if json.Unmarshal(payload, &object) != nil {
			return nil, failed(InvalidPayload)
		}
		switch {
		case object.Memories != nil:
			list = *object.Memories
		case object.Items != nil:
			list = *object.Items
		case single && object.ID != "":
			list = []wireRow{object.wireRow}
		default:
			return nil, failed(InvalidPayload)
		}
	}
	out := make([]Statement, len(list))
	for i, row := range list {
		var ok bool
		if out[i], ok = row.statement(now); !ok {
			return nil, failed(InvalidPayload)
		}
	}
	return out, nil
}

func (r wireRow) statement(now time.Time) (Statement, bool) {
	s := Statement{
		Content: strings.TrimSpace(r.Content), Category: strings.ToUpper(strings.TrimSpace(r.Category)), Confidence: defaultConfidence,
		Source: strings.TrimSpace(r.Source), UpdatedAt: now, Archived: r.Archived,
	}
	var ok bool
	if s.ID, ok = integer(r.ID); !ok || s.ID < 0 || s.ID > MaxID || s.Content == "" {
		return s, false
	}
	if r.Chat != nil {
		chat, ok := integer(*r.Chat)
		if !ok {
			return s, false
		}
		s.Chat = &chat
	}
	if utf8.RuneCountInString(s.Content) > maxContent {
		s.Content = string([]rune(s.Content)[:maxContent])
	}
	if s.Category != "PROFILE" && s.Category != "EVENT" {
		s.Category = defaultCategory
	}
	if r.Confidence != nil {
		s.Confidence = math.Max(0, math.Min(1, *r.Confidence))
	}
	if s.Source == "" || len(s.Source) > maxSource {
		s.Source = defaultSource
	}
	if at, err := time.Parse(time.RFC3339, r.UpdatedAt); err == nil && at.Before(now) {
		s.UpdatedAt = at
	}
	return s, true
}

func integer(n json.Number) (int64, bool) {
	i, err := strconv.ParseInt(n.String(), 10, 64)
	return i, err == nil
}

// doneOf reads the answer to a change: the id of a new statement, or that the change was made.
func doneOf(payload json.RawMessage, c Change) (int64, error) {
	var answer struct {
		ID       json.Number `json:"id"`
		MemoryID json.Number `json:"memory_id"`
		Memory   struct {
			ID json.Number `json:"id"`
		} `json:"memory"`
		OK      *bool `json:"ok"`
		Success *bool `json:"success"`
		Updated *bool `json:"updated"`
	}
	if json.Unmarshal(payload, &answer) != nil {
		return 0, failed(InvalidPayload)
	}
	said := func(want bool, fields ...*bool) bool {
		return slices.ContainsFunc(fields, func(f *bool) bool { return f != nil && *f == want })
	}
	id, has := int64(0), false
	for _, n := range []json.Number{answer.ID, answer.MemoryID, answer.Memory.ID} {
		if id, has = integer(n); has {
			break
		}
	}
	switch makesNew := c.Op == Insert || c.Op == Supersede; {
	case said(false, answer.OK, answer.Success), !makesNew && said(false, answer.Updated) && !said(true, answer.OK, answer.Success):
		return 0, failed(Refused)
	case makesNew && (!has || id < 0 || id > MaxID), !makesNew && !said(true, answer.OK, answer.Success, answer.Updated):
		return 0, failed(InvalidPayload)
	case !has:
		id = c.ID
	}
	return id, nil
}
