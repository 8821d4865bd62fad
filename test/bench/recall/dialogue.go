package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"reverie/memory"
	"reverie/test/bench/services"
	"reverie/test/deployment"
)

// set is one file of dialogues.
type set struct {
	name      string // of the file, without its extension
	dialogues []dialogue
}

// dialogue is everything that one agent remembers, in sessions, with questions about it.
type dialogue struct {
	agent     string // unique among all sets
	id        string
	sessions  []session // in order of their numbers
	questions []question
}

// session is one session of a dialogue.
type session struct {
	number int
	turns  []turn
}

// turn is one message.
type turn struct {
	id      string // such as D1:3
	role    string
	speaker string // empty: without a name
	text    string
	at      time.Time // zero if unknown
}

// question is one question with the turns that answer it.
type question struct {
	text         string
	category     string
	evidence     []string // distinct ids of turns; empty: the location of the answer is unknown
	older, newer []string // turns that hold a value, and those that hold its update
	asked        string   // when it is asked, as asOf of a search; empty: now
	malformed    int      // number of references to unknown turns
}

// turnCount returns the number of turns of the dialogue.
func (d dialogue) turnCount() (n int) {
	for _, s := range d.sessions {
		n += len(s.turns)
	}
	return n
}

// pairs returns each question together with the one half the list after it. Its evidence is that of both; there is none if one of them
// has none.
func pairs(questions []question) []question {
	out := slices.Clone(questions)
	if len(out) < 2 {
		return out
	}
	for i := range out {
		one, other := &out[i], questions[(i+len(questions)/2)%len(questions)]
		one.text += " " + other.text
		one.older, one.newer = nil, nil
		if len(one.evidence) == 0 || len(other.evidence) == 0 {
			one.evidence = nil
			continue
		}
		one.evidence = slices.Clone(one.evidence)
		for _, turn := range other.evidence {
			if !slices.Contains(one.evidence, turn) {
				one.evidence = append(one.evidence, turn)
			}
		}
	}
	return out
}

// sessionsByTurn maps each turn to the number of its session.
func (d dialogue) sessionsByTurn() map[string]int {
	sessions := make(map[string]int, d.turnCount())
	for _, s := range d.sessions {
		for _, t := range s.turns {
			sessions[t.id] = s.number
		}
	}
	return sessions
}

// readDialogues reads a list of samples, each in the format of LoCoMo (Maharana et al., ACL 2024) or in the common one.
func readDialogues(r io.Reader) ([]dialogue, error) {
	var samples []sample
	if err := json.NewDecoder(r).Decode(&samples); err != nil {
		return nil, fmt.Errorf("it is not a list of samples: %w", err)
	}
	if len(samples) == 0 {
		return nil, errors.New("it has no samples")
	}
	dialogues := make([]dialogue, len(samples))
	for i, s := range samples {
		var err error
		if s.Conversations != nil {
			dialogues[i], err = s.common()
		} else {
			dialogues[i], err = s.dialogue()
		}
		if err != nil {
			return nil, fmt.Errorf("sample %d (%s): %w", i+1, cmp.Or(s.ID, s.CommonID), err)
		}
	}
	return dialogues, nil
}

// nameApart gives a turn without an id, or with a duplicate one, a unique id, which no evidence names.
func (d dialogue) nameApart() {
	taken := map[string]bool{"": true}
	for _, s := range d.sessions {
		for i := range s.turns {
			if t := &s.turns[i]; taken[t.id] {
				t.id = fmt.Sprintf("%s#%d.%d", t.id, s.number, i+1)
			}
			taken[s.turns[i].id] = true
		}
	}
}

// sample is the file format of a dialogue: LoCoMo's, and the common one.
type sample struct {
	ID           string                     `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"` // speaker_a, session_N, session_N_date_time
	Questions    []struct {
		Question string   `json:"question"`
		Category int      `json:"category"`
		Evidence []string `json:"evidence"`
	} `json:"qa"`

	CommonID      string           `json:"id"`
	Conversations []commonSession  `json:"conversations"`
	Asked         []commonQuestion `json:"questions"`
}

