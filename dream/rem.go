package dream

import (
	"time"

	"reverie/memory"
)

// REM finds what candidates of several days have in common, and which of them are likely truths. It changes nothing.
func REM(candidates []Candidate, asOf time.Time, s memory.DreamSettings) Reflection {
	return Reflection{}
}
