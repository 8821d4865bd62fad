package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Unpriced reports whether calls of the configured model cost nothing, so that no budget of costs limits them.
func (c Config) Unpriced() bool {
	return c.LLMProvider != "" && c.LLMInputPrice == 0 && c.LLMOutputPrice == 0
}

// Warnings names what is allowed and probably not meant: variables of the environment (NAME=value) that no program reads, and a budget
// that limits nothing.
func (c Config) Warnings(environment []string) []string {
	var out []string
	known := knownVariables()
	for _, variable := range environment {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, Prefix+"_") || slices.Contains(known, name) || foreignVariable.MatchString(name) {
			continue
		}
		if near := nearest(name, known); near != "" {
			out = append(out, fmt.Sprintf("%s is no setting: did you mean %s?", name, near))
		} else {
			out = append(out, name+" is no setting (docs/configuration.md lists them)")
		}
	}
	for _, budget := range []struct {
		name string
		cost float64
	}{{"BUDGET", c.BudgetCost}, {"AGENT_BUDGET", c.AgentBudgetCost}} {
		if budget.cost > 0 && c.Unpriced() {
			out = append(out, fmt.Sprintf("%[1]s_%[2]s_COST limits no call of the model, because it has no price: "+
				"set %[1]s_LLM_INPUT_PRICE and %[1]s_LLM_OUTPUT_PRICE, or use %[1]s_%[2]s_TOKENS", Prefix, budget.name))
		}
	}
	return out
}

// otherVariables are no settings of a server: the commands, the examples and docker-compose.yml read them.
var otherVariables = []string{"URL", "KEY", "AGENT", "OWNER", "PORT", "VERSION", "DB_PASSWORD", "OWNER_DB_PASSWORD"}

// foreignVariable matches what Kubernetes sets for a service whose name begins with reverie, and what tests set.
var foreignVariable = regexp.MustCompile(`_SERVICE_(HOST|PORT)(_|$)|_PORT(_[0-9]+_(TCP|UDP|SCTP)(_|$)|$)|^` + Prefix + `_(DEVENV_)?TEST_`)

// knownVariables lists the names of all variables that some program of this project reads.
func knownVariables() []string {
	var out []string
	for _, r := range rows(Config{}) {
		out = append(out, Prefix+"_"+r.key())
	}
	for _, name := range otherVariables {
		out = append(out, Prefix+"_"+name)
	}
	return out
}

// maxTypos is the number of letters in which a name may differ from the one that was meant.
const maxTypos = 3

// nearest returns the name that differs least; empty: all differ too much.
func nearest(name string, names []string) (near string) {
	least := maxTypos + 1
	for _, n := range names {
		if d := typos(name, n); d < least {
			near, least = n, d
		}
	}
	return near
}

// typos counts the letters that have to be inserted, deleted or replaced to make b of a.
func typos(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal, row[j+1] = row[j+1], min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
