package workflows

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/activities"
	"reverie/memory"
)

func anyUUID(t *rapid.T, label string) uuid.UUID {
	var id uuid.UUID
	copy(id[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, label))
	return id
}

func TestIDsAreReadBackAsTheyWereMade(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slug := rapid.StringMatching(`[a-z0-9][a-z0-9_-]{0,62}`)
		ref := memory.OwnerRef{Workspace: slug.Draw(t, "workspace"), Agent: slug.Draw(t, "agent"), Owner: anyUUID(t, "owner")}
		if back, err := ParseInboxID(InboxID(ref)); err != nil || back != ref {
			t.Fatalf("%v became %v (%v)", ref, back, err)
		}
		conversation, retryOf := anyUUID(t, "conversation"), anyUUID(t, "retry")
		from := rapid.Int64Range(1, 1<<40).Draw(t, "from")
		to := from + rapid.Int64Range(0, 1000).Draw(t, "length")
		for _, retry := range []uuid.UUID{uuid.Nil, retryOf} {
			c, f, l, r, err := ParseExtractID(ExtractID(conversation, from, to, retry))
			if err != nil || c != conversation || f != from || l != to || r != retry {
				t.Fatalf("%v %d-%d %v became %v %d-%d %v (%v)", conversation, from, to, retry, c, f, l, r, err)
			}
		}
		if c, f, l, err := ParseFlushID(FlushID(conversation, from, to)); err != nil || c != conversation || f != from || l != to {
			t.Fatalf("%v %d-%d became %v %d-%d (%v)", conversation, from, to, c, f, l, err)
		}
		compact := CompactRef{
			Conversation: conversation, To: to, Window: rapid.IntRange(0, 1<<21).Draw(t, "window"),
			Rules: rapid.Bool().Draw(t, "rules"),
		}
		if back, err := ParseCompactID(CompactID(compact)); err != nil || back != compact {
			t.Fatalf("%+v became %+v (%v)", compact, back, err)
		}
		dream := anyUUID(t, "dream")
		for id, want := range map[string]uuid.UUID{DreamID(ref): {}, DryDreamID(ref, dream): dream} {
			if back, d, err := ParseDreamID(id); err != nil || back != ref || d != want {
				t.Fatalf("%s of %v became %v %v (%v)", id, ref, back, d, err)
			}
		}
		archive := fmt.Sprintf("%x", sha256.Sum256([]byte(slug.Draw(t, "archive"))))
		for _, only := range []uuid.UUID{{}, dream} {
			of := activities.AgentRef{Workspace: ref.Workspace, Agent: ref.Agent}
			if back, a, o, err := ParseImportSnapshotID(ImportSnapshotID(of, archive, only)); err != nil || back != of || a != archive || o != only {
				t.Fatalf("%v %s %v became %v %s %v (%v)", of, archive, only, back, a, o, err)
			}
		}
		request := rapid.StringMatching(`[A-Za-z0-9._:-]{1,128}`).Draw(t, "request")
		write := activities.WriteRef{Workspace: ref.Workspace, Agent: ref.Agent, RequestID: request, Write: dream}
		if parts := strings.SplitN(WriteMemoryID(write), "/", 4); parts[0] != "write-memory" || parts[1] != ref.Workspace+"."+ref.Agent ||
			parts[2] != request || parts[3] != dream.String() {
			t.Fatalf("%+v became %v", write, parts)
		}
		agent := activities.AgentRef{Workspace: ref.Workspace, Agent: ref.Agent}
		if back, err := ParseDreamScheduleID(DreamScheduleID(agent)); err != nil || back != agent {
			t.Fatalf("%v became %v (%v)", agent, back, err)
		}
	})
}

