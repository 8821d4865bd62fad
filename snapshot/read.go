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

// Archive is what an archive has, after every byte of it was looked at.
type Archive struct {
	SHA256   [sha256.Size]byte // of the archive
	Bytes    int               // of the archive
	Manifest *Manifest         // nil: it has none, which is fine
	Files    []File            // by name
	Skipped  []Skipped         // in the order of the archive
	// Genuine says that the manifest tells of exactly these files as they are.
	Genuine bool
	// Edited are documents that are not what the manifest says: somebody changed them in the archive.
	Edited map[memory.Ref]bool
}

// Has reports whether there are documents of a scope.
func (a Archive) Has(scope memory.Scope) bool {
	return slices.ContainsFunc(a.Files, func(f File) bool { return f.Scope == scope })
}

// Read reads an archive that anybody may have made. Every entry is inflated, within the limits, whether it is a document or
// not: an archive that lies in one place is refused as a whole, as a *RefusedError. An entry that is no document is skipped.
func Read(data []byte) (Archive, error) {
	switch {
	case len(data) == 0:
		return Archive{}, refuse(CodeEmpty, "there is no archive: send a ZIP file")
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
			return Archive{}, refuseEntry(CodeDuplicateName, r.name, "there is another one of this name, or one that differs by case alone")
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
		return Archive{}, refuse(CodeNoDocuments, "there is no document in it that could be imported: put MEMORY.md, memory/… and the like at its top")
	}
	sortFiles(a.Files)
	a.compare()
	return a, nil
}

// inflate unpacks an entry, of which there may be as much as is left of the archive's share.
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
		return "", refuseEntry(CodeEntryTooLarge, r.name, "it has more than %d bytes", MaxEntryBytes)
	case n > left:
		return "", refuse(CodeTotalTooLarge, "its entries have more than %d bytes together", MaxTotalBytes)
	case err != nil:
		return "", refuseEntry(CodeMalformed, r.name, "it cannot be unpacked")
	case n != r.size || packed.Len() > 0:
		return "", refuseEntry(CodeWrongSize, r.name, "it is longer or shorter than it says")
	case crc32.ChecksumIEEE([]byte(content.String())) != r.checksum:
		return "", refuseEntry(CodeWrongChecksum, r.name, "its checksum is wrong: it was damaged on the way")
	}
	return content.String(), nil
}

// take decides what an entry is.
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
	case memory.ValidContent(content) != nil: // its length is checked
		return skip(SkippedNoText)
	}
	a.Files = append(a.Files, File{Ref: ref, Content: content})
	return nil
}

// compare tells files by the manifest: their places in the system prompt, and which are not as it says.
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
	a.Genuine = a.Manifest.tells(a.Files)
}

// The records of a ZIP file (APPNOTE.TXT 6.3.10, section 4.3). They are read here and not by archive/zip, because what matters
// is what that one overlooks: bytes that belong to two entries or to none, and records that contradict each other.
const (
	localSignature      = 0x04034b50
	centralSignature    = 0x02014b50
	endSignature        = 0x06054b50
	descriptorSignature = 0x08074b50
	locatorSignature    = 0x07064b50 // of the zip64 end

	localSize   = 30
	centralSize = 46
	endSize     = 22
	locatorSize = 20
	maxComment  = 1<<16 - 1

	noSize16 = 1<<16 - 1 // "see zip64"
	noSize32 = 1<<32 - 1
)

// Flags of an entry.
const (
	flagEncrypted  = 1 << 0
	flagDescriptor = 1 << 3 // sizes and checksum follow the data
	flagPatched    = 1 << 5
	flagStrong     = 1 << 6  // encryption
	flagMasked     = 1 << 13 // headers
)

// Methods of an entry.
const (
	methodStored   = 0
	methodDeflated = 8
)

// record is an entry as the directory describes it.
type record struct {
	name       string // as it stands there
	flags      uint16
	method     uint16
	checksum   uint32
	packed     int64 // bytes
	size       int64 // bytes, inflated: what it says
	attributes uint32
	offset     int64
	data       []byte // still packed
	end        int64  // behind the data and what follows it
}

// directory finds the entries of an archive. Together with the directory they are all of its bytes, each once.
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
		return nil, refuse(CodeZip64, "it is written as zip64, for sizes that no snapshot has: make it without")
	case disk != 0 || start != 0 || here != total:
		return nil, refuse(CodeMalformed, "it is a part of an archive on several disks")
	case int64(offset)+int64(size) > int64(end):
		return nil, refuse(CodeMalformed, "its directory does not lie within it")
	case int64(offset)+int64(size) < int64(end):
		return nil, refuse(CodeDataOutside, "there are bytes before or behind its entries that belong to none")
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

// findEnd finds the one record at the end of an archive, behind which there is its comment alone.
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
			return 0, refuse(CodeAmbiguous, "it has two ends, and may be read in two ways")
		}
		found = at
	}
	switch {
	case found < 0:
		return 0, refuse(CodeNotAnArchive, "it is no ZIP file, or a part of it is missing")
	case bytes.Contains(archive[found+endSize:], binary.LittleEndian.AppendUint32(nil, endSignature)):
		return 0, refuse(CodeAmbiguous, "its comment looks like another end, and it may be read in two ways")
	}
	return found, nil
}

