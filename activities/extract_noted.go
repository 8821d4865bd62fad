package activities

import "reverie/memory"

// ReasonNoted ends a step of an extraction that had nothing to write but what a flush had noted.
const ReasonNoted memory.ReasonCode = "noted"

// note is today's note as the engine is shown it: without what a flush has noted of the very messages that it is asked about. They
// are news to MEMORY.md and PROFILE.md, which a flush does not write, and what the note says already is not.
func (p *proposing) note() string {
	noted := p.load.Noted
	if noted == nil || noted.Note.ID != p.load.Note.ID {
		return p.load.Note.Content
	}
	if rest, found := memory.ReplaceEntries(p.load.Note.Content, noted.Entries, ""); found {
		return rest
	}
	return p.load.Note.Content
}

// notedOnce takes the daily entry out of a proposal about messages that a flush has noted, unless it takes the place of what rules
// noted.
func (p *proposing) notedOnce(g memory.Guarded) memory.Guarded {
	if p.load.Noted != nil && g.Daily != "" {
		if _, possible := p.replaced(g.Daily); !possible {
			g.Daily = ""
		}
	}
	return g
}

// replaced is the note that a flush has written to with a model's entry in the place of those that rules wrote because the model
// did not answer in time. It reports false when they stay: a model wrote them, no model was asked now, the step has only a part of
// their messages, or somebody has edited them meanwhile.
func (p *proposing) replaced(entry string) (string, bool) {
	if !p.Paid || !p.load.Noted.Fallback {
		return "", false
	}
	return memory.ReplaceEntries(p.load.Noted.Note.Content, p.load.Noted.Entries, entry)
}
