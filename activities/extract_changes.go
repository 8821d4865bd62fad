package activities

import (
	"slices"
	"strings"

	"reverie/memory"
)

// changes are the writes of a guarded proposal: MEMORY.md and PROFILE.md replaced on the version that the engine saw, the
// daily note appended to, or what rules noted in it replaced. Each says from which messages it comes, line by line where that is known.
func (p *proposing) changes(g memory.Guarded, proposal memory.Proposal, transcript []memory.Line) []memory.Change {
	var out []memory.Change
	add := func(c memory.Change, before, after string) {
		if c.Scope == "" {
			c.Scope = p.load.Scope
		}
		c.Reason = proposal.Reason
		c.Sources = memory.Sources{
			Conversation: p.load.Conversation.ID, From: p.in.From, To: p.load.To,
			Lines: evidence(proposal, before, after, transcript),
		}
		out = append(out, c)
	}
	replace := func(path string, doc memory.Document, text string) {
		if text != "" {
			add(memory.Change{Ref: memory.Ref{Path: path}, Op: memory.OpReplace, Content: text, Base: doc.Version}, doc.Content, text)
		}
	}
	replace(memory.MemoryPath, p.load.Memory, g.Memory)
	replace(memory.ProfilePath, p.load.Profile, g.Profile)
	switch {
	case g.Daily == "":
	case p.load.Noted != nil:
		was := p.load.Noted.Note
		if text, possible := p.replaced(g.Daily); possible {
			add(memory.Change{
				Ref: memory.Ref{Scope: was.Scope, Path: was.Path}, Op: memory.OpReplace, Content: text, Base: was.Version,
			}, was.Content, text)
		}
	default:
		add(memory.Change{
			Ref: memory.Ref{Path: memory.DailyNotePath(p.load.Today)}, Op: memory.OpAppend,
			Content: g.Daily, Create: "# " + p.load.Today.Format("2006-01-02") + "\n",
		}, "", g.Daily)
	}
	return out
}

// evidence takes the engine's own word for where a line comes from, as far as it names messages that it was shown, and
// derives it from the words for all other lines.
func evidence(proposal memory.Proposal, before, after string, transcript []memory.Line) []memory.LineSource {
	shown := map[int64]bool{}
	for _, line := range transcript {
		shown[line.Seq] = true
	}
	written := map[string]bool{}
	for line := range strings.Lines(after) {
		written[strings.TrimRight(line, "\r\n")] = true
	}
	known := map[string]bool{}
	var out []memory.LineSource
	for _, e := range proposal.Evidence {
		named := slices.DeleteFunc(slices.Clone(e.Messages), func(seq int64) bool { return !shown[seq] })
		if written[e.Line] && len(named) > 0 && !known[e.Line] {
			known[e.Line] = true
			out = append(out, memory.LineSource{Line: e.Line, Messages: named})
		}
	}
	for _, e := range memory.Attribute(before, after, transcript) {
		if !known[e.Line] {
			out = append(out, e)
		}
	}
	return out
}
