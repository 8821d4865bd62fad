package snapshot

import "fmt"

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
