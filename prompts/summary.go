package prompts

import (
	"strconv"
	"strings"
	"time"

	"reverie/memory/proposals"
	"reverie/memory/transcripts"
)

// SummaryVersion identifies the templates of a summary by a hash of their content. It is recorded with every summary of a model.
var SummaryVersion = version("summary", "summary_system.tmpl", "summary_user.tmpl")

const (
	// maxSaidChars bounds a message of a person or the agent, and maxToolChars the input and output of a tool, in characters. Of a
	// longer one the head and the tail are shown.
	maxSaidChars = 4000
	maxToolChars = 1200
	// maxGoalChars bounds the first message of the user.
	maxGoalChars = 2000
)

// SummarySystem renders the system text of summaries. It is the same for all of them, so that providers can cache it.
func SummarySystem() (string, error) { return render("summary_system.tmpl", nil) }

// SummaryUser renders the user text of one part of a summary.
func SummaryUser(in proposals.SummaryInput) (string, error) {
	zone := in.Zone
	if zone == nil {
		zone = time.UTC
	}
	s := summary{
		MaxTokens: in.MaxTokens, MaxWords: in.MaxTokens * 3 / 4, Previous: strings.TrimSpace(in.Previous),
		Goal:       transcripts.HeadAndTail(strings.TrimSpace(in.Goal), maxGoalChars),
		Transcript: transcripts.RenderMessages(in.Messages, zone, maxSaidChars, maxToolChars),
	}
	if name := head(oneLine(in.Agent), maxNameChars); name != "" {
		s.Agent = strconv.Quote(name)
	}
	s.Code = fenceCode(s.Agent, s.Previous, s.Goal, s.Transcript)
	return render("summary_user.tmpl", s)
}

// summary is the input of summary_user.tmpl.
type summary struct {
	Code       string // of the markers
	Agent      string // quoted, on one line
	MaxTokens  int
	MaxWords   int
	Goal       string
	Previous   string
	Transcript string
}
