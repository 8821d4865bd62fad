package snapshot

import (
	"fmt"
	"slices"

	"reverie/memory"
	"reverie/scan"
)

// Choice selects the documents of an export or an import.
type Choice string

const (
	// ChoosePersonal selects the PERSONAL documents of the request's owner.
	ChoosePersonal Choice = "personal"
	// ChooseTeam selects the agent's TEAM documents.
	ChooseTeam Choice = "team"
	// ChooseAll selects both.
	ChooseAll Choice = "all"
)

// Valid reports whether c is one of the constants.
func (c Choice) Valid() bool { return c == ChoosePersonal || c == ChooseTeam || c == ChooseAll }

// Has reports whether c includes documents of a scope.
func (c Choice) Has(scope memory.Scope) bool {
	switch scope {
	case memory.ScopePersonal:
		return c == ChoosePersonal || c == ChooseAll
	case memory.ScopeTeam:
		return c == ChooseTeam || c == ChooseAll
	}
	return false
}

// Rights are the permissions of an import.
type Rights struct {
	Choice Choice
	Owner  bool // an owner is given, whose PERSONAL documents may be written
	Team   bool // TEAM documents may be written
}

// Taken lists the documents of an archive to import, and what is left out.
type Taken struct {
	Files []Checked // by name
	// Skipped are all entries that are left out, those of the archive first.
	Skipped []Skipped
	// Whole means that every document of the archive is imported unchanged.
	Whole bool
}

// Checked is a document that passed the scan.
type Checked struct {
	File          // Content is the text to write
	Edited   bool // the document differs from the manifest
	Findings []scan.Finding
	Given    string // the original content, if secrets were removed from it
}

// Redacted reports whether secrets were removed.
func (c Checked) Redacted() bool { return len(c.Findings) > 0 }

// Refused is a document that the scan refused: the reason, without the text.
type Refused struct {
	memory.Ref
	Findings []scan.Finding
}

// Choose selects the documents to import. Those that the scan refuses are returned separately, with the findings.
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
			switch result := scan.Scan(f.Content); result.Verdict {
			case scan.VerdictAllow:
			case scan.VerdictRedact:
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

// Code is the reason why a whole archive is refused. Codes are stable; docs/snapshots.md explains them.
type Code string

// Codes of archives that are malformed, ambiguous, or inconsistent.
const (
	CodeEmpty            Code = "empty"             // no data
	CodeNotAnArchive     Code = "not_an_archive"    // not a ZIP file, or only a part of one
	CodeAmbiguous        Code = "ambiguous"         // it can be read in two ways
	CodeZip64            Code = "zip64"             // zip64 fields, which snapshots do not need
	CodeMalformed        Code = "malformed"         // records that are unreadable or contradict each other
	CodeOverlapping      Code = "overlapping"       // entries that share bytes
	CodeDataOutside      Code = "data_outside"      // bytes that belong to no entry
	CodeTooLarge         Code = "archive_too_large" // MaxArchiveBytes
	CodeTooManyEntries   Code = "too_many_entries"  // MaxEntries
	CodeEntryTooLarge    Code = "entry_too_large"   // MaxEntryBytes
	CodeTotalTooLarge    Code = "total_too_large"   // MaxTotalBytes
	CodeEncrypted        Code = "encrypted"
	CodeUnsupported      Code = "unsupported_method" // neither stored nor deflated
	CodeSpecialFile      Code = "special_file"       // a link, a device, or a file with special permissions
	CodeWrongSize        Code = "wrong_size"         // the entry's size differs from its header
	CodeWrongChecksum    Code = "wrong_checksum"
	CodeNameEncoding     Code = "name_encoding" // the name is not UTF-8
	CodeUnsafeName       Code = "unsafe_name"   // absolute, outside of the archive, or with misleading characters
	CodeDuplicateName    Code = "duplicate_name"
	CodeInvalidManifest  Code = "invalid_manifest"
	CodeUnknownVersion   Code = "unknown_version" // unknown version of the manifest
	CodeNoDocuments      Code = "no_documents"    // no entry is a document
	CodeCannotBeExported Code = "cannot_be_exported"
)

// RefusedError means that a whole archive is refused: nothing of it is imported.
type RefusedError struct {
	Code    Code
	Entry   string // name in the archive, shortened and printable; empty: the archive itself
	Problem string
}

func (e *RefusedError) Error() string {
	if e.Entry == "" {
		return e.Problem
	}
	return fmt.Sprintf("entry %s: %s", e.Entry, e.Problem)
}

// refuse returns a RefusedError about the archive.
func refuse(code Code, format string, args ...any) error {
	return &RefusedError{Code: code, Problem: fmt.Sprintf(format, args...)}
}

// shownName is the number of characters of an entry's name in an error.
const shownName = 80

// refuseEntry returns a RefusedError about an entry.
func refuseEntry(code Code, name, format string, args ...any) error {
	cut := name
	if len(cut) > shownName {
		cut = cut[:shownName] + "…"
	}
	return &RefusedError{Code: code, Entry: fmt.Sprintf("%+q", cut), Problem: fmt.Sprintf(format, args...)}
}

// Reason explains why an entry is left out of an import. Its values are stable.
type Reason string

// Reasons for skipping an entry.
const (
	SkippedManifest   Reason = "manifest"
	SkippedFolder     Reason = "folder"
	SkippedUnlisted   Reason = "not_in_whitelist" // not a document that snapshots include
	SkippedNoSuchDate Reason = "no_such_date"     // memory/2026-02-30.md
	SkippedArchive    Reason = "nested_archive"
	SkippedNoText     Reason = "not_utf8_text"
	SkippedOtherScope Reason = "other_scope" // the request selects other documents
	SkippedNoOwner    Reason = "no_owner"    // the request names no owner for a PERSONAL document
	SkippedForbidden  Reason = "forbidden"   // the key may not write documents of its scope
	SkippedUnchanged  Reason = "unchanged"
	SkippedWithheld   Reason = "withheld"    // a person forgot everything it would change
	SkippedByScan     Reason = "quarantined" // the text tries to instruct the agent
	SkippedMissing    Reason = "missing"     // listed in the manifest, but not in the archive
)

// Skipped is an entry that is left out.
type Skipped struct {
	Filename string // as in the archive
	Reason   Reason
}
