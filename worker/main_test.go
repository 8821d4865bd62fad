package worker

import (
	"testing"

	"reverie/devenv/devtest"
)

func TestMain(m *testing.M) { devtest.Main(m) }
