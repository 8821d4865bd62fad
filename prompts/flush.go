package prompts

import (
	"strings"

	"reverie/memory/proposals"
)

// FlushVersion identifies the templates of a flush by a hash of their content. It is recorded with every step that asked a model.
var FlushVersion = version("flush", "flush_system.tmpl", "flush_user.tmpl", "dream_repair.tmpl")

// FlushSystem renders the system text of flushes. It is the same for all of them, so that providers can cache it.
func FlushSystem() (string, error) { return render("flush_system.tmpl", nil) }

// FlushUser renders the user text of one step of a flush: that of an extraction whose files are read only. With Violations it is the
// repair round.
func FlushUser(in proposals.ExtractionInput) (string, error) {
	in.Protected = nil // nothing is rewritten
	data := extractData(in)
	text, err := render("flush_user.tmpl", data)
	if err != nil || len(in.Violations) == 0 {
		return text, err
	}
	repair, err := render("dream_repair.tmpl", data)
	return strings.TrimRight(text, "\n") + repair, err
}
