package prompts

import (
	"fmt"
	"strconv"
	"strings"

	"reverie/memory"
	"reverie/memory/proposals"
)

// DreamVersion identifies the templates of a consolidation by a hash of their content. It is recorded with every dream that asked a
// model.
var DreamVersion = version("dream", "dream_system.tmpl", "dream_user.tmpl", "dream_repair.tmpl")

const (
	// MaxGone bounds how many forgotten statements a model is shown. The check of its answer uses all of them.
	MaxGone = 60
	// maxTopicChars bounds the topic of a focused dream.
	maxTopicChars = 300
	// maxStatementChars bounds one statement, in characters.
	maxStatementChars = 600
)

// DreamSystem renders the system text of consolidations. It is the same for all of them, so that providers can cache it.
func DreamSystem() (string, error) { return render("dream_system.tmpl", nil) }

// DreamUser renders the user text of one consolidation. With Violations it is the repair round: the same text, then what was wrong
// with Previous.
func DreamUser(in proposals.ConsolidationInput) (string, error) {
	data := consolidationData(in)
	text, err := render("dream_user.tmpl", data)
	if err != nil || len(in.Violations) == 0 {
		return text, err
	}
	repair, err := render("dream_repair.tmpl", data)
	return strings.TrimRight(text, "\n") + repair, err
}

// consolidation is the input of dream_user.tmpl and dream_repair.tmpl.
type consolidation struct {
	Code           string // of the markers
	Now            string
	Agent          string // quoted, on one line
	Topic          string // on one line
	MemoryMaxChars int
	Files          []file
	Protected      []string
	Candidates     []string // on one line each, as the lists below
	Contradictions []string
	Forgotten      []string
	Notes          []file
	Violations     []string
	Previous       string
}

func consolidationData(in proposals.ConsolidationInput) consolidation {
	c := consolidation{
		Now:            in.Today.Format("2006-01-02 15:04, Monday") + zone(in.Today),
		Topic:          head(oneLine(in.Topic), maxTopicChars),
		MemoryMaxChars: in.MemoryMaxChars,
		Files:          []file{shownFile(memory.MemoryPath, in.Memory)},
	}
	c.Protected = protectedIn(c.Files, in.Protected)
	if shared := strings.TrimSpace(in.Shared); shared != "" {
		c.Files = append(c.Files, file{Name: "SHARED MEMORY.md", Text: head(shared, MaxFileChars)})
	}
	if name := head(oneLine(in.Agent), maxNameChars); name != "" {
		c.Agent = strconv.Quote(name)
	}
	for i, candidate := range in.Candidates {
		c.Candidates = append(c.Candidates, fmt.Sprintf("%d. %s (%s)", i+1, statement(candidate.Text), weightOf(candidate)))
	}
	c.Contradictions = pairLines(in.Contradictions)
	for _, gone := range in.Forgotten[:min(len(in.Forgotten), MaxGone)] {
		c.Forgotten = append(c.Forgotten, statement(gone))
	}
	for _, n := range in.Notes {
		if text := strings.TrimSpace(n.Text); text != "" {
			c.Notes = append(c.Notes, file{Name: oneLine(n.Path), Text: text, Cut: n.Cut})
		}
	}
	for _, v := range in.Violations {
		c.Violations = append(c.Violations, oneLine(v))
	}
	if len(in.Violations) > 0 {
		c.Previous = head(strings.TrimSpace(in.Previous), MaxPreviousChars)
	}
	c.Code = fenceCode(c.data()...)
	return c
}

// data returns everything that is put between markers.
func (c consolidation) data() []string {
	data := []string{c.Agent, c.Topic, c.Previous}
	for _, f := range append(c.Files, c.Notes...) {
		data = append(data, f.Name, f.Text)
	}
	for _, list := range [][]string{c.Protected, c.Candidates, c.Contradictions, c.Forgotten, c.Violations} {
		data = append(data, list...)
	}
	return data
}

func statement(text string) string { return head(oneLine(text), maxStatementChars) }

// weightOf describes the evidence for a candidate.
func weightOf(c proposals.ConsolidationCandidate) string {
	said := fmt.Sprintf("score %.2f", c.Score)
	switch {
	case c.Days == 1:
		said += ", on 1 day"
	case c.Days > 1:
		said += fmt.Sprintf(", on %d days", c.Days)
	}
	if c.Asked {
		said += ", asked to be remembered"
	}
	return said
}
