package view

import "time"

// Approvals are changes that wait for a person.
type Approvals struct {
	Items       []Approval
	All, Across bool   // with those that are decided; of every owner
	Next        string // cursor of older ones
}

// Approval is a change of one document that waits for a person, or did.
type Approval struct {
	ID, Path, Scope, Owner, Reason, Conversation string
	By                                           Author
	From, To                                     int64
	At, Expires                                  time.Time
	Waiting                                      int
	Applies, Expired                             bool
	Made                                         bool // the document exists
	Lines                                        []ApprovalLine
}

// ApprovalLine is a line that a change removes, adds or replaces.
type ApprovalLine struct {
	Line                                 int
	Removed, Added, Decision, Text, Note string
	Headings                             string // new ones that come with the line
	By                                   Author
	Sources                              []LineSource
}

// LineSource is a message that a line comes from.
type LineSource struct {
	Conversation string
	Message      int64
}

// shown names a line for those who do not see it.
func (l ApprovalLine) shown() string {
	if l.Added != "" {
		return l.Added
	}
	return "remove " + l.Removed
}

// approvalsOf is the address of what waits for the caller; of an administrator, for everybody.
func approvalsOf(a Agent) string {
	whom := Shared
	if a.Whom == Me {
		whom = Me
	}
	return "/agents/" + a.ID + "/of/" + whom + "/approvals"
}

var decisionNames = map[string]string{"approve": "Approved", "edit": "Approved in other words", "refuse": "Refused"}
