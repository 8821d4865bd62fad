package workflows

import (
	"errors"

	"go.temporal.io/sdk/workflow"

	"reverie/activities"
)

// DreamNightInput is one night of one agent.
type DreamNightInput struct {
	activities.AgentRef
	// TimeZone and Cron say when the agent dreams, for the name of the night: see NightKey.
	TimeZone string `json:"timeZone,omitempty"`
	Cron     string `json:"cron,omitempty"`
	// Parallel is how many owners of the agent dream at once; 0: as many as the default.
	Parallel int `json:"parallel,omitempty"`
}

// DreamNightResult counts how the dreams of the night ended.
type DreamNightResult struct {
	Night    string         `json:"night"`
	Owners   int            `json:"owners"`
	Outcomes map[string]int `json:"outcomes,omitempty"`
	Late     int            `json:"late,omitempty"` // still dreaming when the night was over: they go on by themselves
}

// DreamNight starts one Dream for each owner with news, as independent executions, some at a time.
func DreamNight(_ workflow.Context, _ DreamNightInput) (DreamNightResult, error) {
	return DreamNightResult{}, errors.ErrUnsupported
}
