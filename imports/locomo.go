package imports

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"reverie/memory"
)

// locomoSample is one long conversation, in sessions: session_1, session_1_date_time and so on beside the speakers' names.
type locomoSample struct {
	ID           word                       `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"`
}

// locomoTurn is what one speaker said; of a picture there is a caption.
type locomoTurn struct {
	Speaker word `json:"speaker"`
	ID      word `json:"dia_id"`
	Text    word `json:"text"`
	Caption word `json:"blip_caption"`
}

// locomoLayouts are how sessions write their dates: "1:56 pm on 8 May, 2023".
var locomoLayouts = []string{"3:04 pm on 2 January, 2006", "3:04 pm on 2 January 2006", "15:04 on 2 January, 2006"}

// readLoCoMo reads each session as a conversation. Both speakers are people, so that both are users with a name; the
// owner is the sample, unless an owner map says who it is.
func readLoCoMo(r *reading) error {
	return r.records(nil, isJSON, func(f file, found record) (string, error) {
		var s locomoSample
		if !decoded(found.raw, &s) {
			return reasonUnread, nil
		}
		if s.Conversation == nil && !decoded(found.raw, &s.Conversation) || !hasSessions(s.Conversation) {
			return reasonUnread, nil
		}
		if s.ID == "" {
			s.ID = word(fmt.Sprintf("sample-%d", found.number))
		}
		owner, known := r.options.Owners.of("api", string(s.ID))
		if !known {
			return reasonOwner, nil
		}
		for _, number := range sessionsOf(s.Conversation) {
			if err := r.locomo(f, s, number, owner); err != nil {
				return "", err
			}
		}
		return "", nil
	})
}

func (r *reading) locomo(f file, s locomoSample, number int, owner memory.Owner) error {
	name := fmt.Sprintf("session_%d", number)
	t := talk{id: string(s.ID) + "/" + name, source: string(s.ID) + " " + name, owner: owner, title: string(s.ID) + ", session " + strconv.Itoa(number)}
	var turns list[locomoTurn]
	var date word
	_ = turns.UnmarshalJSON(s.Conversation[name])             // what is no list is empty
	_ = date.UnmarshalJSON(s.Conversation[name+"_date_time"]) // and what is no text as well
	t.began = locomoTime(string(date), r.options.Zone)
	for _, turn := range turns {
		text := strings.TrimSpace(string(turn.Text))
		if turn.Caption != "" {
			text = strings.TrimSpace(text + "\n\n[image: " + strings.Join(strings.Fields(string(turn.Caption)), " ") + "]")
		}
		t.messages = append(t.messages, memory.Message{ID: string(turn.ID), Role: memory.RoleOfUser, Name: string(turn.Speaker), Content: text, CreatedAt: t.began})
	}
	return r.talk(t, f)
}

// locomoTime reads the date of a session; zero when it is none.
func locomoTime(text string, zone *time.Location) time.Time {
	text = strings.Join(strings.Fields(text), " ")
	for _, layout := range locomoLayouts {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return plausible(at)
		}
	}
	return timeOf(text)
}

func hasSessions(conversation map[string]json.RawMessage) bool {
	return len(sessionsOf(conversation)) > 0
}

// sessionsOf are the numbers of the sessions, in order.
func sessionsOf(conversation map[string]json.RawMessage) []int {
	var out []int
	for name, raw := range conversation {
		digits, is := strings.CutPrefix(name, "session_")
		number, err := strconv.Atoi(digits)
		if is && err == nil && number >= 0 && strconv.Itoa(number) == digits && isArray(raw) {
			out = append(out, number)
		}
	}
	slices.Sort(out)
	return out
}
