package devenv

import (
	"errors"
	"strings"
	"testing"
)

func TestProgramsThatAreThere(t *testing.T) {
	if err := Programs(t.Context(), func(part, message string) { t.Errorf("%s: %s", part, message) }, "go", "sh"); err != nil {
		t.Error(err)
	}
}

func TestProgramsThatCannotBeInstalled(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := Programs(t.Context(), nil, "go", "jq")
	if !errors.Is(err, errNoApt) || !strings.Contains(err.Error(), "install go and jq") {
		t.Errorf("got %v", err)
	}
}
