package prompts

import (
	"strconv"
	"strings"
	"time"

	"reverie/memory"
)

// SummaryVersion names the templates of a summary by their content. It is recorded with every summary that a model wrote.
var SummaryVersion = version("summary", "summary_system.tmpl", "summary_user.tmpl")

const (
	// maxSaidChars bounds what is shown of a message that a person or the agent wrote, in characters; maxToolChars of what a tool
	// returned or was asked. Of what is longer the head and the tail are shown.
	maxSaidChars = 4000
	maxToolChars = 1200
	// maxGoalChars bounds what is shown of the first message of the user.
	maxGoalChars = 2000
)

// SummarySystem is what every summary is told. It is the same for all of them, so that providers can cache it.
func SummarySystem() (string, error) { return render("summary_system.tmpl", nil) }

// SummaryUser renders the material of one part of a summary.
func SummaryUser(in memory.SummaryInput) (string, error) {
	zone := in.Zone
	if zone == nil {
		zone = time.UTC
	}
	s := summary{
		MaxTokens: in.MaxTokens, MaxWords: in.MaxTokens * 3 / 4, Previous: strings.TrimSpace(in.Previous),
		Goal:       memory.HeadAndTail(strings.TrimSpace(in.Goal), maxGoalChars),
		Transcript: memory.RenderMessages(in.Messages, zone, maxSaidChars, maxToolChars),
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
