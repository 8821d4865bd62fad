// Package workflows orchestrates memory: deterministic code that orders, waits and retries, while Postgres decides.
//
//	workflow    id                                     what it does
//	Inbox       inbox/<agent>/<owner>                  waits out quiet period and cooldown, then starts one Extract at a time
//	Extract     extract/<conversation>/<from>-<to>     propose -> apply, for one range of messages, once
//	Flush       flush/<conversation>/<from>-<to>       propose -> commit, for messages that are about to leave a context window, once
//	Compact     compact/<conversation>/<to>/<window>   a Flush for what is not flushed, then a summary; "flush" for <window>: no summary
//	            compact/…/rules                        the same without a model
//	Index       index/<agent>                          merges, reindexes and embeds what was written
//	Reindex     reindex/<agent>/<model or "lexical">   builds an index beside the live one, compares, switches, drops the old
//	Dream       dream/<agent>/<owner>                  light -> REM -> deep -> commit, for the news of one owner
//	            dream/<agent>/<owner>/dry/<dream>      the same without a write: a dry run or a replay
//	WriteMemory     write-memory/<agent>/<request>/<write> one write of a business process, through the gate
//	ImportSnapshot  import/<agent>/<archive hash>      an archive of documents, in one transaction
//	Import      import-from/<agent>/<import>           documents and conversations of another system, one by one in time order
//	Delete      delete/<agent>/<deletion>              a conversation, an owner or the agent, after a grace period
//	DeliverEvents webhook/<agent>/<webhook>            delivers events to one endpoint, in their order
//	Revoke      revoke/<agent>/<revocation>            removes what was learned only from a source
//	Approve     approve/<agent>/<approval>             waits for a person who decides about a proposal, with reminders and an expiry
//	DreamNight  dream-night/<agent> + time             starts the Dreams of one night of one agent
//
// <agent> is <workspace>.<agent id>, or <workspace> alone for the workspace itself; <owner> and <conversation> are
// opaque ids. Inputs, results and signals carry only references, never the content of messages or memories.
package workflows

import "go.temporal.io/sdk/temporal"

// Names on the wire. Running workflows depend on them: never rename one (TestNamesOnTheWire holds them).
const (
	// TaskQueue runs workflows and the steps that touch only the store.
	TaskQueue = "reverie"
	// ModelQueue runs the steps that call a model, so that slow models never block the store.
	ModelQueue = "reverie-model"
	// NightQueue runs the step that starts the dreams of a night and waits for them. It takes hours, so it must not
	// occupy the slots of the steps that it waits for.
	NightQueue = "reverie-night"
	// EmbedQueue runs the steps that call an embedding model, so embedding a large index does not delay extraction.
	EmbedQueue = "reverie-embed"
	// SnapshotQueue runs the steps that read or write a whole archive, which takes much memory: one at a time.
	SnapshotQueue = "reverie-snapshot"
	// WebhookQueue runs the steps that wait for endpoints of webhooks, which may be slow.
	WebhookQueue = "reverie-webhook"
	// ImportQueue runs the steps that import data and wait for its extraction, for hours.
	ImportQueue = "reverie-import"

	InboxName   = "Inbox"
	ExtractName = "Extract"
	FlushName   = "Flush"
	CompactName = "Compact"
	IndexName   = "Index"
	ReindexName = "Reindex"
	DreamName   = "Dream"
	NightName   = "DreamNight"

	WriteMemoryName    = "WriteMemory"
	ImportSnapshotName = "ImportSnapshot"
	ImportName         = "Import"
	DeleteName         = "Delete"
	DeliverEventsName  = "DeliverEvents"
	RevokeName         = "Revoke"
	ApproveName        = "Approve"

	// TurnCompletedSignal signals an Inbox that messages are waiting.
	TurnCompletedSignal = "turn-completed"
	// ExtractNowUpdate asks an Inbox to extract at once and answers with the outcome.
	ExtractNowUpdate = "extract-now"
	// IndexChangedSignal signals an Index that something was written.
	IndexChangedSignal = "index-changed"
	// WebhookChangedSignal signals a DeliverEvents that there may be something to deliver.
	WebhookChangedSignal = "webhook-changed"
	// PingUpdate asks a DeliverEvents for a test event and answers with the outcome.
	PingUpdate = "ping"
	// ApprovalDecidedSignal signals an Approve that a person has decided about lines.
	ApprovalDecidedSignal = "approval-decided"
	// ProgressQuery asks a Reindex for its progress.
	ProgressQuery = "progress"
	// DecideUpdate answers a Reindex that asks whether to switch to a space that finds less.
	DecideUpdate = "decide"
	// SwitchBackUpdate makes the old space of a Reindex live again.
	SwitchBackUpdate = "switch-back"
)

// Search attributes, registered before the first start (devenv and `reverie migrate` do).
var (
	AgentAttribute   = temporal.NewSearchAttributeKeyKeyword("AgentID")
	OwnerAttribute   = temporal.NewSearchAttributeKeyKeyword("OwnerKey")
	OutcomeAttribute = temporal.NewSearchAttributeKeyKeyword("Outcome")
)

// SearchAttributes returns the names and types of the attributes that a namespace must have.
func SearchAttributes() map[string]string {
	return map[string]string{
		AgentAttribute.GetName(): "Keyword", OwnerAttribute.GetName(): "Keyword", OutcomeAttribute.GetName(): "Keyword",
	}
}
