package snapshot

import (
	"fmt"
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

// Code says why an archive is refused as a whole. Codes are stable; docs/snapshots.md explains them.
type Code string

// Codes of archives that are malformed, ambiguous, or not what they say they are.
const (
	CodeEmpty            Code = "empty"             // there is nothing
	CodeNotAnArchive     Code = "not_an_archive"    // no ZIP file, or a part of one
	CodeAmbiguous        Code = "ambiguous"         // it can be read in two ways
	CodeZip64            Code = "zip64"             // fields for sizes that no snapshot has
	CodeMalformed        Code = "malformed"         // records that cannot be read or contradict each other
	CodeOverlapping      Code = "overlapping"       // entries that share bytes
	CodeDataOutside      Code = "data_outside"      // bytes that belong to no entry
	CodeTooLarge         Code = "archive_too_large" // MaxArchiveBytes
	CodeTooManyEntries   Code = "too_many_entries"  // MaxEntries
	CodeEntryTooLarge    Code = "entry_too_large"   // MaxEntryBytes
	CodeTotalTooLarge    Code = "total_too_large"   // MaxTotalBytes
	CodeEncrypted        Code = "encrypted"
	CodeUnsupported      Code = "unsupported_method" // neither stored nor deflated
	CodeSpecialFile      Code = "special_file"       // a link, a device, or a file with special rights
	CodeWrongSize        Code = "wrong_size"         // an entry is longer or shorter than it says
	CodeWrongChecksum    Code = "wrong_checksum"
	CodeNameEncoding     Code = "name_encoding" // a name that is not UTF-8
	CodeUnsafeName       Code = "unsafe_name"   // absolute, out of the archive, or with characters that mislead
	CodeDuplicateName    Code = "duplicate_name"
	CodeInvalidManifest  Code = "invalid_manifest"
	CodeUnknownVersion   Code = "unknown_version" // of the manifest
	CodeNoDocuments      Code = "no_documents"    // nothing in it could be a document
	CodeCannotBeExported Code = "cannot_be_exported"
)

// RefusedError means that an archive is refused as a whole: nothing of it is taken.
type RefusedError struct {
	Code    Code
	Entry   string // its name as the archive has it, shortened and printable; empty: it is about the archive
	Problem string
}

func (e *RefusedError) Error() string {
	if e.Entry == "" {
		return e.Problem
	}
	return fmt.Sprintf("entry %s: %s", e.Entry, e.Problem)
}

// refuse is a RefusedError about the archive.
func refuse(code Code, format string, args ...any) error {
	return &RefusedError{Code: code, Problem: fmt.Sprintf(format, args...)}
}

// shownName is how much of an entry's name an error repeats.
const shownName = 80

// refuseEntry is a RefusedError about an entry.
func refuseEntry(code Code, name, format string, args ...any) error {
	cut := name
	if len(cut) > shownName {
		cut = cut[:shownName] + "…"
	}
	return &RefusedError{Code: code, Entry: fmt.Sprintf("%+q", cut), Problem: fmt.Sprintf(format, args...)}
}

// Reason says why an entry is left out of an import. The words are stable.
type Reason string

// Reasons of what is skipped.
const (
	SkippedManifest   Reason = "manifest"
	SkippedFolder     Reason = "folder"
	SkippedUnlisted   Reason = "not_in_whitelist" // no document that a snapshot carries
	SkippedNoSuchDate Reason = "no_such_date"     // memory/2026-02-30.md
	SkippedArchive    Reason = "nested_archive"
	SkippedNoText     Reason = "not_utf8_text"
	SkippedOtherScope Reason = "other_scope" // the request asks for other documents
	SkippedNoOwner    Reason = "no_owner"    // PERSONAL, and the request names nobody
	SkippedForbidden  Reason = "forbidden"   // the key may not write documents of its scope
	SkippedUnchanged  Reason = "unchanged"
	SkippedWithheld   Reason = "withheld"    // a person had forgotten all that it would change
	SkippedByScan     Reason = "quarantined" // the text tries to instruct the agent
	SkippedMissing    Reason = "missing"     // the manifest lists it, and the archive does not have it
)

// Skipped is an entry that is left out.
type Skipped struct {
	Filename string // as the archive has it
	Reason   Reason
}
