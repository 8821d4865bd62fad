// Package dream defines the values of a dream. The packages below it decide, free of I/O, which statements a dream considers,
// how they are staged (light), what they have in common (REM), which of them are promoted and why (deep), how MEMORY.md is
// rewritten safely, and what the diary and the reports contain.
//
//	Light    statements of notes and sessions, with earlier states -> candidates, each statement once
//	REM      candidates -> themes that recur over days, and likely truths
//	Deep     candidates -> scores, gates, filters -> a verdict with its reason for each
//	Promote  candidates that passed -> a section of MEMORY.md (without a model)
//	Check    a new MEMORY.md, by a model or by rules -> violations
//	Compose  everything -> the changes to commit together
//
// Package notes reads statements, judge implements Light, REM and Deep, rewrite implements Promote and Check, and compose
// builds the changes.
package dream
