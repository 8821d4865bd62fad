package client

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// WebhookTolerance bounds the difference between the clock and the time of a request of a webhook. Remember the ids of events for as long
// to refuse repeated requests; events are also delivered again on purpose, with the same id.
const WebhookTolerance = 5 * time.Minute

// ErrWebhook means that a request is not one of the webhook with the secret, or is too old.
var ErrWebhook = errors.New("not a request of this webhook")

// WebhookEvent is the body of a request of a webhook.
type WebhookEvent struct {
	ID        string          `json:"-"`    // the same in every attempt: handle it once
	Type      string          `json:"type"` // kind of the event, or webhook.ping
	Timestamp time.Time       `json:"timestamp"`
	Data      json.RawMessage `json:"data"` // the event as lists of events have it
}

// VerifyWebhook checks the signature and the time of a request and returns its event. secret is what the webhook was made with
// ("whsec_…"), and body the whole body as it was received. It returns ErrWebhook for a request that must not be believed.
func VerifyWebhook(secret string, header http.Header, body []byte) (WebhookEvent, error) {
	return verifyWebhook(secret, header, body, time.Now())
}

func verifyWebhook(secret string, header http.Header, body []byte, now time.Time) (e WebhookEvent, err error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return e, errors.New("the secret of a webhook is whsec_ and base64")
	}
	id, sent := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(sent, 10, 64)
	if id == "" || err != nil {
		return e, fmt.Errorf("%w: it has no id or no time", ErrWebhook)
	}
	if age := now.Sub(time.Unix(seconds, 0)).Abs(); age > WebhookTolerance {
		return e, fmt.Errorf("%w: its time differs by %s", ErrWebhook, age.Round(time.Second))
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, sent, body)
	want, signed := mac.Sum(nil), false
	for signature := range strings.FieldsSeq(header.Get("Webhook-Signature")) {
		text, isKnown := strings.CutPrefix(signature, "v1,")
		given, err := base64.StdEncoding.DecodeString(text)
		signed = signed || isKnown && err == nil && hmac.Equal(given, want)
	}
	if !signed {
		return e, fmt.Errorf("%w: no signature is right", ErrWebhook)
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return e, fmt.Errorf("%w: %w", ErrWebhook, err)
	}
	e.ID = id
	return e, nil
}
