package dreams

import (
	"reverie/api/fault"
	"reverie/memory"
	"reverie/store"
	"reverie/workflows"
)

// Reason codes of dreams that the API explains in words and that other rooms give; docs/dreaming.md lists them.
const (
	reasonDreamingOff   memory.ReasonCode = "dreaming_off"
	reasonSharedOnly    memory.ReasonCode = "shared_only"
	reasonNoNews        memory.ReasonCode = "no_news"
	reasonNothingPassed memory.ReasonCode = "nothing_passed"
	// neverStarted is the reason of a dream that Temporal did not take.
	neverStarted memory.ReasonCode = "never_started"
	// reasonDreaming is the reason of a dream that came to the same owner at the same moment as another one.
	reasonDreaming = memory.ReasonCode(fault.Dreaming)
)

// dreamReasons say in words why a dream ended as it did whose record says it with a code only. They are about no contents.
var dreamReasons = map[memory.ReasonCode]string{
	memory.GateMemoryOff:             "memory is switched off for this agent: switch it on with memoryEnabled",
	memory.GateTeamMember:            "the agent has a leader: memory is read-only for team members",
	reasonDreamingOff:                "dreaming is switched off for this agent: switch it on with dreamingEnabled, or make a dry run",
	reasonSharedOnly:                 "without owner isolation only the shared memory dreams: name nobody",
	reasonNoNews:                     "nothing was noted or said in the days that a dream looks at",
	reasonNothingPassed:              "no candidate passed",
	neverStarted:                     "its workflow could not be started",
	reasonDreaming:                   "another dream of this owner began at the same moment",
	store.DreamAbandoned:             "its workflow ended without it",
	workflows.ReasonCancelled:        "its workflow was cancelled",
	workflows.ReasonStepFailed:       "a step could not be done, however often it was tried: the history of its workflow tells more",
	workflows.ReasonSuperseded:       "another execution has this dream",
	workflows.ReasonKeepsChanging:    "somebody kept changing the same lines of MEMORY.md",
	workflows.ReasonModelUnavailable: "the model was away",
	workflows.ReasonContextTooLong:   "the model's context is too small for the notes",
}
