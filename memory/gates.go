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

// normalFinish are the finish reasons of an answer that ended as it was meant to, as the providers and agent frameworks
// say them, without case and separators. A turn that ends with a tool's result ends with a call of it; that counts as
// normal, since whoever reported the turn as complete waits for nothing more. All others (length, max_tokens,
// content_filter, safety, refusal, error, cancelled, …) leave an answer that is not what was meant, and the turn waits in
// front of the cursor for a better one.
var normalFinish = map[string]bool{
	"": true, "stop": true, "endturn": true, "stopsequence": true, "eos": true, "eostoken": true, "complete": true, "completed": true,
	"normal": true, "returndirect": true, "toolcalls": true, "tooluse": true, "functioncall": true,
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")

func endedNormally(finish string) bool {
	return normalFinish[separators.Replace(strings.ToLower(finish))]
}

// Gate tries the gates in their order and returns the first that is closed; true means that all are open. The last message
// of the user counts in characters without the space around it; a range without one is closed by it.
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
	case in.Settings.Stopped() != "":
		return in.Settings.Stopped(), false
	case in.Trigger == TriggerCron || in.Trigger == TriggerDream:
		return GateSource, false
	case in.ConversationMessages < in.Settings.MinMessages:
		return GateFewMessages, false
	case utf8.RuneCountInString(strings.TrimSpace(lastUser)) < in.Settings.MinUserChars:
		return GateShortMessage, false
	case !endedNormally(lastFinish):
		return GateAbnormalFinish, false
	}
	return "", true
}
