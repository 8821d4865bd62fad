package view

import (
	"slices"
	"strings"
)

// subpage is a page of a section, for those who may use it.
type subpage struct {
	Page, Name string
	person     bool // only of somebody's memory, not of what is shared
	write      bool // only for those who may change something
	decides    bool // only for administrators, and for people with a key of theirs
}

// sections are the pages of each section that has several.
var sections = map[string][]subpage{
	"memory": {
		{Page: "memory", Name: "Documents"},
		{Page: "context", Name: "What a model sees", person: true, write: true},
		{Page: "transfer", Name: "Export and import"},
		{Page: "deletions", Name: "Delete", write: true, decides: true},
	},
	"conversations": {
		{Page: "conversations", Name: "Conversations"}, {Page: "chat", Name: "Chat", person: true, write: true}, {Page: "injections", Name: "What was injected", person: true},
	},
	"timeline": {{Page: "timeline", Name: "Timeline"}, {Page: "card", Name: "Morning card", person: true}},
	"held":     {{Page: "held", Name: "Instructions"}, {Page: "approvals", Name: "Changes to approve", decides: true}},
	"facts":    {{Page: "facts", Name: "Facts"}, {Page: "contradictions", Name: "Contradictions"}, {Page: "archived", Name: "Archived"}},
}

// subpages returns the pages of the section of a frame, if it is one of them or belongs to one.
func (f Frame) subpages() []subpage {
	pages := slices.DeleteFunc(slices.Clone(sections[f.Section]), func(p subpage) bool {
		return p.person && f.Owner == "" || p.write && !f.MayWrite || p.decides && f.Role != "admin" && f.Pinned == ""
	})
	if !slices.ContainsFunc(pages, func(p subpage) bool { return f.within(p) != "" }) {
		return nil
	}
	return pages
}

// within returns the value of aria-current for a page: the one that is shown, or the one that it belongs to.
func (f Frame) within(p subpage) string {
	switch first, _, _ := strings.Cut(f.Page, "/"); {
	case f.Page == p.Page:
		return "page"
	case first == p.Page:
		return "true"
	}
	return ""
}
