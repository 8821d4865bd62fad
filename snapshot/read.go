package snapshot

import (
	"bytes"
	"cmp"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"reverie/memory"
)

// Archive is the content of an archive whose every byte was checked.
type Archive struct {
	SHA256   [sha256.Size]byte // of the archive
	Bytes    int               // of the archive
	Manifest *Manifest         // nil: none, which is valid
	Files    []File            // by name
	Skipped  []Skipped         // in the order of the archive
	// Genuine means that the manifest describes exactly these files, unchanged.
	Genuine bool
	// Edited are documents that differ from the manifest, because they were changed in the archive.
	Edited map[memory.Ref]bool
}

// Has reports whether there are documents of a scope.
func (a Archive) Has(scope memory.Scope) bool {
	return slices.ContainsFunc(a.Files, func(f File) bool { return f.Scope == scope })
}

// Read reads an untrusted archive. It inflates every entry within the limits, even if it is not a document: an
// archive with one false statement is refused as a whole, with a *RefusedError. Entries that are not documents are
// skipped.
func Read(data []byte) (Archive, error) {
	switch {
	case len(data) == 0:
		return Archive{}, refuse(CodeEmpty, "empty request: send a ZIP file")
	case len(data) > MaxArchiveBytes:
		return Archive{}, refuse(CodeTooLarge, "it has %d bytes, at most %d are allowed", len(data), MaxArchiveBytes)
	}
	records, err := directory(data)
	if err != nil {
		return Archive{}, err
	}
	a := Archive{SHA256: sha256.Sum256(data), Bytes: len(data)}
	seen := map[string]bool{}
	left := int64(MaxTotalBytes)
	for _, r := range records {
		name, err := checkName(r.name)
		if err != nil {
			return Archive{}, err
		}
		same := sameName(name)
		if seen[same] {
			return Archive{}, refuseEntry(CodeDuplicateName, r.name, "another entry has this name, or differs from it only in case")
		}
		seen[same] = true
		content, err := r.inflate(left)
		if err != nil {
			return Archive{}, err
		}
		left -= int64(len(content))
		if err := a.take(name, content); err != nil {
			return Archive{}, err
		}
	}
	if len(a.Files) == 0 {
		return Archive{}, refuse(CodeNoDocuments, "it contains no documents: put MEMORY.md, memory/… at its top level")
	}
	sortFiles(a.Files)
	a.compare()
	return a, nil
}

// inflate decompresses an entry to at most left bytes, the rest of the archive's limit.
func (r *record) inflate(left int64) (string, error) {
	packed := bytes.NewReader(r.data)
	from := io.Reader(packed)
	if r.method == methodDeflated {
		from = flate.NewReader(packed)
	}
	var content strings.Builder
	n, err := io.Copy(&content, io.LimitReader(from, min(left, MaxEntryBytes)+1))
	switch {
	case n > MaxEntryBytes:
		return "", refuseEntry(CodeEntryTooLarge, r.name, "it exceeds %d bytes", MaxEntryBytes)
	case n > left:
		return "", refuse(CodeTotalTooLarge, "its entries exceed %d bytes in total", MaxTotalBytes)
	case err != nil:
		return "", refuseEntry(CodeMalformed, r.name, "it cannot be decompressed")
	case n != r.size || packed.Len() > 0:
		return "", refuseEntry(CodeWrongSize, r.name, "its size differs from its header")
	case crc32.ChecksumIEEE([]byte(content.String())) != r.checksum:
		return "", refuseEntry(CodeWrongChecksum, r.name, "wrong checksum: the archive is damaged")
	}
	return content.String(), nil
}

// take classifies an entry.
func (a *Archive) take(name, content string) error {
	skip := func(reason Reason) error {
		a.Skipped = append(a.Skipped, Skipped{Filename: name, Reason: reason})
		return nil
	}
	if name == manifestName {
		manifest, err := parseManifest([]byte(content))
		a.Manifest = manifest
		if err != nil {
			return err
		}
		return skip(SkippedManifest)
	}
	if strings.HasSuffix(name, "/") {
		return skip(SkippedFolder)
	}
	ref := refOf(name)
	listed, reason := Listed(ref.Path)
	switch {
	case isArchive(name, content):
		return skip(SkippedArchive)
	case !listed:
		return skip(reason)
	case memory.ValidContent(content) != nil: // its length was checked before
		return skip(SkippedNoText)
	}
	a.Files = append(a.Files, File{Ref: ref, Content: content})
	return nil
}

