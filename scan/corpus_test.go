package scan

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// scanCase is a line of a corpus.
type scanCase struct {
	line  int
	class string
	text  string
	gone  []string // what must not be in the result
}

// corpusVerdicts are the expected verdicts for the classes of the attack corpora.
var corpusVerdicts = map[string]Verdict{
	"override":     VerdictQuarantine,
	"exfiltration": VerdictQuarantine,
	"html":         VerdictQuarantine,
	"smuggled":     VerdictQuarantine,
	"secret":       VerdictRedact,
	"invisible":    VerdictRedact,
}

// corpusFindings are the expected classes of findings.
var corpusFindings = map[string]string{"smuggled": classInvisible}

func (c scanCase) wants(attack bool) Verdict {
	if attack {
		return corpusVerdicts[c.class]
	}
	return VerdictAllow
}

// fault describes what is wrong with the result of a scan; empty if nothing is.
func (c scanCase) fault(attack bool) string {
	result := Scan(c.text)
	if want := c.wants(attack); result.Verdict != want {
		return fmt.Sprintf("%s, want %s (%v)", result.Verdict, want, result.Findings)
	}
	for _, gone := range c.gone {
		if strings.Contains(result.Text, gone) {
			return "a secret is left in: " + result.Text
		}
	}
	if !attack {
		if result.Text != c.text || len(result.Findings) > 0 {
			return "changed or with findings"
		}
		return ""
	}
	want := c.class
	if class, ok := corpusFindings[want]; ok {
		want = class
	}
	for _, f := range result.Findings {
		if f.Class == want {
			return ""
		}
	}
	return fmt.Sprintf("no finding of class %s: %v", want, result.Findings)
}

var (
	escapes = regexp.MustCompile(`\\(?:[nt\\]|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})`)
	marked  = regexp.MustCompile(`⟦([^⟧]*)⟧`)
)

// readCorpus reads a corpus; its first lines describe the format.
func readCorpus(tb testing.TB, name string) []scanCase {
	tb.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "scan", name))
	if err != nil {
		tb.Fatal(err)
	}
	var cases []scanCase
	for i, line := range strings.Split(strings.TrimSuffix(string(content), "\n"), "\n") {
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		class, text, ok := strings.Cut(line, "\t")
		if !ok {
			tb.Fatalf("%s:%d: no tab", name, i+1)
		}
		text = escapes.ReplaceAllStringFunc(text, func(escape string) string {
			unquoted, err := strconv.Unquote(`"` + escape + `"`)
			if err != nil {
				tb.Fatalf("%s:%d: %v", name, i+1, err)
			}
			return unquoted
		})
		c := scanCase{line: i + 1, class: class, text: marked.ReplaceAllString(text, "$1")}
		for _, match := range marked.FindAllStringSubmatch(text, -1) {
			c.gone = append(c.gone, match[1])
		}
		cases = append(cases, c)
	}
	return cases
}

func TestScanCorpora(t *testing.T) {
	for name, attack := range map[string]bool{"attacks.txt": true, "benign.txt": false} {
		cases := readCorpus(t, name)
		if len(cases) < 150 {
			t.Errorf("%s has %d cases", name, len(cases))
		}
		for _, c := range cases {
			if fault := c.fault(attack); fault != "" {
				t.Errorf("%s:%d: %s\n\t%q", name, c.line, fault, c.text)
			}
		}
	}
}

// TestScanHeldOut measures the scan on cases that were not used to tune a rule. They come from the same author, so they say
// little about other attacks; they detect rules that only fit the other corpora.
func TestScanHeldOut(t *testing.T) {
	for _, corpus := range []struct {
		name   string
		attack bool
		floor  float64
	}{
		{"attacks_heldout.txt", true, 0.95},
		{"benign_heldout.txt", false, 0.97},
	} {
		cases, right := readCorpus(t, corpus.name), 0
		for _, c := range cases {
			if fault := c.fault(corpus.attack); fault != "" {
				t.Logf("%s:%d: %s", corpus.name, c.line, fault)
				continue
			}
			right++
		}
		share := float64(right) / float64(len(cases))
		t.Logf("%s: %d of %d, %.1f %%", corpus.name, right, len(cases), 100*share)
		if share < corpus.floor {
			t.Errorf("%s: below the floor of %.0f %%", corpus.name, 100*corpus.floor)
		}
	}
}
