package prompts

import (
	"strconv"
	"strings"

	"reverie/memory/proposals"
)

// SoulVersion identifies the templates of SOUL.md by a hash of their content.
var SoulVersion = version("soul", "soul_system.tmpl", "soul_user.tmpl")

// SoulSystem renders the system text of rewriting SOUL.md. It is the same for all of them, so that providers can cache it.
func SoulSystem() (string, error) { return render("soul_system.tmpl", nil) }

// SoulUser renders the user text of one rewriting. With Violations it is the repair round.
func SoulUser(in proposals.SoulInput) (string, error) {
	s := soul{
		MaxWords: in.MaxWords, Soul: strings.TrimSpace(in.Soul), Person: strings.Join(in.Person, "\n"),
		Known: strings.TrimSpace(strings.Join(in.Known, "\n\n")), Previous: strings.TrimSpace(in.Previous),
	}
	for _, v := range in.Violations {
		s.Violations = append(s.Violations, oneLine(v))
	}
	if name := head(oneLine(in.Agent), maxNameChars); name != "" {
		s.Agent = strconv.Quote(name)
	}
	s.Code = fenceCode(s.Agent, s.Soul, s.Person, s.Known, s.Previous)
	return render("soul_user.tmpl", s)
}

// soul is the input of soul_user.tmpl.
type soul struct {
	Code       string // of the markers
	Agent      string // quoted, on one line
	MaxWords   int
	Soul       string
	Person     string
	Known      string
	Previous   string
	Violations []string
}
