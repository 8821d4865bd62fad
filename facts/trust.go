package facts

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"reverie/memory"
)

// Source is the origin of a statement.
type Source string

// Sources, most trusted first.
const (
	SourcePerson Source = "person" // a person's own words, which they asked to remember
	SourceEdit   Source = "edit"   // a person's edit of a document
	SourceModel  Source = "model"  // a model's reading of a conversation, a model's tool, a business process
	SourceEngine Source = "engine" // the built-in engine's choice
	SourceImport Source = "import" // another system
)

// builtin begins the names of engines without a model.
const builtin = "builtin/"

// OfPerson reports whether a person wrote or said it.
func (s Source) OfPerson() bool { return s == SourcePerson || s == SourceEdit }

// SourceOf returns the source of what an author writes.
func SourceOf(a memory.Author) Source {
	switch {
	case a.Kind == memory.AuthorUser && a.ID == "remember":
		return SourcePerson
	case a.Kind == memory.AuthorUser:
		return SourceEdit
	case a.Kind == memory.AuthorImport:
		return SourceImport
	case a.Kind == memory.AuthorWorkflow && strings.HasPrefix(a.ID, builtin):
		return SourceEngine
	}
	return SourceModel
}

// Days is a length of time in days.
type Days float64

// Half-lives of trust. General is MateClaw's. Every statement has one of these three, so that the statements of each half-life keep
// their order while they age.
const (
	Lasting Days = 0   // it does not age: a birthday
	Slow    Days = 365 // an address, an employer, a preference
	Usual   Days = 60  // anything else
)

// HalfLives lists the half-lives that occur.
func HalfLives() []Days { return []Days{Lasting, Slow, Usual} }

// lastingAttributes do not change in a life; the others of persons do, slowly.
var (
	lastingAttributes   = []string{"name", "birthday"}
	attributesOfPersons = append([]string{"home", "employer", "job", "age", "status", "diet"}, lastingAttributes...)
)

func halfLifeOf(path string, r Reading) Days {
	switch {
	case slices.Contains(lastingAttributes, strings.ToLower(r.Attribute)):
		return Lasting
	case path == memory.ProfilePath, r.Category == Preference, slices.Contains(attributesOfPersons, r.Attribute):
		return Slow
	}
	return Usual
}

// Weights of the terms of trust. Helpful, unhelpful and the half-life of 60 days are MateClaw's, with a model's reading at its prior
// of 0.5. A view of the database computes the same (migrations); a test compares both.
const (
	weightHelpful   = .1
	weightUnhelpful = .2
	weightDay       = .05
	maxDays         = 4 // further days add nothing
)

// Prior returns the trust in a new statement of a source.
func Prior(s Source) float64 {
	switch s {
	case SourcePerson:
		return .8
	case SourceEdit:
		return .7
	case SourceEngine:
		return .45
	case SourceImport:
		return .4
	}
	return .5
}

// Evidence holds the values from which the trust in a statement is computed.
type Evidence struct {
	Source    Source
	Helpful   float64   // sum of the weights of helpful feedback
	Unhelpful float64   // sum of the weights of unhelpful feedback
	Days      int       // distinct days on which it was noted
	Seen      time.Time // when it was said, confirmed or found helpful last
	HalfLife  Days
}

// Term is one term of the trust in a statement. All terms but the last one, age, are summands; their sum is limited to 0 to 1 and
// multiplied by age.
type Term struct {
	Name  string
	Value float64
	Why   string
}

// Explain returns the terms of the trust in a statement at a time. Trust is their product with age.
func (e Evidence) Explain(at time.Time) []Term {
	age := "it does not age"
	if e.HalfLife != Lasting {
		age = fmt.Sprintf("said or confirmed %s, half-life %g days", ago(int(e.age(at))), float64(e.HalfLife))
	}
	return []Term{
		{"prior", Prior(e.Source), fmt.Sprintf("source: %s", e.Source)},
		{"helpful", weightHelpful * e.Helpful, fmt.Sprintf("%g × %g", weightHelpful, e.Helpful)},
		{"unhelpful", 0 - weightUnhelpful*e.Unhelpful, fmt.Sprintf("%g × %g", -weightUnhelpful, e.Unhelpful)},
		{"days", weightDay * float64(e.repeats()), fmt.Sprintf("distinct days on which it was noted: %d, so %g × %d", e.Days, weightDay, e.repeats())},
		{"age", e.aged(at), age},
	}
}

// ago names a day by its distance from today.
func ago(days int) string {
	switch days {
	case 0:
		return "in the last 24 hours"
	case 1:
		return "1 day ago"
	}
	return fmt.Sprintf("%d days ago", days)
}

// Trust returns the trust in a statement at a time, from 0 to 1.
func (e Evidence) Trust(at time.Time) float64 { return e.base() * e.aged(at) }

// base returns the trust without age.
func (e Evidence) base() float64 {
	return min(max(Prior(e.Source)+weightHelpful*e.Helpful-weightUnhelpful*e.Unhelpful+weightDay*float64(e.repeats()), 0), 1)
}

// repeats returns the number of days that count, without the first one.
func (e Evidence) repeats() int { return min(max(e.Days-1, 0), maxDays) }

// aged returns the factor for the age of the statement.
func (e Evidence) aged(at time.Time) float64 {
	if e.HalfLife == Lasting {
		return 1
	}
	return math.Exp2(-e.age(at) / float64(e.HalfLife))
}

// age returns the days since the statement was said or confirmed last.
func (e Evidence) age(at time.Time) float64 { return max(at.Sub(e.Seen).Hours()/24, 0) }
