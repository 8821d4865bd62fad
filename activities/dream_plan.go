package activities

import (
	"reverie/memory/setting"
)

// DreamPlan is when an agent dreams.
type DreamPlan struct {
	AgentRef
	TimeZone string // IANA name
	setting.DreamSchedule
}
