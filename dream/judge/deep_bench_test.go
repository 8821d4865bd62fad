package judge

import (
	"fmt"
	"strings"
	"testing"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
)

// BenchmarkDeep ranks the maximum of candidates of one dream, with many states of earlier dreams.
func BenchmarkDeep(b *testing.B) {
	verbs := []string{"Repairs", "Collects", "Plans to sell", "Lives near", "Moved to", "No longer likes", "Paints", "Prefers"}
	things := []string{"clocks", "maps", "Hamburg", "sushi", "the old barn", "violins", "Lisbon", "trains"}
	text := func(i int) string {
		return fmt.Sprintf("%s %s of the %s collection number %d.", verbs[i%8], things[i/8%8], things[i/64%8], i)
	}
	in := dream.DeepInput{Material: dream.Material{AsOf: dreamt}, Mode: memory.DreamNightly}
	s := setting.DefaultDreamSettings()
	for i := range s.MaxCandidates {
		c := fact(text(i), "List")
		in.Candidates = append(in.Candidates, c)
	}
	statuses := []dream.Status{dream.Promoted, dream.Rejected, dream.Forgotten}
	for i := range 2000 {
		in.Material.States = append(in.Material.States,
			dream.State{ID: markdown.EntryID(fmt.Sprint(i)), Text: text(1000 + i), Status: statuses[i%3], LastSeen: noonBefore(9)})
	}
	var memoryText strings.Builder
	for i := range 100 {
		fmt.Fprintf(&memoryText, "- %s\n", text(5000+i))
	}
	in.Memory = memoryText.String()
	for b.Loop() {
		if r := Deep(in, s); len(r.Candidates) != s.MaxCandidates {
			b.Fatal(len(r.Candidates))
		}
	}
}
