package rest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"reverie/api/fault"
	"reverie/memory"
)

// WaitParam says how long a request waits for an outcome.
type WaitParam struct {
	Wait string `query:"wait" maxLength:"20" default:"60s" doc:"How long to wait for the outcome, such as 90s or 2m; 0s: not at all; at most 5m." example:"60s"`
}

func (p WaitParam) Duration() (time.Duration, error) {
	if p.Wait == "" {
		return defaultWait, nil
	}
	d, err := time.ParseDuration(p.Wait)
	if err != nil || d < 0 || d > MaxWait {
		return 0, fault.InvalidAt("query.wait", "write a duration from 0s to %s, such as 60s", MaxWait)
	}
	return d, nil
}

// RequestKeyParam makes a repeated request one request.
type RequestKeyParam struct {
	IdempotencyKey string `header:"Idempotency-Key" pattern:"^[!-~]{1,200}$" patternDescription:"1 to 200 printable ASCII characters without spaces" doc:"A request that is repeated with the same key is done once and answered alike."`
}

// RequestLedgerKey is the idempotency key of a request of a caller; empty when the client sends none. The client's key counts
// for the same caller and the same request only, of which parts are everything that matters.
func RequestLedgerKey(ctx context.Context, client string, parts ...string) string {
	if client == "" {
		return ""
	}
	h := sha256.New()
	for _, part := range parts {
		h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	return "http/" + CallerOf(ctx).ID.String() + "/" + client + "/" + hex.EncodeToString(h.Sum(nil)[:8])
}

// PersonBody names, in a body, whose memory a request is about, in one of three ways.
type PersonBody struct {
	Owner     string `json:"owner,omitempty" maxLength:"128" doc:"Owner key; or give channel and sender, or endUserId." example:"user:7"`
	Channel   string `json:"channel,omitempty" maxLength:"128"`
	Sender    string `json:"sender,omitempty" maxLength:"128"`
	EndUserID string `json:"endUserId,omitempty" maxLength:"128" example:"42"`
}

func (b PersonBody) Person() Person {
	return Person{b.Owner, b.Channel, b.Sender, b.EndUserID, "body"}
}

// CheckCharacters refuses what PostgreSQL cannot hold, in fields of the body.
func CheckCharacters(fields map[string]string) []error {
	var errs []error
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if strings.ContainsRune(fields[field], 0) {
			errs = append(errs, &huma.ErrorDetail{Location: "body." + field, Message: "it contains the character U+0000: remove it"})
		}
	}
	return errs
}

// ConversationParam is the conversation that a request is about.
type ConversationParam struct {
	Conversation string `path:"conversation" maxLength:"255" doc:"The client's id of the conversation; percent-encode a slash." example:"c1"`
}

// SpeakerParam names who speaks where the owner is a group.
type SpeakerParam struct {
	Speaker string `query:"speaker" maxLength:"128" doc:"Who speaks, where the owner is a group: MEMORY.md is then written in the section of that person only." example:"feishu:ou_1"`
}

// SpeakerOf checks the id of who speaks.
func SpeakerOf(id, location string) (memory.Owner, error) {
	if id == "" {
		return memory.NoOwner, nil
	}
	person, err := memory.ParsePerson(id)
	if err != nil {
		return memory.NoOwner, fault.InvalidAt(location, "%s", err)
	}
	return person, nil
}

// WorkspacePath is where documents are.
const WorkspacePath = "/api/v1/agents/{agent}/workspace"
