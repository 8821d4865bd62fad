package workflows

import (
	"reflect"
	"slices"
	"testing"

	"reverie/activities"
)

// Running workflows depend on these names: a change here breaks them. Add names, never rename one.
func TestNamesOnTheWire(t *testing.T) {
	for got, want := range map[string]string{
		TaskQueue: "reverie", ModelQueue: "reverie-model", EmbedQueue: "reverie-embed",
		InboxName: "Inbox", ExtractName: "Extract", IndexName: "Index", ReindexName: "Reindex",
		DreamName: "Dream", NightName: "DreamNight",
		TurnCompletedSignal: "turn-completed", ExtractNowUpdate: "extract-now",
		IndexChangedSignal: "index-changed", ProgressQuery: "progress", DecideUpdate: "decide", SwitchBackUpdate: "switch-back",
		FailedType:              "ExtractionFailed",
		activities.TypeNotFound: "NotFound", activities.TypeForbidden: "Forbidden",
		activities.TypeInvalid: "Invalid", activities.TypeUnavailable: "Unavailable",
		activities.TypeUnusable:  "Unusable",
		AgentAttribute.GetName(): "AgentID", OwnerAttribute.GetName(): "OwnerKey", OutcomeAttribute.GetName(): "Outcome",
	} {
		if got != want {
			t.Errorf("%q was %q when it shipped", got, want)
		}
	}
	var methods []string
	typ := reflect.TypeFor[*activities.Activities]()
	for m := range typ.Methods() {
		methods = append(methods, m.Name)
	}
	if want := []string{
		"Apply", "CompareSpaces", "Conclude", "DropSpace", "Embed", "FollowSpace", "NextRange", "OpenSpace", "Propose",
		"StaleIndex", "StaleLeft", "SwitchSpace", "TendIndex",
	}; !slices.Equal(methods, want) {
		t.Errorf("activities are %v, shipped were %v", methods, want)
	}
}