// compare applies the manifest to the files: their places in the system prompt, and which of them differ.
func (a *Archive) compare() {
	if a.Manifest == nil {
		return
	}
	listed := map[memory.Ref]Entry{}
	for _, e := range a.Manifest.Files {
		listed[e.ref()] = e
	}
	a.Edited = map[memory.Ref]bool{}
	for i := range a.Files {
		f := &a.Files[i]
		e, known := listed[f.Ref]
		if known {
			f.Prompt = &Prompt{Enabled: e.Enabled, SortOrder: e.SortOrder}
			delete(listed, f.Ref)
		}
		if sum := sha256.Sum256([]byte(f.Content)); !known || e.SHA256 != hex.EncodeToString(sum[:]) {
			a.Edited[f.Ref] = true
		}
	}
	there := map[string]bool{}
	for _, s := range a.Skipped {
		there[s.Filename] = true
	}
	for _, e := range a.Manifest.Files {
		if _, missing := listed[e.ref()]; missing && !there[Name(e.ref())] {
			a.Skipped = append(a.Skipped, Skipped{Filename: Name(e.ref()), Reason: SkippedMissing})
		}
	}
	a.Genuine = a.Manifest.describes(a.Files)
}

// The records of a ZIP file (APPNOTE.TXT 6.3.10, section 4.3). This package parses them itself because archive/zip
// accepts what must be refused: bytes that belong to two entries or to none, and records that contradict each other.
const (
	localSignature      = 0x04034b50
	centralSignature    = 0x02014b50
	endSignature        = 0x06054b50
	descriptorSignature = 0x08074b50
	locatorSignature    = 0x07064b50 // of the zip64 end record

	localSize   = 30
	centralSize = 46
	endSize     = 22
	locatorSize = 20
	maxComment  = 1<<16 - 1

	noSize16 = 1<<16 - 1 // value that refers to zip64
	noSize32 = 1<<32 - 1
)

// Flags of an entry.
const (
	flagEncrypted  = 1 << 0
	flagDescriptor = 1 << 3 // sizes and checksum follow the data
	flagPatched    = 1 << 5
	flagStrong     = 1 << 6  // strong encryption
	flagMasked     = 1 << 13 // masked headers
)

// Methods of an entry.
const (
	methodStored   = 0
	methodDeflated = 8
)

// record is an entry as described by the directory.
type record struct {
	name       string // raw name
	flags      uint16
	method     uint16
	checksum   uint32
	packed     int64 // bytes
	size       int64 // uncompressed bytes, as stated
	attributes uint32
	offset     int64
	data       []byte // compressed
	end        int64  // after the data and its descriptor
}

// directory returns the entries of an archive. Together with the directory they cover every byte exactly once.
func directory(archive []byte) ([]record, error) {
	end, err := findEnd(archive)
	if err != nil {
		return nil, err
	}
	e := fields(archive[end : end+endSize])
	e.skip(4)
	disk, start, here, total := e.u16(), e.u16(), e.u16(), e.u16()
	size, offset := e.u32(), e.u32()
	switch {
	case end >= locatorSize && binary.LittleEndian.Uint32(archive[end-locatorSize:]) == locatorSignature,
		total == noSize16, size == noSize32, offset == noSize32:
		return nil, refuse(CodeZip64, "zip64 is not supported: create the archive without it")
	case disk != 0 || start != 0 || here != total:
		return nil, refuse(CodeMalformed, "multi-disk archives are not supported")
	case int64(offset)+int64(size) > int64(end):
		return nil, refuse(CodeMalformed, "its directory is outside of the archive")
	case int64(offset)+int64(size) < int64(end):
		return nil, refuse(CodeDataOutside, "bytes before or after the entries belong to no entry")
	case int(total) > MaxEntries:
		return nil, refuse(CodeTooManyEntries, "it has %d entries, at most %d are allowed", total, MaxEntries)
	}
	records, err := readRecords(archive[offset:end], int(total))
	if err != nil {
		return nil, err
	}
	for i := range records {
		if err := records[i].locate(archive[:offset]); err != nil {
			return nil, err
		}
	}
	return records, tile(records, int64(offset))
}

