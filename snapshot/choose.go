package snapshot

import (
	"slices"

	"reverie/memory"
)

// Choice says which documents an export has, or an import takes.
type Choice string

const (
	// ChoosePersonal are the PERSONAL documents of the request's owner.
	ChoosePersonal Choice = "personal"
	// ChooseTeam are the agent's TEAM documents.
	ChooseTeam Choice = "team"
	// ChooseAll are both.
	ChooseAll Choice = "all"
)

// Valid reports whether c is one of the three.
func (c Choice) Valid() bool { return c == ChoosePersonal || c == ChooseTeam || c == ChooseAll }

// Has reports whether documents of a scope belong to c.
func (c Choice) Has(scope memory.Scope) bool {
	switch scope {
	case memory.ScopePersonal:
		return c == ChoosePersonal || c == ChooseAll
	case memory.ScopeTeam:
		return c == ChooseTeam || c == ChooseAll
	}
	return false
}

// Rights are what an import may do.
type Rights struct {
	Choice Choice
	Owner  bool // somebody is named whose PERSONAL documents may be written
	Team   bool // TEAM documents may be written
}

// Taken are the documents of an archive that an import takes, and what becomes of the others.
type Taken struct {
	Files []Checked // by name
	// Skipped are all entries that are left out, those of the archive first.
	Skipped []Skipped
	// Whole says that every document of the archive is taken as it is.
	Whole bool
}

// Checked is a document that passed the scan.
type Checked struct {
	File          // Content is what may be written
	Edited   bool // it is not what the manifest says
	Findings []memory.Finding
	Given    string // the content as it stands in the archive, when secrets were taken out of it
}

// Redacted reports whether secrets were taken out.
func (c Checked) Redacted() bool { return len(c.Findings) > 0 }

// Refused is what the scan refused: the reason, without the text.
type Refused struct {
	memory.Ref
	Findings []memory.Finding
}

// Choose picks the documents that an import takes. What the scan refuses is left out, and told with its findings.
func (a Archive) Choose(rights Rights) (Taken, []Refused) {
	taken := Taken{Skipped: slices.Clone(a.Skipped), Whole: true}
	var refused []Refused
	for _, f := range a.Files {
		var reason Reason
		switch {
		case f.Scope == memory.ScopePersonal && !rights.Owner:
			reason = SkippedNoOwner
		case !rights.Choice.Has(f.Scope):
			reason = SkippedOtherScope
		case f.Scope == memory.ScopeTeam && !rights.Team:
			reason = SkippedForbidden
		}
		checked := Checked{File: f, Edited: a.Edited[f.Ref]}
		if reason == "" {
			switch result := memory.Scan(f.Content); result.Verdict {
			case memory.VerdictAllow:
			case memory.VerdictRedact:
				checked.Given, checked.Content, checked.Findings = f.Content, result.Text, result.Findings
				taken.Whole = false
			default:
				reason = SkippedByScan
				refused = append(refused, Refused{f.Ref, result.Findings})
			}
		}
		if reason != "" {
			taken.Skipped, taken.Whole = append(taken.Skipped, Skipped{Name(f.Ref), reason}), false
			continue
		}
		taken.Files = append(taken.Files, checked)
	}
	return taken, refused
}
