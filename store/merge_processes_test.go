package store

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"reverie/memory"
)

const (
	processes   = 4
	eachProcess = 25 // writers, and writes of each kind

	// The environment of a process of TestMergesFromProcesses: its database, and which of them it is.
	envMergeDatabase = "REVERIE_TEST_MERGE_DATABASE"
	envMergeProcess  = "REVERIE_TEST_MERGE_PROCESS"
)

// Four processes write the same two documents at the same time, each with 25 writers: 100 lines for one note, 100 sections of
// another document. Everything arrives, and each line once.
func TestMergesFromProcesses(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	var before strings.Builder
	for n := range processes * eachProcess {
		fmt.Fprintf(&before, "## Section %03d\n\nold\n\n", n)
	}
	write(t, s, id, replace(personal(mergedSections), 0, "# Sections\n\n"+before.String()))

	var release []io.WriteCloser
	var writing []*exec.Cmd
	for n := range processes {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMergingProcess$", "-test.v")
		c.Env = append(os.Environ(), envMergeDatabase+"="+s.pool.Config().ConnConfig.ConnString(), envMergeProcess+"="+strconv.Itoa(n))
		in := must[io.WriteCloser](t)(c.StdinPipe())
		out := must[io.ReadCloser](t)(c.StdoutPipe())
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for ready := false; !ready; ready = lines.Text() == mergeReady {
			if !lines.Scan() {
				t.Fatalf("process %d ended before it was ready: %v", n, c.Wait())
			}
		}
		go func() { _, _ = io.Copy(os.Stderr, out) }()
		release, writing = append(release, in), append(writing, c)
	}
	for _, in := range release {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
	for n, c := range writing {
		if err := c.Wait(); err != nil {
			t.Fatalf("process %d: %v", n, err)
		}
	}

	note := must[memory.Document](t)(s.Document(t.Context(), id, personal(mergedNote)))
	if note.Version != processes*eachProcess {
		t.Errorf("the note has version %d", note.Version)
	}
	if n := strings.Count(note.Content, "- line "); n != processes*eachProcess {
		t.Errorf("%d lines in the note", n)
	}
	sections := must[memory.Document](t)(s.Document(t.Context(), id, personal(mergedSections)))
	if sections.Version != processes*eachProcess+1 || strings.Contains(sections.Content, "old") {
		t.Errorf("version %d, old text: %t", sections.Version, strings.Contains(sections.Content, "old"))
	}
	for n := range processes * eachProcess {
		if found := strings.Count(note.Content, mergedLine(n)); found != 1 {
			t.Errorf("line %d stands %d times", n, found)
		}
		if found := strings.Count(sections.Content, mergedSection(n)); found != 1 {
			t.Errorf("section %d stands %d times", n, found)
		}
	}
}

const (
	mergedNote     = "memory/2026-11-21.md"
	mergedSections = "notes/sections.md"
	mergeReady     = "ready to merge"
)

func mergedLine(n int) string    { return fmt.Sprintf("- line %03d\n", n) }
func mergedSection(n int) string { return fmt.Sprintf("## Section %03d\n\nnew %03d\n", n, n) }

// TestMergingProcess is one of the processes of TestMergesFromProcesses, and nothing by itself.
func TestMergingProcess(t *testing.T) {
	url := os.Getenv(envMergeDatabase)
	if url == "" {
		t.Skip("a part of TestMergesFromProcesses")
	}
	process := must[int](t)(strconv.Atoi(os.Getenv(envMergeProcess)))
	s := must[*Store](t)(Open(t.Context(), url, Options{}))
	defer s.Close()
	fmt.Println(mergeReady)
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil { // until all are ready
		t.Fatal(err)
	}
	var working sync.WaitGroup
	for i := range eachProcess {
		n := process*eachProcess + i
		working.Go(func() {
			id := workflow("user:7", fmt.Sprint("run-", n))
			for key, c := range map[string]memory.Change{
				"line":    merge(personal(mergedNote), memory.StrategyAppend, mergedLine(n)),
				"section": merge(personal(mergedSections), memory.StrategySection, mergedSection(n)),
			} {
				if _, err := s.Apply(t.Context(), id, fmt.Sprint(key, "/", n), []memory.Change{c}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	working.Wait()
}
