package activities

import (
	"reverie/memory/setting"
)

// DreamPlan is the dream schedule of an agent.
type DreamPlan struct {
	AgentRef
	TimeZone string // IANA name
	setting.DreamSchedule
}
