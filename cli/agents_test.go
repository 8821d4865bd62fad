package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/clitest"
)

// Budgets renew at midnight UTC, wherever the reader is.
func TestBudgetsRenewInUTC(t *testing.T) {
	var out bytes.Buffer
	at := time.Date(2026, 12, 1, 1, 0, 0, 0, time.FixedZone("CET", 3600))
	if err := printBudget(&out, wire.AgentBudget{RenewsAt: at}); err != nil {
		t.Fatal(err)
	}
	clitest.Contains(t, out.String(), "budgets renew at 2026-12-01 00:00 UTC\n")
}
