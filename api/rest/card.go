package rest

import (
	"context"
	"time"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/dream"
	"reverie/memory"
	"reverie/store/dreams"
)

// MorningCard shows the owner the results of the latest dream.
type MorningCard struct {
	ReportID      uuid.UUID        `json:"reportId"`
	Mode          memory.DreamMode `json:"mode" enum:"nightly,focused,promote,rem"`
	Topic         string           `json:"topic,omitempty" doc:"Of a focused dream."`
	StartedAt     time.Time        `json:"startedAt"`
	PromotedCount int              `json:"promotedCount"`
	RejectedCount int              `json:"rejectedCount"`
	LLMReason     string           `json:"llmReason,omitempty" doc:"Why, in words."`
	MemoryDiff    string           `json:"memoryDiff" doc:"Unified diff of MEMORY.md."`
	Owner         memory.Owner     `json:"owner" doc:"Whose memory it changed; system: the shared one."`
	Facts         []CardFact       `json:"facts" doc:"New statements, in their current wording; forgotten ones are left out. Confirm, edit or forget each with POST …/dream/reports/{reportId}/entries/{entry}/confirm, edit or forget."`
}

// CardFact is a statement of a morning card.
type CardFact struct {
	Entry  string       `json:"entry"`
	Text   string       `json:"text" doc:"Of an edited statement, the words that took its place."`
	Status dream.Status `json:"status,omitempty" enum:"confirmed,edited" doc:"What a person has decided; missing: nothing yet."`
}

// CardOf returns the card of an identity's owner; nil: there is none. With a day, none that was shown on it. The problem is 410 where
// cards are switched off.
func (s *Server) CardOf(ctx context.Context, id memory.Identity, day time.Time) (*MorningCard, error) {
	if s.CardsOff {
		return nil, fault.New(fault.MorningCardOff, "Morning cards are switched off on this server: switch them on with REVERIE_MORNING_CARD=true")
	}
	card, err := s.Store.MorningCard(ctx, id, day)
	if err != nil || card == nil {
		return nil, err
	}
	return viewCard(*card), nil
}

func viewCard(c dreams.Card) *MorningCard {
	d := c.Dream
	v := &MorningCard{
		ReportID: d.ID, Mode: d.Mode, Topic: d.Topic, StartedAt: d.StartedAt, PromotedCount: d.Counts.Promoted, RejectedCount: d.Counts.Rejected,
		LLMReason: d.Reason, MemoryDiff: d.Diff, Owner: d.Owner, Facts: []CardFact{},
	}
	for _, p := range c.Promoted {
		f := CardFact{Entry: string(p.Entry), Text: p.Text}
		if p.Status == dream.Confirmed || p.Status == dream.Edited {
			f.Status = p.Status
		}
		v.Facts = append(v.Facts, f)
	}
	return v
}
