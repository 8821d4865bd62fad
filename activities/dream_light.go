package activities

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"reverie/dream"
	"reverie/dream/judge"
	"reverie/dream/notes"
	"reverie/language/claim"
	"reverie/llm/extractive"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/memory/transcripts"
	"reverie/store/dreams"
)

// LightSleep stages notes and messages, each statement once, with the signals that support it. A dream that finds
// nothing ends here, and its news are marked as seen.
func (a *Activities) LightSleep(ctx context.Context, in DreamInput) (LightSleepResult, error) {
	defer beat(ctx, HeartbeatTimeout/heartbeatsInTime)()
	id, err := a.dreamer(ctx, in.OwnerRef)
	if err != nil {
		return LightSleepResult{}, err
	}
	load, err := a.Store.LoadDream(ctx, id, in.Dream)
	if err != nil {
		return LightSleepResult{}, dreamError(err)
	}
	if !load.Dream.Open() {
		state, err := a.endedState(ctx, id, load.Dream, false)
		return LightSleepResult{DreamState: state}, err
	}
	if err := inHand(load.Dream, id); err != nil {
		return LightSleepResult{}, err
	}
	material := materialOf(load)
	candidates := judge.Light(material, load.Dream.Settings)
	material.States = matters(load.States, candidates)
	pins := pinsOf(load, material, candidates)
	if len(candidates) == 0 {
		record, err := a.Store.EndDream(ctx, id, in.Dream, dreams.DreamEnding{
			Outcome: memory.OutcomeNothing, ReasonCode: ReasonNoNews, NewsSeen: true, News: load.News,
		})
		if err != nil {
			return LightSleepResult{}, dreamError(err)
		}
		a.observeDream(record)
		return lightResult(stateOf(record), pins.Looked), nil
	}
	if err := a.Store.StageDream(ctx, id, in.Dream, dreams.StagedDream{
		AsOf: load.AsOf, From: load.From, Scope: load.Scope, Pins: pins, Candidates: candidates,
		States: material.States,
	}); err != nil {
		return LightSleepResult{}, dreamError(err)
	}
	state := stateOf(load.Dream)
	state.Candidates = len(candidates)
	return lightResult(state, pins.Looked), nil
}

func lightResult(state DreamState, l dream.Looked) LightSleepResult {
	return LightSleepResult{
		DreamState: state, Notes: l.Notes, Conversations: l.Conversations, Messages: l.Messages, Statements: l.Statements,
	}
}

// materialOf returns everything that a dream looks at.
func materialOf(load dreams.DreamLoad) dream.Material {
	m := dream.Material{
		AsOf: load.AsOf, From: load.From, Topic: load.Dream.Topic, Recalls: recallsOf(load.Recalls), States: load.States,
	}
	zone := load.AsOf.Location()
	for _, n := range load.Notes {
		m.Statements = append(m.Statements, notes.NoteStatements(notes.Note{Document: n.Document, Day: n.Day, Lines: n.Lines}, zone)...)
	}
	asSaid(m.Statements, load.Sessions, zone)
	for _, s := range load.Sessions {
		m.Statements = append(m.Statements, sessionStatements(s, zone)...)
	}
	return m
}

// asSaid gives statements of notes the time of the last message that they come from, so that one message is one mention, in
// whatever note and how late it was noted.
func asSaid(statements []dream.Statement, sessions []dreams.DreamSession, zone *time.Location) {
	said := map[string]map[int64]time.Time{}
	for _, s := range sessions {
		said[s.Conversation] = map[int64]time.Time{}
		for _, m := range s.Messages {
			said[s.Conversation][m.Seq] = m.CreatedAt.In(zone)
		}
	}
	for i := range statements {
		s := &statements[i]
		for _, seq := range slices.Backward(s.Place.Messages) {
			if at, ok := said[s.Place.Conversation][seq]; ok {
				s.At, s.Place.Day = at, dream.DayOf(at)
				break
			}
		}
	}
}

// sessionStatements returns the statements of one conversation. It reads one day at a time, since relative dates
// ("tomorrow") depend on the day they were said.
func sessionStatements(s dreams.DreamSession, zone *time.Location) []dream.Statement {
	var out []dream.Statement
	for from := 0; from < len(s.Messages); {
		day := dream.DayOf(s.Messages[from].CreatedAt.In(zone))
		to := from + 1
		for to < len(s.Messages) && dream.DayOf(s.Messages[to].CreatedAt.In(zone)) == day {
			to++
		}
		out = append(out, dayStatements(s, s.Messages[from:to], day, zone)...)
		from = to
	}
	return out
}

