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
		InboxName: "Inbox", ExtractName: "Extract", FlushName: "Flush", CompactName: "Compact", IndexName: "Index", ReindexName: "Reindex",
		ImportSnapshotName: "ImportSnapshot", ImportName: "Import", ImportQueue: "reverie-import", WriteMemoryName: "WriteMemory",
		DreamName: "Dream", NightName: "DreamNight", NightQueue: "reverie-night",
		TurnCompletedSignal: "turn-completed", ExtractNowUpdate: "extract-now",
		IndexChangedSignal: "index-changed", ProgressQuery: "progress", DecideUpdate: "decide", SwitchBackUpdate: "switch-back",
		FailedType: "ExtractionFailed", DreamFailedType: "DreamFailed", FlushFailedType: "FlushFailed", activities.TypeSuperseded: "Superseded",
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
		"Apply", "BeginCompaction", "CancelSnapshot", "CommitDream", "CommitFlush", "CommitSnapshot", "CommitWrite", "CompareSpaces", "Conclude", "Consolidate", "DeepSleep", "DropSpace",
		"Embed", "EndDream", "EndImport", "FindNews", "FollowSpace", "HoldFlush", "ImportPage", "LightSleep", "NextRange", "OpenDream", "OpenSpace", "PlanFlush",
		"Propose", "ProposeFlush", "REMSleep", "ReadSnapshot", "StaleIndex", "StaleLeft", "StartDreams", "Summarise", "SwitchSpace", "TendIndex",
		"WriteMemory",
	}; !slices.Equal(methods, want) {
		t.Errorf("activities are %v, shipped were %v", methods, want)
	}
}