type commonSession struct {
	Messages []struct {
		ID        string    `json:"id"`
		Role      string    `json:"role"`
		Name      string    `json:"name"`
		Content   string    `json:"content"`
		CreatedAt time.Time `json:"createdAt"`
	} `json:"messages"`
}

type commonQuestion struct {
	Text     string   `json:"text"`
	Category string   `json:"category"`
	Evidence []string `json:"evidence"`
	Older    []string `json:"older"`
	Newer    []string `json:"newer"`
	AskedAt  string   `json:"askedAt"`
}

// common reads a sample in the common format, whose conversations are numbered in their order.
func (s sample) common() (dialogue, error) {
	d := dialogue{id: s.CommonID}
	for i, c := range s.Conversations {
		one := session{number: i + 1}
		for _, m := range c.Messages {
			one.turns = append(one.turns, turn{id: m.ID, role: m.Role, speaker: m.Name, text: m.Content, at: m.CreatedAt})
		}
		d.sessions = append(d.sessions, one)
	}
	d.nameApart()
	sessions := d.sessionsByTurn()
	for _, q := range s.Asked {
		one := question{text: q.Text, category: q.Category, older: q.Older, newer: q.Newer}
		one.refer(q.Evidence, sessions)
		if match := askedDay.FindStringSubmatch(q.AskedAt); match != nil {
			one.asked = fmt.Sprintf("%s-%s-%s", match[1], match[2], match[3])
		}
		d.questions = append(d.questions, one)
	}
	return d, nil
}

// askedDay matches the day of a question: 2024-04-04 or 2024年04月04日.
var askedDay = regexp.MustCompile(`^(\d{4})\D(\d{2})\D(\d{2})`)

// refer sets the evidence of a question: each known turn once.
func (q *question) refer(evidence []string, sessions map[string]int) {
	for _, reference := range evidence {
		switch _, known := sessions[reference]; {
		case !known:
			q.malformed++
		case !slices.Contains(q.evidence, reference):
			q.evidence = append(q.evidence, reference)
		}
	}
}

type sampleTurn struct {
	Speaker string `json:"speaker"`
	ID      string `json:"dia_id"`
	Text    string `json:"text"`
	Caption string `json:"blip_caption"`
}

var sessionKey = regexp.MustCompile(`^session_(\d+)$`)

func (s sample) dialogue() (dialogue, error) {
	d := dialogue{id: s.ID}
	var firstSpeaker string
	if raw, ok := s.Conversation["speaker_a"]; ok {
		if err := json.Unmarshal(raw, &firstSpeaker); err != nil {
			return d, fmt.Errorf("speaker_a: %w", err)
		}
	}
	for key, raw := range s.Conversation {
		match := sessionKey.FindStringSubmatch(key)
		if match == nil {
			continue
		}
		number, err := strconv.Atoi(match[1])
		if err != nil {
			return d, fmt.Errorf("%s: %w", key, err)
		}
		one, err := s.session(number, raw, firstSpeaker)
		if err != nil {
			return d, fmt.Errorf("%s: %w", key, err)
		}
		if len(one.turns) > 0 {
			d.sessions = append(d.sessions, one)
		}
	}
	slices.SortFunc(d.sessions, func(a, b session) int { return a.number - b.number })
	d.nameApart()
	sessions := d.sessionsByTurn()
	for _, q := range s.Questions {
		one := question{text: q.Question, category: cmp.Or(categoryNames[q.Category], "other")}
		one.refer(q.Evidence, sessions)
		d.questions = append(d.questions, one)
	}
	return d, nil
}