func TestForeignIDsAreRefused(t *testing.T) {
	for _, id := range []string{
		"", "inbox", "inbox/a.b", "inbox/ab/0190", "extract/x/1-2", "extract/" + uuid.Nil.String() + "/1",
		"flush/" + uuid.Nil.String() + "/1", "flush/x/1-2", "compact/" + uuid.Nil.String() + "/1", "compact/" + uuid.Nil.String() + "/1/x",
		"compact/" + uuid.Nil.String() + "/1/8000/models", "compact/rules", "dream/a.b", "dream/ab/" + uuid.Nil.String(),
		"dream/a.b/" + uuid.Nil.String() + "/wet/" + uuid.Nil.String(), "dream/a.b/x",
		"import/a.b", "import/a.b/00", "import/a/" + strings.Repeat("0", 64), "import/a.b/" + strings.Repeat("g", 64),
		"import/a.b/" + strings.Repeat("0", 64) + "/x",
	} {
		if _, err := ParseInboxID(id); err == nil {
			t.Errorf("%q was read as an Inbox", id)
		}
		if _, _, _, _, err := ParseExtractID(id); err == nil {
			t.Errorf("%q was read as an Extract", id)
		}
		if _, _, err := ParseDreamID(id); err == nil {
			t.Errorf("%q was read as a Dream", id)
		}
		if _, _, _, err := ParseFlushID(id); err == nil {
			t.Errorf("%q was read as a Flush", id)
		}
		if ref, _, _, err := ParseImportSnapshotID(id); err == nil {
			t.Errorf("%q was read as an import into %v", id, ref)
		}
		if r, err := ParseCompactID(id); err == nil {
			t.Errorf("%q was read as the Compact %+v", id, r)
		}
	}
	for _, id := range []string{
		"", "dream", "dream/", "dream/a", "dream/a.", "dream/.b", "dream/a.b/c", "dream/a.b.c", "dream/A.b",
		"night/a.b",
	} {
		if _, err := ParseDreamScheduleID(id); err == nil {
			t.Errorf("%q was read as a schedule", id)
		}
	}
}

func TestTheIDOfAnImport(t *testing.T) {
	id := uuid.MustParse("3d438e76-1590-5c0d-8a18-01ea98a75409")
	hook := WebhookInput{AgentRef: activities.AgentRef{Workspace: "acme", Agent: "ada"}, Webhook: id}
	if got := WebhookID(hook); got != "webhook/acme.ada/3d438e76-1590-5c0d-8a18-01ea98a75409" {
		t.Error(got)
	}
	if got := ImportID("acme", "ada", id); got != "import-from/acme.ada/3d438e76-1590-5c0d-8a18-01ea98a75409" {
		t.Error(got)
	}
}

// Running workflows depend on these names: a change here breaks them. Add names, never rename one.
func TestNamesOnTheWire(t *testing.T) {
	for got, want := range map[string]string{
		TaskQueue: "reverie", ModelQueue: "reverie-model", EmbedQueue: "reverie-embed",
		InboxName: "Inbox", ExtractName: "Extract", FlushName: "Flush", CompactName: "Compact", IndexName: "Index", ReindexName: "Reindex",
		ImportSnapshotName: "ImportSnapshot", ImportName: "Import", ImportQueue: "reverie-import", WriteMemoryName: "WriteMemory", DeleteName: "Delete", RevokeName: "Revoke",
		ApproveName: "Approve", ApprovalDecidedSignal: "approval-decided",
		DeliverEventsName: "DeliverEvents", WebhookQueue: "reverie-webhook", WebhookChangedSignal: "webhook-changed", PingUpdate: "ping",
		DreamName: "Dream", NightName: "DreamNight", NightQueue: "reverie-night", SnapshotQueue: "reverie-snapshot",
		TurnCompletedSignal: "turn-completed", ExtractNowUpdate: "extract-now",
		IndexChangedSignal: "index-changed", ProgressQuery: "progress", DecideUpdate: "decide", SwitchBackUpdate: "switch-back",
		FailedType: "ExtractionFailed", DreamFailedType: "DreamFailed", FlushFailedType: "FlushFailed", activities.TypeSuperseded: "Superseded",
		activities.TypeNotFound: "NotFound", activities.TypeForbidden: "Forbidden",
		activities.TypeInvalid: "Invalid", activities.TypeUnavailable: "Unavailable",
		activities.TypeUnusable: "Unusable",
		InboxLeavesType:         "InboxLeaves", changeLongWaits: "long-waits", changeCleanUp: "clean-up",
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
		"Apply", "BeginCompaction", "BeginDeletion", "CancelDeletion", "CancelSnapshot", "CommitDream", "CommitFlush", "CommitSnapshot", "CommitWrite", "CompareSpaces",
		"Conclude", "Consolidate", "DeepSleep", "DeleteHistories", "DeleteOutside", "DeleteRows", "DeliverWebhook", "DreamAgain", "DropSpace",
		"Embed", "EndDeletion", "EndDream", "EndImport", "ExpireApproval", "FindNews", "FollowSpace", "HoldFlush", "ImportPage", "LightSleep", "LookAtApproval", "NextRange", "OpenDream",
		"OpenSpace", "PingWebhook", "PlanFlush",
		"Propose", "ProposeFlush", "REMSleep", "ReadSnapshot", "RemindApproval", "RevokeLearned", "RevokeSource", "StaleIndex", "StaleLeft", "StartDreams", "StopCompaction", "Summarise", "SwitchSpace", "TendIndex",
		"Tidy", "WriteMemory",
	}; !slices.Equal(methods, want) {
		t.Errorf("activities are %v, shipped were %v", methods, want)
	}
}
