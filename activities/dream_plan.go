package activities

import "reverie/memory"

// DreamPlan is when an agent dreams.
type DreamPlan struct {
	AgentRef
	TimeZone string // IANA name
	memory.DreamSchedule
}
