package cli

import (
	"testing"

	"github.com/reverie-memory/reverie/client/wire"
)

// A webhook of a program has no address: the program is named instead.
func TestWebhookTarget(t *testing.T) {
	for want, x := range map[string]wire.Webhook{
		"https://hooks.example.com/a": {URL: "https://hooks.example.com/a"},
		"program wiki":                {Program: "wiki"},
	} {
		if got := webhookTarget(x); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
