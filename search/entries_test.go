package search

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Pieces that are analysed together have the terms that each has alone.
func TestPiecesKeepTheirTerms(t *testing.T) {
	pieces := []Piece{
		{Seq: 1, Text: "The houses of the cities were painted by the children of the city.", Context: "memory Houses"},
		{Seq: 2, Text: "Die Kinder haben die Häuser der Städte gesehen, und wir haben sie gemalt.", Context: "memory Houses"},
		{Seq: 3, Text: "houses Kinder", Context: "Städte"},
	}
	var apart []Entry
	for _, p := range pieces {
		apart = append(apart, Entries(1, 0, []Piece{p})...)
	}
	if diff := cmp.Diff(apart, Entries(1, 0, pieces)); diff != "" {
		t.Errorf("entries (-apart +together):\n%s", diff)
	}
}
