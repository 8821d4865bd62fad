// Package dream is what a dream decides, free of I/O: which statements it looks at, how they are staged (light), what they
// have in common (REM), which of them are worth keeping for good and why (deep), how MEMORY.md is written without harming it,
// and what the diary and the reports say.
//
//	Light    statements of notes and sessions, with what is known of them -> candidates, each thing once
//	REM      candidates -> themes that recur over days, and likely truths
//	Deep     candidates -> scores, gates, filters -> a verdict with its reason for each
//	Promote  what passed -> a section of MEMORY.md (without a model)
//	Check    a new MEMORY.md, whoever wrote it -> what is wrong with it
//	Compose  everything -> the changes that are committed together
//
// This package holds the values; notes reads statements, judge has Light, REM and Deep, rewrite has Promote and Check, and compose
// builds the changes.
package dream
