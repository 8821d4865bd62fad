package store

import (
	"fmt"
	"strings"
	"testing"

	"reverie/memory"
	snap "reverie/snapshot"
)

// BenchmarkCommitSnapshot is the one transaction of an import with as many documents as an archive may have: small ones, and all of
// the text that it may have.
func BenchmarkCommitSnapshot(b *testing.B) {
	for name, bytes := range map[string]int{"small": 40, "16MiB": snap.MaxTotalBytes/(snap.MaxEntries-1) - 400} {
		b.Run(name, func(b *testing.B) {
			s := openStore(b)
			for n := range b.N {
				b.StopTimer()
				var taken snap.Taken
				for f := range snap.MaxEntries - 1 {
					line := fmt.Sprintf("- Statement of document %d in round %d.\n", f, n)
					taken.Files = append(taken.Files, snap.Checked{File: snap.File{
						Ref: memory.Ref{Scope: memory.ScopePersonal, Path: fmt.Sprintf("memory/note-%d.md", f)}, Content: strings.Repeat(line, max(1, bytes/len(line))),
					}})
				}
				data := fmt.Appendf(nil, "%s %d", name, n)
				archive := snap.Archive{SHA256: [32]byte{byte(n), byte(n >> 8), byte(len(name))}}
				id := bySnapshot("user:1")
				staged, err := s.StageSnapshot(b.Context(), id, SnapshotRequest{Archive: archive.SHA256, Data: data, Choice: snap.ChooseAll})
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				got, err := s.CommitSnapshot(b.Context(), id, staged.ID, archive, taken, nil)
				if err != nil || got.Created+got.Updated != snap.MaxEntries-1 {
					b.Fatalf("%d created, %d updated: %v", got.Created, got.Updated, err)
				}
			}
		})
	}
}
