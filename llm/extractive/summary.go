package extractive

import (
	"context"
	"time"

	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/transcripts"
)

// SummaryMaker names the engine and its rules; there is no other model.
func (Engine) SummaryMaker(string) string { return Model + " " + RulesVersion }

// Summarise updates a summary of earlier turns by rules, within a number of tokens: what the user wanted, what was
// stated and decided, what is open, which files it is about, and what was talked about last. The same input gives the same
// output. In languages that the rules do not know the summary has what was wanted first, what was talked about last, and the
// files. It fails only when ctx is done.
func (Engine) Summarise(ctx context.Context, in proposals.SummaryInput) (proposals.Answer, error) {
	if err := ctx.Err(); err != nil {
		return proposals.Answer{}, err
	}
	return proposals.Answer{Raw: summarise(in), Model: Model, PromptVersion: RulesVersion}, nil
}

func summarise(in proposals.SummaryInput) string {
	d := readDigest(in.Previous)
	if len(d.items[goalHeading]) == 0 {
		if goal := quoted(in.Goal); goal != "" {
			d.add(goalHeading, goal)
		}
	}
	transcript, now := spokenLines(in)
	said, wrong := lasting(transcript, now)
	for _, s := range said {
		d.take(s, wrong[s.text])
	}
	for _, path := range filesIn(in.Messages) {
		d.again(filesHeading, path)
	}
	d.latest(transcript)
	return d.render(in.MaxTokens)
}

// spokenLines returns the messages of user and assistant in the summary's time zone, and the time of the last one.
func spokenLines(in proposals.SummaryInput) (lines []transcripts.Line, now time.Time) {
	zone := in.Zone
	if zone == nil {
		zone = time.UTC
	}
	for _, m := range in.Messages {
		if m.CreatedAt.After(now) {
			now = m.CreatedAt
		}
		if m.Role == memory.RoleOfUser || m.Role == memory.RoleOfAssistant {
			lines = append(lines, transcripts.Line{Seq: m.Seq, Role: m.Role, Name: m.Name, At: m.CreatedAt, Text: m.Content})
		}
	}
	return lines, now.In(zone)
}
