package crash

import (
	"fmt"

	"reverie/test/deployment"
)

// talk is one conversation that is posted.
type talk struct {
	id       string
	owner    string // end user id
	messages []deployment.Message
}

// long is how many messages every tenth conversation has: more than one transcript holds, so that it takes several steps.
const long = 70

// script makes the conversations of a run, always the same ones. Each message carries a mark that tells where it is from.
func script(conversations, owners int) []talk {
	out := make([]talk, conversations)
	for n := range out {
		t := talk{id: fmt.Sprintf("talk-%03d", n), owner: fmt.Sprintf("owner-%d", n%owners)}
		count := 4 + 2*(n%3)
		if n%10 == 9 {
			count = long
		}
		for m := range count {
			message := deployment.Message{ID: fmt.Sprintf("m%d", m+1), Role: "user", Content: fmt.Sprintf("This is [%s/%d], and it matters.", t.id, m+1)}
			if m%2 == 1 {
				message.Role, message.Content = "assistant", fmt.Sprintf("Understood [%s/%d].", t.id, m+1)
			}
			t.messages = append(t.messages, message)
		}
		out[n] = t
	}
	return out
}