// findEnd finds the only end record of an archive, which only its comment may follow.
func findEnd(archive []byte) (int, error) {
	found := -1
	for at := len(archive) - endSize; at >= 0 && at >= len(archive)-endSize-maxComment; at-- {
		if binary.LittleEndian.Uint32(archive[at:]) != endSignature {
			continue
		}
		if at+endSize+int(binary.LittleEndian.Uint16(archive[at+endSize-2:])) != len(archive) {
			continue
		}
		if found >= 0 {
			return 0, refuse(CodeAmbiguous, "it has two end records, so it can be read in two ways")
		}
		found = at
	}
	switch {
	case found < 0:
		return 0, refuse(CodeNotAnArchive, "not a ZIP file, or a part of it is missing")
	case bytes.Contains(archive[found+endSize:], binary.LittleEndian.AppendUint32(nil, endSignature)):
		return 0, refuse(CodeAmbiguous, "its comment looks like an end record, so it can be read in two ways")
	}
	return found, nil
}

// readRecords parses the directory, which must be exactly as long as its entries.
func readRecords(directory []byte, total int) ([]record, error) {
	records := make([]record, 0, total)
	for range total {
		if len(directory) < centralSize || binary.LittleEndian.Uint32(directory) != centralSignature {
			return nil, refuse(CodeMalformed, "its directory has fewer entries than stated")
		}
		var r record
		f := fields(directory[:centralSize])
		f.skip(8)
		r.flags, r.method = f.u16(), f.u16()
		f.skip(4) // time and date
		r.checksum = f.u32()
		packed, size := f.u32(), f.u32()
		nameSize, extraSize, commentSize, disk := int(f.u16()), int(f.u16()), int(f.u16()), f.u16()
		f.skip(2)
		r.attributes = f.u32()
		offset := f.u32()
		whole := centralSize + nameSize + extraSize + commentSize
		if len(directory) < whole {
			return nil, refuse(CodeMalformed, "its directory ends within an entry")
		}
		r.name = string(directory[centralSize : centralSize+nameSize])
		extra := directory[centralSize+nameSize : centralSize+nameSize+extraSize]
		directory = directory[whole:]
		r.packed, r.size, r.offset = int64(packed), int64(size), int64(offset)
		if packed == noSize32 || size == noSize32 || offset == noSize32 || disk == noSize16 {
			return nil, refuseEntry(CodeZip64, r.name, "zip64 is not supported")
		}
		if disk != 0 {
			return nil, refuseEntry(CodeMalformed, r.name, "it is on another disk")
		}
		if err := r.check(extra); err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	if len(directory) > 0 {
		return nil, refuse(CodeMalformed, "its directory has more entries than stated")
	}
	return records, nil
}

// check refuses entries that are never read, whatever their content.
func (r *record) check(extra []byte) error {
	switch {
	case r.flags&(flagEncrypted|flagStrong|flagMasked) != 0:
		return refuseEntry(CodeEncrypted, r.name, "it is encrypted")
	case r.flags&flagPatched != 0 || r.method != methodStored && r.method != methodDeflated:
		return refuseEntry(CodeUnsupported, r.name, "compression method %d is not supported: store or deflate it", r.method)
	}
	if err := r.checkExtra(extra); err != nil {
		return err
	}
	return r.checkMode()
}

// Extra fields that matter here.
const (
	extraZip64 = 0x0001
	extraPath  = 0x7075 // a second name, in UTF-8
)

// checkExtra refuses extra fields that contradict the entry.
func (r *record) checkExtra(extra []byte) error {
	for len(extra) >= 4 {
		id, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if extra = extra[4:]; len(extra) < size {
			return nil // padding that some programs write
		}
		switch {
		case id == extraZip64:
			return refuseEntry(CodeZip64, r.name, "zip64 is not supported")
		case id == extraPath && (size < 5 || string(extra[5:size]) != r.name):
			return refuseEntry(CodeAmbiguous, r.name, "it has a second name")
		}
		extra = extra[size:]
	}
	return nil
}

// Permissions and file types in external attributes: Unix in the upper half, DOS in the lower one.
const (
	modeKind     = 0o170000
	modePlain    = 0o100000
	modeFolder   = 0o040000
	modeSpecial  = 0o7000
	dosReparse   = 0x400 // a link on Windows
	modeInUpper  = 16
	folderEnding = '/'
)

// checkMode accepts plain files and folders.
func (r *record) checkMode() error {
	mode := r.attributes >> modeInUpper
	kind := mode & modeKind
	isFolder := len(r.name) > 0 && r.name[len(r.name)-1] == folderEnding
	switch {
	case r.attributes&dosReparse != 0,
		kind != 0 && kind != modePlain && kind != modeFolder,
		kind == modeFolder && !isFolder, kind == modePlain && isFolder,
		!isFolder && mode&modeSpecial != 0:
		return refuseEntry(CodeSpecialFile, r.name, "it is a link, a device, or a file with special permissions")
	case isFolder && (r.packed != 0 || r.size != 0):
		return refuseEntry(CodeSpecialFile, r.name, "it is a folder with data")
	}
	return nil
}

// locate finds the data of an entry, and refuses local headers that contradict the directory.
func (r *record) locate(before []byte) error {
	if r.offset+localSize > int64(len(before)) || binary.LittleEndian.Uint32(before[r.offset:]) != localSignature {
		return refuseEntry(CodeMalformed, r.name, "its local header is not where the directory says")
	}
	f := fields(before[r.offset : r.offset+localSize])
	f.skip(6)
	flags, method := f.u16(), f.u16()
	f.skip(4)
	checksum, packed, size := f.u32(), int64(f.u32()), int64(f.u32())
	nameSize, extraSize := int64(f.u16()), int64(f.u16())
	start := r.offset + localSize + nameSize + extraSize
	if start+r.packed > int64(len(before)) {
		return refuseEntry(CodeMalformed, r.name, "it is outside of the archive")
	}
	name := before[r.offset+localSize : r.offset+localSize+nameSize]
	later := flags&flagDescriptor != 0 && checksum == 0 && packed == 0 && size == 0
	if string(name) != r.name || flags != r.flags || method != r.method ||
		!later && (checksum != r.checksum || packed != r.packed || size != r.size) {
		return refuseEntry(CodeMalformed, r.name, "its two headers contradict each other")
	}
	if err := r.checkExtra(before[start-extraSize : start]); err != nil {
		return err
	}
	r.data, r.end = before[start:start+r.packed], start+r.packed
	if flags&flagDescriptor != 0 {
		return r.skipDescriptor(before[r.end:])
	}
	return nil
}

// skipDescriptor skips the data descriptor after an entry of initially unknown size, with or without a signature.
func (r *record) skipDescriptor(behind []byte) error {
	want := binary.LittleEndian.AppendUint32(nil, r.checksum)
	want = binary.LittleEndian.AppendUint32(want, uint32(r.packed))
	want = binary.LittleEndian.AppendUint32(want, uint32(r.size))
	signed := append(binary.LittleEndian.AppendUint32(nil, descriptorSignature), want...)
	switch {
	case bytes.HasPrefix(behind, signed):
		r.end += int64(len(signed))
	case bytes.HasPrefix(behind, want):
		r.end += int64(len(want))
	default:
		return refuseEntry(CodeMalformed, r.name, "its data descriptor contradicts its header")
	}
	return nil
}

// tile refuses entries that share bytes, and bytes that belong to no entry.
func tile(records []record, until int64) error {
	byOffset := slices.Clone(records)
	slices.SortFunc(byOffset, func(a, b record) int { return cmp.Compare(a.offset, b.offset) })
	var at int64
	for _, r := range byOffset {
		switch {
		case r.offset < at:
			return refuseEntry(CodeOverlapping, r.name, "it shares bytes with another entry")
		case r.offset > at:
			return refuseEntry(CodeDataOutside, r.name, "bytes before it belong to no entry")
		}
		at = r.end
	}
	if at != until {
		return refuse(CodeDataOutside, "bytes after the entries belong to no entry")
	}
	return nil
}

// fields reads consecutive little-endian numbers. The caller has checked the length.
type fields []byte

func (f *fields) skip(n int) { *f = (*f)[n:] }

func (f *fields) u16() uint16 {
	n := binary.LittleEndian.Uint16(*f)
	f.skip(2)
	return n
}

func (f *fields) u32() uint32 {
	n := binary.LittleEndian.Uint32(*f)
	f.skip(4)
	return n
}