// readRecords reads the directory, which has to be exactly as long as its entries.
func readRecords(directory []byte, total int) ([]record, error) {
	records := make([]record, 0, total)
	for range total {
		if len(directory) < centralSize || binary.LittleEndian.Uint32(directory) != centralSignature {
			return nil, refuse(CodeMalformed, "its directory has fewer entries than it says")
		}
		var r record
		f := fields(directory[:centralSize])
		f.skip(8)
		r.flags, r.method = f.u16(), f.u16()
		f.skip(4) // time and day
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
			return nil, refuseEntry(CodeZip64, r.name, "it is written as zip64, for sizes that no snapshot has")
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
		return nil, refuse(CodeMalformed, "its directory has more entries than it says")
	}
	return records, nil
}

// check refuses entries that are not read, whatever is in them.
func (r *record) check(extra []byte) error {
	switch {
	case r.flags&(flagEncrypted|flagStrong|flagMasked) != 0:
		return refuseEntry(CodeEncrypted, r.name, "it is encrypted")
	case r.flags&flagPatched != 0 || r.method != methodStored && r.method != methodDeflated:
		return refuseEntry(CodeUnsupported, r.name, "it is packed by method %d: store or deflate it", r.method)
	}
	if err := r.checkExtra(extra); err != nil {
		return err
	}
	return r.checkMode()
}

// Extra fields that say something about an entry that counts.
const (
	extraZip64 = 0x0001
	extraPath  = 0x7075 // the name once more, in UTF-8
)

// checkExtra refuses extra fields that say something else than the entry.
func (r *record) checkExtra(extra []byte) error {
	for len(extra) >= 4 {
		id, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if extra = extra[4:]; len(extra) < size {
			return nil // padding, as some make it
		}
		switch {
		case id == extraZip64:
			return refuseEntry(CodeZip64, r.name, "it is written as zip64, for sizes that no snapshot has")
		case id == extraPath && (size < 5 || string(extra[5:size]) != r.name):
			return refuseEntry(CodeAmbiguous, r.name, "it has a second name")
		}
		extra = extra[size:]
	}
	return nil
}

// Rights and kinds of files in external attributes: those of Unix in the upper half, those of DOS in the lower one.
const (
	modeKind     = 0o170000
	modePlain    = 0o100000
	modeFolder   = 0o040000
	modeSpecial  = 0o7000
	dosReparse   = 0x400 // a link, on Windows
	modeInUpper  = 16
	folderEnding = '/'
)

// checkMode takes plain files and folders.
func (r *record) checkMode() error {
	mode := r.attributes >> modeInUpper
	kind := mode & modeKind
	isFolder := len(r.name) > 0 && r.name[len(r.name)-1] == folderEnding
	switch {
	case r.attributes&dosReparse != 0,
		kind != 0 && kind != modePlain && kind != modeFolder,
		kind == modeFolder && !isFolder, kind == modePlain && isFolder,
		!isFolder && mode&modeSpecial != 0:
		return refuseEntry(CodeSpecialFile, r.name, "it is a link, a device, or a file with special rights")
	case isFolder && (r.packed != 0 || r.size != 0):
		return refuseEntry(CodeSpecialFile, r.name, "it is a folder with contents of its own")
	}
	return nil
}

// locate finds the data of an entry, and refuses what is said of it there otherwise than in the directory.
func (r *record) locate(before []byte) error {
	if r.offset+localSize > int64(len(before)) || binary.LittleEndian.Uint32(before[r.offset:]) != localSignature {
		return refuseEntry(CodeMalformed, r.name, "it is not where the directory says")
	}
	f := fields(before[r.offset : r.offset+localSize])
	f.skip(6)
	flags, method := f.u16(), f.u16()
	f.skip(4)
	checksum, packed, size := f.u32(), int64(f.u32()), int64(f.u32())
	nameSize, extraSize := int64(f.u16()), int64(f.u16())
	start := r.offset + localSize + nameSize + extraSize
	if start+r.packed > int64(len(before)) {
		return refuseEntry(CodeMalformed, r.name, "it does not lie within the archive")
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

// skipDescriptor reads what follows the data of an entry whose sizes were not known before: with a signature or without.
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
		return refuseEntry(CodeMalformed, r.name, "what follows it contradicts its header")
	}
	return nil
}

// tile refuses entries that share bytes, and bytes that belong to none.
func tile(records []record, until int64) error {
	byOffset := slices.Clone(records)
	slices.SortFunc(byOffset, func(a, b record) int { return cmp.Compare(a.offset, b.offset) })
	var at int64
	for _, r := range byOffset {
		switch {
		case r.offset < at:
			return refuseEntry(CodeOverlapping, r.name, "it shares bytes with another entry")
		case r.offset > at:
			return refuseEntry(CodeDataOutside, r.name, "there are bytes before it that belong to no entry")
		}
		at = r.end
	}
	if at != until {
		return refuse(CodeDataOutside, "there are bytes behind its entries that belong to none")
	}
	return nil
}

// fields reads little-endian numbers one after the other. Its length was checked before.
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