// dayStatements returns the statements of one conversation on one day, without questions, what was said with doubt, and text that
// is too short or too long. Statements about that day only are passing. A statement in the words of its message is quoted.
func dayStatements(s dreams.DreamSession, messages []memory.Message, day dream.Day, zone *time.Location) []dream.Statement {
	at, words := map[int64]time.Time{}, map[int64]string{}
	for _, m := range messages {
		at[m.Seq], words[m.Seq] = m.CreatedAt.In(zone), strings.Join(strings.Fields(m.Content), " ")
	}
	last := messages[len(messages)-1].CreatedAt.In(zone)
	var out []dream.Statement
	for _, said := range extractive.Statements(transcripts.Transcript(messages, setting.DefaultExtractSettings()), last) {
		if claim.IsQuestion(said.Text) || !notes.SaysEnough(said.Text, said.Text) || said.Unsure && claim.WordsOf(said.Text).Doubtful() {
			continue
		}
		when, text := last, said.Text
		if len(said.Messages) > 0 {
			when = at[said.Messages[0]]
		}
		if slices.ContainsFunc(said.Messages, func(seq int64) bool { return strings.Contains(words[seq], text) }) {
			text = claim.Quote{Words: text}.String()
		}
		out = append(out, dream.Statement{
			ID: markdown.EntryIDOf(text), Text: text, At: when, Asked: said.Asked, Passing: said.Unsure, Ends: said.Ends,
			Corrects: said.Corrects,
			Place: dream.Place{
				Origin: dream.FromSession, Day: day, Conversation: s.Conversation, ConversationUID: s.ConversationUID, Messages: said.Messages,
			},
		})
	}
	return out
}

// recallsOf converts recalls for weighing.
func recallsOf(recalled []dreams.Recalled) []dream.Recall {
	var out []dream.Recall
	for _, r := range recalled {
		if r.Synthetic || len(r.Entries) == 0 {
			continue
		}
		out = append(out, dream.Recall{
			Entries: r.Entries, Query: hex.EncodeToString(r.QueryHash[:]), Day: dream.DayOf(r.Day), Score: r.Score, At: r.At,
		})
	}
	return out
}

// pinsOf returns references to the inputs of a dream.
func pinsOf(load dreams.DreamLoad, m dream.Material, candidates []dream.Candidate) dream.Pins {
	p := dream.Pins{
		RecallsUntil: load.AsOf, Material: digest(m), Candidates: digest(candidates), News: load.News,
		Looked: dream.Looked{
			Notes: len(load.Notes), Conversations: len(load.Sessions), Statements: len(m.Statements), Recalls: len(m.Recalls),
		},
	}
	for _, n := range load.Notes {
		p.Documents = append(p.Documents, dream.PinnedDocument{
			Path: n.Path, Scope: string(n.Scope), Document: n.ID, Version: n.Version, SHA256: hex.EncodeToString(n.SHA256[:]),
		})
	}
	for _, s := range load.Sessions {
		if len(s.Messages) == 0 {
			continue
		}
		p.Looked.Messages += len(s.Messages)
		p.Sessions = append(p.Sessions, dream.PinnedSession{
			Conversation: s.Conversation, ConversationUID: s.ConversationUID,
			From: s.Messages[0].Seq, To: s.Messages[len(s.Messages)-1].Seq,
		})
	}
	return p
}

// digest returns the SHA-256 of a value's JSON, in hex. v must be encodable.
func digest(v any) string {
	hash := sha256.New()
	if err := json.NewEncoder(hash).Encode(v); err != nil {
		return ""
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// matters returns the states of statements that are candidates now, and of all that must not come back.
func matters(states []dream.State, candidates []dream.Candidate) []dream.State {
	weighed := map[markdown.EntryID]bool{}
	for _, c := range candidates {
		weighed[c.ID] = true
		for _, alias := range c.Aliases {
			weighed[alias] = true
		}
	}
	var out []dream.State
	for _, s := range states {
		settled := s.Status == dream.Forgotten || s.Status == dream.Held || s.Status == dream.Rejected || s.Status == dream.Edited
		if settled || weighed[s.ID] || slices.ContainsFunc(s.Aliases, func(id markdown.EntryID) bool { return weighed[id] }) {
			out = append(out, s)
		}
	}
	return out
}
