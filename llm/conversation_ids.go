package llm

import (
	"crypto/sha256"
	"math/big"
	"regexp"
	"strconv"

	"reverie/memory"
)

var (
	// plainID is what every provider takes for the id of a call but Mistral, which takes shortID only. OpenAI's bound is 40
	// characters, Anthropic has the smallest alphabet.
	plainID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)
	shortID = regexp.MustCompile(`^[A-Za-z0-9]{9}$`)
)

// callIDs makes ids of calls such that a provider takes them: those of another provider may have another form, and some servers
// begin anew in each answer. An id that fits stays, and others always become the same, so that the prompt stays the same.
type callIDs struct {
	form *regexp.Regexp
	used map[string]bool
}

// ids are for the calls of one request.
func (c *chat) ids() *callIDs {
	form := plainID
	if c.name == "mistral" {
		form = shortID
	}
	return &callIDs{form: form, used: map[string]bool{}}
}

// unique are the calls with ids that fit and that no other call of the request has.
func (i *callIDs) unique(calls []memory.ToolCall) []memory.ToolCall {
	out := make([]memory.ToolCall, len(calls))
	for at, c := range calls {
		id := c.ID
		for n := 0; !i.form.MatchString(id) || i.used[id]; n++ {
			id = shortened(strconv.Itoa(n) + " " + c.ID)
		}
		i.used[id] = true
		c.ID = id
		out[at] = c
	}
	return out
}

// shortened is a text as nine letters and digits.
func shortened(s string) string {
	sum := sha256.Sum256([]byte(s))
	return ("00000000" + new(big.Int).SetBytes(sum[:]).Text(36))[8:][:9]
}
