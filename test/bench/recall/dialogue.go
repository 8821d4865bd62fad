package main

import (
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
)

// dialogue is a conversation of two people in many sessions, with questions about it.
type dialogue struct {
	id        string
	sessions  []session // in order of their numbers
	questions []question
}

// session is one session of a dialogue.
type session struct {
	number int
	at     time.Time // start, as local time read as UTC; zero if unknown
	turns  []turn
}

// turn is one message of a speaker.
type turn struct {
	id      string // such as D1:3
	speaker string
	text    string
	first   bool // by the first of the two speakers
}

// question is one question with the turns that answer it.
type question struct {
	text      string
	category  int
	evidence  []string // distinct ids of turns; empty: the location of the answer is unknown
	malformed int      // number of references to unknown turns
}

// turnCount returns the number of turns of the dialogue.
func (d dialogue) turnCount() (n int) {
	for _, s := range d.sessions {
		n += len(s.turns)
	}
	return n
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

// readDialogues reads a file in the format of LoCoMo (Maharana et al., ACL 2024): a list of samples.
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
		if dialogues[i], err = s.dialogue(); err != nil {
			return nil, fmt.Errorf("sample %d (%s): %w", i+1, s.ID, err)
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

// sample is the file format of a dialogue.
type sample struct {
	ID           string                     `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"` // speaker_a, session_N, session_N_date_time
	Questions    []struct {
		Question string   `json:"question"`
		Category int      `json:"category"`
		Evidence []string `json:"evidence"`
	} `json:"qa"`
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
		one := question{text: q.Question, category: q.Category}
		for _, reference := range q.Evidence {
			switch _, known := sessions[reference]; {
			case !known:
				one.malformed++
			case !slices.Contains(one.evidence, reference):
				one.evidence = append(one.evidence, reference)
			}
		}
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
		one.turns = append(one.turns, turn{id: t.ID, speaker: t.Speaker, text: spoken(t), first: t.Speaker == firstSpeaker})
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
			one.at = at
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

// agentOf returns the agent of the dialogue with the given number, from 0. Each dialogue has its own agent, so that
// results do not mix.
func agentOf(dialogue int) string { return fmt.Sprintf("dialogue-%d", dialogue+1) }

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
	Name      string     `json:"name"`
	Content   string     `json:"content"`
	CreatedAt *time.Time `json:"createdAt,omitempty"`
}

// load creates the agent and posts every session of the dialogue as a conversation whose id is the session's number.
func (b *bench) load(ctx context.Context, agent string, d dialogue) error {
	if err := b.api.Call(ctx, http.MethodPost, "/api/v1/agents", newAgent{ID: agent, Name: agent, TimeZone: "UTC"}, nil); err != nil {
		return fmt.Errorf("create the agent: %w", err)
	}
	for _, s := range d.sessions {
		path := "/api/v1/agents/" + agent + "/conversations/" + strconv.Itoa(s.number) + "/messages"
		for part := range slices.Chunk(messagesOf(s), memory.MaxBatchMessages) {
			if err := b.api.Call(ctx, http.MethodPost, path, batch{Owner: owner, Messages: part}, nil); err != nil {
				return fmt.Errorf("session %d: %w", s.number, err)
			}
		}
	}
	return nil
}

// messagesOf converts the turns of a session into messages with the turns' ids, one second apart. Turns without words
// are left out.
func messagesOf(s session) []message {
	var messages []message
	for i, t := range s.turns {
		if strings.TrimSpace(t.text) == "" {
			continue
		}
		m := message{ID: t.id, Role: string(memory.RoleOfAssistant), Name: t.speaker, Content: t.text}
		if t.first {
			m.Role = string(memory.RoleOfUser)
		}
		if !s.at.IsZero() {
			at := s.at.Add(time.Duration(i) * time.Second)
			m.CreatedAt = &at
		}
		messages = append(messages, m)
	}
	return messages
}