func (s sample) session(number int, raw json.RawMessage, firstSpeaker string) (session, error) {
	one := session{number: number}
	var turns []sampleTurn
	if err := json.Unmarshal(raw, &turns); err != nil {
		return one, err
	}
	for _, t := range turns {
		role := memory.RoleOfAssistant
		if t.Speaker == firstSpeaker {
			role = memory.RoleOfUser
		}
		one.turns = append(one.turns, turn{id: t.ID, role: role, speaker: t.Speaker, text: spoken(t)})
	}
	date, ok := s.Conversation[fmt.Sprintf("session_%d_date_time", number)]
	if !ok {
		return one, nil
	}
	var written string
	if err := json.Unmarshal(date, &written); err != nil {
		return one, fmt.Errorf("date_time: %w", err)
	}
	for _, layout := range dateLayouts {
		if at, err := time.Parse(layout, strings.TrimSpace(written)); err == nil {
			for i := range one.turns {
				one.turns[i].at = at.Add(time.Duration(i) * time.Second) // in order
			}
			return one, nil
		}
	}
	return one, fmt.Errorf("date_time: %q does not match any format of %q", written, dateLayouts)
}

// dateLayouts are the formats of a session's time: LoCoMo's first, then those of other sets in its format.
var dateLayouts = []string{
	"3:04 pm on 2 January, 2006", "2 January, 2006", "January 2, 2006", time.RFC3339, time.DateTime, "2006-01-02 15:04", time.DateOnly,
}

// spoken returns the stored text of a turn: its words, and the caption of its picture in brackets.
func spoken(t sampleTurn) string {
	if t.Caption == "" {
		return t.Text
	}
	return strings.TrimSpace(t.Text + " [image: " + t.Caption + "]")
}

// owner owns all conversations, in every agent.
const owner = memory.Owner("user:bench")

type newAgent struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	TimeZone string `json:"timeZone"`
}

// batch is the body of a post of messages. Without turnComplete nothing is extracted.
type batch struct {
	Owner    memory.Owner `json:"owner"`
	Messages []message    `json:"messages"`
}

type message struct {
	ID        string     `json:"id"`
	Role      string     `json:"role"`
	Name      string     `json:"name,omitempty"`
	Content   string     `json:"content"`
	CreatedAt *time.Time `json:"createdAt,omitempty"`
}

// overHTTP searches through the API of a running program.
type overHTTP struct{ *deployment.Client }

// load creates the agent and posts every session of the dialogue as a conversation whose id is the session's number.
func (a overHTTP) load(ctx context.Context, d dialogue) error {
	if err := a.Call(ctx, http.MethodPost, "/api/v1/agents", newAgent{ID: d.agent, Name: d.agent, TimeZone: "UTC"}, nil); err != nil {
		return fmt.Errorf("create the agent: %w", err)
	}
	for _, s := range d.sessions {
		path := "/api/v1/agents/" + d.agent + "/conversations/" + strconv.Itoa(s.number) + "/messages"
		for part := range slices.Chunk(messagesOf(s), memory.MaxBatchMessages) {
			if err := a.Call(ctx, http.MethodPost, path, batch{Owner: owner, Messages: part}, nil); err != nil {
				return fmt.Errorf("session %d: %w", s.number, err)
			}
		}
	}
	return nil
}

func (a overHTTP) search(ctx context.Context, agent string, s services.Search) ([]string, time.Duration, error) {
	found, took, err := services.Ask(ctx, a.Client, agent, s)
	return found.MessageIDs(), took, err
}

// messagesOf converts the turns of a session into messages with the turns' ids. Turns without words are left out.
func messagesOf(s session) []message {
	var messages []message
	for _, t := range s.turns {
		if strings.TrimSpace(t.text) == "" {
			continue
		}
		m := message{ID: t.id, Role: t.role, Name: t.speaker, Content: t.text}
		if !t.at.IsZero() {
			m.CreatedAt = &t.at
		}
		messages = append(messages, m)
	}
	return messages
}
