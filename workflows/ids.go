package workflows

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"reverie/activities"
	"reverie/memory"
)

// agentRef names an agent of a workspace, or the workspace if agent is empty. Neither slug contains a dot.
func agentRef(workspace, agent string) string {
	if agent == "" {
		return workspace
	}
	return workspace + "." + agent
}

// InboxID returns the id of an owner's Inbox.
func InboxID(ref memory.OwnerRef) string {
	return "inbox/" + agentRef(ref.Workspace, ref.Agent) + "/" + ref.Owner.String()
}

// ExtractID returns the id of the extraction of messages from..to (inclusive) of a conversation. retryOf is zero
// unless it retries a quarantined extraction.
func ExtractID(conversation uuid.UUID, from, to int64, retryOf uuid.UUID) string {
	id := fmt.Sprintf("extract/%s/%d-%d", conversation, from, to)
	if retryOf != uuid.Nil {
		id += "/retry-" + retryOf.String()
	}
	return id
}

// FlushID returns the id of the flush of messages from..to (inclusive) of a conversation.
func FlushID(conversation uuid.UUID, from, to int64) string {
	return fmt.Sprintf("flush/%s/%d-%d", conversation, from, to)
}

// Parts of the ids of compactions: flushOnly replaces the window when there is no summary, and the suffix marks one
// that asks no model.
const (
	flushOnly = "flush"
	byRules   = "rules"
)

// CompactRef identifies a compaction: equal values mean the same compaction.
type CompactRef struct {
	Conversation uuid.UUID
	To           int64 // last message
	Window       int   // tokens; 0: flush only, without a summary
	Rules        bool  // no model is asked or waited for
}

// CompactID returns the id of a compaction.
func CompactID(r CompactRef) string {
	id := fmt.Sprintf("compact/%s/%d/", r.Conversation, r.To)
	if r.Window == 0 {
		id += flushOnly
	} else {
		id += strconv.Itoa(r.Window)
	}
	if r.Rules {
		id += "/" + byRules
	}
	return id
}

// IndexID returns the id of the Index of an agent.
func IndexID(ref activities.AgentRef) string { return "index/" + agentRef(ref.Workspace, ref.Agent) }

// lexical replaces the model's key in the id of a Reindex of the lexical index.
const lexical = "lexical"

// reindexKey is the number of characters of a model's key in an id: enough to distinguish the few models of one
// agent.
const reindexKey = 12

// ReindexID returns the id of the Reindex of an agent to an embedding model.
func ReindexID(ref activities.AgentRef, to memory.EmbeddingIdentity) string {
	return "reindex/" + agentRef(ref.Workspace, ref.Agent) + "/" + to.Key()[:reindexKey]
}

// LexicalReindexID returns the id of the Reindex of an agent's lexical index.
func LexicalReindexID(ref activities.AgentRef) string {
	return "reindex/" + agentRef(ref.Workspace, ref.Agent) + "/" + lexical
}

// DreamID returns the id of an owner's dreams, of which one runs at a time.
func DreamID(ref memory.OwnerRef) string {
	return "dream/" + agentRef(ref.Workspace, ref.Agent) + "/" + ref.Owner.String()
}

// dry marks the ids of dreams that write nothing and run beside others.
const dry = "dry"

// DryDreamID returns the id of a dry run or a replay. Each has a separate record.
func DryDreamID(ref memory.OwnerRef, dream uuid.UUID) string {
	return DreamID(ref) + "/" + dry + "/" + dream.String()
}

// ImportID returns the id of an import of an agent.
func ImportID(workspace, agent string, imported uuid.UUID) string {
	return "import-from/" + agentRef(workspace, agent) + "/" + imported.String()
}

// RevocationID returns the id of a revocation.
func RevocationID(ref activities.AgentRef, revocation uuid.UUID) string {
	return "revoke/" + agentRef(ref.Workspace, ref.Agent) + "/" + revocation.String()
}

// DeletionID returns the id of the deletion of an agent, or of an owner or a conversation of it.
func DeletionID(ref activities.AgentRef, deletion uuid.UUID) string {
	return "delete/" + agentRef(ref.Workspace, ref.Agent) + "/" + deletion.String()
}

// WebhookID returns the id of the deliveries to an endpoint.
func WebhookID(in WebhookInput) string {
	return "webhook/" + agentRef(in.Workspace, in.Agent) + "/" + in.Webhook.String()
}

// ApprovalID returns the id of the workflow that waits for the approval of a proposal.
func ApprovalID(ref activities.AgentRef, approval uuid.UUID) string {
	return "approve/" + agentRef(ref.Workspace, ref.Agent) + "/" + approval.String()
}

// DreamNightID returns the common prefix of the ids of an agent's nights; its schedule appends the time.
func DreamNightID(ref activities.AgentRef) string {
	return "dream-night/" + agentRef(ref.Workspace, ref.Agent)
}

// dreamSchedules is the prefix of the ids of dream schedules.
const dreamSchedules = "dream/"

// DreamScheduleID returns the id of the schedule of an agent's nights.
func DreamScheduleID(ref activities.AgentRef) string {
	return dreamSchedules + agentRef(ref.Workspace, ref.Agent)
}

// ParseDreamScheduleID is the inverse of DreamScheduleID.
func ParseDreamScheduleID(id string) (activities.AgentRef, error) {
	name, isDream := strings.CutPrefix(id, dreamSchedules)
	workspace, agent, found := strings.Cut(name, ".")
	if !isDream || !found || !memory.ValidSlug(workspace) || !memory.ValidSlug(agent) {
		return activities.AgentRef{}, fmt.Errorf("invalid dream schedule id: %q", id)
	}
	return activities.AgentRef{Workspace: workspace, Agent: agent}, nil
}

// ImportSnapshotID returns the id of the import of an archive, by its SHA-256 in hex, into an agent. only is zero
// unless another import of the same archive may run at the same time, for another owner or with other options.
func ImportSnapshotID(ref activities.AgentRef, archive string, only uuid.UUID) string {
	id := "import/" + agentRef(ref.Workspace, ref.Agent) + "/" + archive
	if only != uuid.Nil {
		id += "/" + only.String()
	}
	return id
}

// WriteMemoryID returns the id of a write of a business process. A request id contains no slash; the write's id is appended because
// several owners may choose the same request id.
func WriteMemoryID(ref activities.WriteRef) string {
	return FormerWriteMemoryID(ref) + "/" + ref.Write.String()
}

// FormerWriteMemoryID returns the id that a write had when request ids were unique per agent: a workflow that was started then may
// still run.
func FormerWriteMemoryID(ref activities.WriteRef) string {
	return memory.ProcessPrefix + agentRef(ref.Workspace, ref.Agent) + "/" + ref.RequestID
}
