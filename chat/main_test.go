package chat_test

import (
	"testing"

	"reverie/devenv/devtest"
)

func TestMain(m *testing.M) { devtest.Main(m) }
