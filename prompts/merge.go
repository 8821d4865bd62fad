package prompts

import (
	"strings"

	"reverie/memory/proposals"
)

// MergeVersion identifies the templates by which structured entries are merged by a hash of their content.
var MergeVersion = version("merge", "merge_system.tmpl", "merge_user.tmpl")

// MergeSystem renders the system text of merging structured entries.
func MergeSystem() (string, error) { return render("merge_system.tmpl", nil) }

// MergeUser renders the user text: the numbered entries of one document. With Violations it is the repair round.
func MergeUser(in proposals.MergeInput) (string, error) {
	type entry struct {
		Number       int
		Key, Content string
	}
	var data struct {
		Code       string // of the markers
		Entries    []entry
		Previous   string
		Violations []string
	}
	texts := []string{in.Previous}
	for i, e := range in.Entries {
		data.Entries = append(data.Entries, entry{i + 1, oneLine(e.Key), strings.TrimSpace(e.Content)})
		texts = append(texts, e.Key, e.Content)
	}
	data.Previous = strings.TrimSpace(in.Previous)
	for _, v := range in.Violations {
		data.Violations = append(data.Violations, oneLine(v))
	}
	data.Code = fenceCode(texts...)
	return render("merge_user.tmpl", data)
}
