// Package snapshottest creates archives for tests, also malicious ones, record by record.
package snapshottest

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// Signatures, sizes, flags and methods of ZIP files, independent of package snapshot's.
const (
	localSignature      = 0x04034b50
	centralSignature    = 0x02014b50
	endSignature        = 0x06054b50
	descriptorSignature = 0x08074b50
	locatorSignature    = 0x07064b50

	localSize   = 30
	endSize     = 22
	locatorSize = 20
	noSize16    = 1<<16 - 1
	noSize32    = 1<<32 - 1

	flagEncrypted  = 1 << 0
	flagDescriptor = 1 << 3
	flagStrong     = 1 << 6

	methodDeflated = 8

	extraZip64  = 0x0001
	extraPath   = 0x7075
	dosReparse  = 0x400
	modeInUpper = 16

	manifestName = "manifest.json"
)

// forged is an entry that is written record by record, so that each field can be false.
type forged struct {
	name       string
	content    string
	method     uint16
	flags      uint16
	attributes uint32
	extra      string // in both headers
	packed     []byte // replaces the compressed content
	// Values to write in place of the true ones; nil: the true value.
	checksum, packedSize, size, offset *uint32
	localName                          string // replaces name
	localFlags                         *uint16
	descriptor                         bool // sizes and checksum follow the data
	behind                             string
	// share is the number of an entry whose bytes this one also uses, instead of separate data; 0: none.
	share int
}

// archive describes how entries are combined.
type archive struct {
	before, between, comment string
	entries                  []forged
	count                    *uint16
	offset, length           *uint32 // of the directory
	disk                     uint16
}

func or[T any](lied *T, truth T) T {
	if lied != nil {
		return *lied
	}
	return truth
}

// deflate compresses a text.
func deflate(tb testing.TB, content string) []byte {
	tb.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err == nil {
		_, err = w.Write([]byte(content))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// bytes returns the archive.
func (a archive) bytes(tb testing.TB) []byte {
	tb.Helper()
	out := []byte(a.before)
	var directory []byte
	offsets := make([]uint32, len(a.entries))
	le := binary.LittleEndian
	for i, e := range a.entries {
		data := e.packed
		if data == nil {
			data = []byte(e.content)
			if e.method == methodDeflated {
				data = deflate(tb, e.content)
			}
		}
		flags := e.flags
		if e.descriptor {
			flags |= flagDescriptor
		}
		checksum := or(e.checksum, crc32.ChecksumIEEE([]byte(e.content)))
		packed, size := or(e.packedSize, uint32(len(data))), or(e.size, uint32(len(e.content)))
		numbers := func(b []byte) []byte {
			return le.AppendUint32(le.AppendUint32(le.AppendUint32(b, checksum), packed), size)
		}
		offsets[i] = uint32(len(out))
		if e.share > 0 {
			offsets[i] = offsets[e.share-1]
		} else {
			name := e.name
			if e.localName != "" {
				name = e.localName
			}
			out = le.AppendUint32(out, localSignature)
			out = le.AppendUint16(out, 20)
			out = le.AppendUint16(out, or(e.localFlags, flags))
			out = le.AppendUint16(out, e.method)
			out = le.AppendUint32(out, 0x210000)
			if e.descriptor {
				out = append(out, make([]byte, 12)...)
			} else {
				out = numbers(out)
			}
			out = le.AppendUint16(out, uint16(len(name)))
			out = le.AppendUint16(out, uint16(len(e.extra)))
			out = append(append(append(out, name...), e.extra...), data...)
			if e.descriptor {
				out = numbers(le.AppendUint32(out, descriptorSignature))
			}
			out = append(out, e.behind...)
		}
		directory = le.AppendUint32(directory, centralSignature)
		directory = le.AppendUint16(directory, 3<<8|20)
		directory = le.AppendUint16(directory, 20)
		directory = le.AppendUint16(directory, flags)
		directory = le.AppendUint16(directory, e.method)
		directory = le.AppendUint32(directory, 0x210000)
		directory = numbers(directory)
		directory = le.AppendUint16(directory, uint16(len(e.name)))
		directory = le.AppendUint16(directory, uint16(len(e.extra)))
		directory = append(directory, make([]byte, 6)...)
		directory = le.AppendUint32(directory, e.attributes)
		directory = le.AppendUint32(directory, or(e.offset, offsets[i]))
		directory = append(append(directory, e.name...), e.extra...)
	}
	out = append(out, a.between...)
	start := uint32(len(out))
	out = append(out, directory...)
	count := or(a.count, uint16(len(a.entries)))
	out = le.AppendUint32(out, endSignature)
	out = le.AppendUint16(out, a.disk)
	out = le.AppendUint16(out, a.disk)
	out = le.AppendUint16(out, count)
	out = le.AppendUint16(out, count)
	out = le.AppendUint32(out, or(a.length, uint32(len(directory))))
	out = le.AppendUint32(out, or(a.offset, start))
	out = le.AppendUint16(out, uint16(len(a.comment)))
	return append(out, a.comment...)
}
