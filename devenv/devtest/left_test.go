package devtest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// childVariable marks the run of this test binary that the test below starts.
const childVariable = "REVERIE_DEVTEST_CHILD"

// Whatever the tests of a package start ends with their process, and its folders go too.
func TestNothingIsLeft(t *testing.T) {
	if os.Getenv(childVariable) != "" {
		return
	}
	for name, arguments := range map[string][]string{
		"after success": {"-test.run=TestEachTestHasItsOwnDatabase|TestTemporalAnswers|TestPrivateServers"},
		"after failure": {"-test.run=TestEachTestHasItsOwnDatabase|TestFailsInTheChild"},
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			// As root, the database server's own user must be able to enter it.
			for _, folder := range []string{base, filepath.Dir(base)} {
				if err := os.Chmod(folder, 0o711); err != nil {
					t.Fatal(err)
				}
			}
			tests := exec.CommandContext(t.Context(), os.Args[0], append(arguments, "-test.v")...)
			tests.Env = append(os.Environ(), childVariable+"=1", "TMPDIR="+base)
			output, err := tests.CombinedOutput()
			if (err != nil) != (name == "after failure") || strings.Count(string(output), "--- PASS: TestEachTestHasItsOwnDatabase") == 0 {
				t.Fatalf("%v\n%s", err, output)
			}
			if left, err := os.ReadDir(base); err != nil || len(left) != 0 {
				t.Errorf("left in %s: %v, %v", base, left, err)
			}
			processes, err := filepath.Glob("/proc/[0-9]*/cmdline") // Linux only; elsewhere the folders tell
			if err != nil {
				t.Fatal(err)
			}
			for _, process := range processes {
				if line, err := os.ReadFile(process); err == nil && strings.Contains(string(line), base) {
					t.Errorf("left: %q", line)
				}
			}
		})
	}
}

func TestFailsInTheChild(t *testing.T) {
	if os.Getenv(childVariable) != "" && strings.Contains(strings.Join(os.Args, " "), "TestFailsInTheChild") {
		t.Fatal("on purpose")
	}
}
