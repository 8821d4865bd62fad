package workflows

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"reverie/activities"
	"reverie/memory"
)

// ParseInboxID is the inverse of InboxID.
func ParseInboxID(id string) (memory.OwnerRef, error) {
	parts := strings.Split(id, "/")
	if len(parts) == 3 && parts[0] == "inbox" {
		workspace, agent, found := strings.Cut(parts[1], ".")
		owner, err := uuid.Parse(parts[2])
		if found && err == nil {
			return memory.OwnerRef{Workspace: workspace, Agent: agent, Owner: owner}, nil
		}
	}
	return memory.OwnerRef{}, fmt.Errorf("invalid Inbox id: %q", id)
}

// ParseExtractID is the inverse of ExtractID.
func ParseExtractID(id string) (conversation uuid.UUID, from, to int64, retryOf uuid.UUID, err error) {
	fail := func() (uuid.UUID, int64, int64, uuid.UUID, error) {
		return uuid.Nil, 0, 0, uuid.Nil, fmt.Errorf("invalid Extract id: %q", id)
	}
	parts := strings.Split(id, "/")
	if len(parts) < 3 || len(parts) > 4 || parts[0] != "extract" {
		return fail()
	}
	if conversation, err = uuid.Parse(parts[1]); err != nil {
		return fail()
	}
	first, last, found := strings.Cut(parts[2], "-")
	if from, err = strconv.ParseInt(first, 10, 64); err != nil || !found {
		return fail()
	}
	if to, err = strconv.ParseInt(last, 10, 64); err != nil {
		return fail()
	}
	if len(parts) == 4 {
		retry, isRetry := strings.CutPrefix(parts[3], "retry-")
		if retryOf, err = uuid.Parse(retry); err != nil || !isRetry {
			return fail()
		}
	}
	return conversation, from, to, retryOf, nil
}

// ParseFlushID is the inverse of FlushID.
func ParseFlushID(id string) (conversation uuid.UUID, from, to int64, err error) {
	fail := fmt.Errorf("invalid Flush id: %q", id)
	parts := strings.Split(id, "/")
	if len(parts) != 3 || parts[0] != "flush" {
		return uuid.Nil, 0, 0, fail
	}
	conversation, err = uuid.Parse(parts[1])
	first, last, found := strings.Cut(parts[2], "-")
	from, fromErr := strconv.ParseInt(first, 10, 64)
	to, toErr := strconv.ParseInt(last, 10, 64)
	if err != nil || fromErr != nil || toErr != nil || !found {
		return uuid.Nil, 0, 0, fail
	}
	return conversation, from, to, nil
}

// ParseCompactID is the inverse of CompactID.
func ParseCompactID(id string) (CompactRef, error) {
	var r CompactRef
	name, rules := strings.CutSuffix(id, "/"+byRules)
	parts := strings.Split(name, "/")
	if len(parts) != 4 || parts[0] != "compact" {
		return r, fmt.Errorf("invalid Compact id: %q", id)
	}
	conversation, wrong := uuid.Parse(parts[1])
	to, wrongTo := strconv.ParseInt(parts[2], 10, 64)
	window, wrongWindow := strconv.Atoi(parts[3])
	if parts[3] == flushOnly {
		wrongWindow = nil
	}
	if wrong != nil || wrongTo != nil || wrongWindow != nil {
		return r, fmt.Errorf("invalid Compact id: %q", id)
	}
	return CompactRef{Conversation: conversation, To: to, Window: window, Rules: rules}, nil
}

// ParseDreamID is the inverse of DreamID and DryDreamID; dream is zero unless the id is one of DryDreamID.
func ParseDreamID(id string) (ref memory.OwnerRef, dream uuid.UUID, err error) {
	parts := strings.Split(id, "/")
	if len(parts) == 3 || len(parts) == 5 && parts[3] == dry {
		workspace, agent, found := strings.Cut(parts[1], ".")
		owner, err := uuid.Parse(parts[2])
		if len(parts) == 5 && err == nil {
			dream, err = uuid.Parse(parts[4])
		}
		if found && err == nil && parts[0] == "dream" {
			return memory.OwnerRef{Workspace: workspace, Agent: agent, Owner: owner}, dream, nil
		}
	}
	return memory.OwnerRef{}, uuid.Nil, fmt.Errorf("invalid Dream id: %q", id)
}

// ParseImportSnapshotID is the inverse of ImportSnapshotID.
func ParseImportSnapshotID(id string) (ref activities.AgentRef, archive string, only uuid.UUID, err error) {
	parts := strings.Split(id, "/")
	if (len(parts) == 3 || len(parts) == 4) && parts[0] == "import" && len(parts[2]) == hex.EncodedLen(sha256.Size) {
		workspace, agent, found := strings.Cut(parts[1], ".")
		_, wrong := hex.DecodeString(parts[2])
		if len(parts) == 4 && wrong == nil {
			only, wrong = uuid.Parse(parts[3])
		}
		if found && wrong == nil {
			return activities.AgentRef{Workspace: workspace, Agent: agent}, parts[2], only, nil
		}
	}
	return activities.AgentRef{}, "", uuid.Nil, fmt.Errorf("invalid ImportSnapshot id: %q", id)
}
