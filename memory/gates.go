package memory

import (
	"strings"
	"unicode/utf8"
)

// GateInput is what decides whether a range of messages is extracted from.
type GateInput struct {
	Settings             ExtractSettings
	Trigger              Trigger
	ConversationMessages int       // user and assistant messages of the conversation up to the end of the range
	Pending              []Message // of the range, oldest first
}

// normalFinish are the finish reasons of an assistant message that was completed as meant, over all providers.
var normalFinish = map[string]bool{
	"": true, "stop": true, "end_turn": true, "stop_sequence": true, "normal": true, "return_direct": true, "completed": true,
}

// Gate tries the gates in their order and returns the first that is closed; true means that all are open.
func Gate(in GateInput) (ReasonCode, bool) {
	lastUser, lastFinish := "", ""
	for _, m := range in.Pending {
		switch m.Role {
		case RoleOfUser:
			lastUser = m.Content
		case RoleOfAssistant:
			lastFinish = m.FinishReason
		}
	}
	switch {
	case !in.Settings.MemoryEnabled:
		return GateMemoryOff, false
	case in.Trigger == TriggerCron || in.Trigger == TriggerDream:
		return GateSource, false
	case in.ConversationMessages < in.Settings.MinMessages:
		return GateFewMessages, false
	case utf8.RuneCountInString(strings.TrimSpace(lastUser)) < in.Settings.MinUserChars:
		return GateShortMessage, false
	case !normalFinish[strings.ToLower(strings.TrimSpace(lastFinish))]:
		return GateAbnormalFinish, false
	}
	return "", true
}
