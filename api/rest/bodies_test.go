package rest

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/uuid"

	"reverie/api/fault"
)

func TestValuesAreCountedWhileReading(t *testing.T) {
	array := func(n int) string { return `{"messages":[` + strings.TrimSuffix(strings.Repeat("{},", n), ",") + `]}` }
	for _, c := range []struct {
		name, body string
		max, left  int
		fails      bool
	}{
		{"as many elements as allowed", array(10), 10, 1000, false},
		{"one element too many", array(11), 10, 1000, true},
		{"two arrays, each within the limit", `[` + array(10) + `,` + array(10) + `]`, 10, 1000, false},
		{"one field too many", `{"a":1,"b":2,"c":3}`, 2, 1000, true},
		{"as many values as allowed", `[1,[2,3],{"a":4}]`, 10, 6, false},
		{"one value too many", `[1,[2,3],{"a":4}]`, 10, 5, true},
		{"punctuation in strings", `["[[[,,,{{{","\",,,,\\","\\",","]`, 4, 5, false},
		{"nested as deep as allowed", strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth), 10, 1000, false},
		{"nested too deep", strings.Repeat("[", maxDepth+1), 10, 1000, true},
		{"no JSON", `]]}},,`, 10, 1000, false},
	} {
		for _, size := range []int{1, 3, 4096} {
			r := &valueCounter{ReadCloser: io.NopCloser(inPieces{strings.NewReader(c.body), size}), maxElements: c.max, left: c.left}
			read, err := io.ReadAll(r)
			var p *fault.Problem
			if errors.As(err, &p) != c.fails {
				t.Errorf("%s, %d bytes at once: %v", c.name, size, err)
			}
			if !c.fails && string(read) != c.body {
				t.Errorf("%s: read %q", c.name, read)
			}
		}
	}
}

// inPieces reads a few bytes at once.
type inPieces struct {
	io.Reader
	size int
}

func (p inPieces) Read(b []byte) (int, error) { return p.Reader.Read(b[:min(len(b), p.size)]) }

func TestMemoryForBodiesIsBounded(t *testing.T) {
	budget := memoryBudget{keys: map[uuid.UUID]int64{}}
	longest := int64(bodyCost * MaxBodyBytes)
	keys := map[uuid.UUID]int{}
	for range maxBodies / maxKeyBodies {
		key := uuid.New()
		for budget.take(key, longest) {
			keys[key]++
		}
		if keys[key] != maxKeyBodies/bodyCost/MaxBodyBytes {
			t.Errorf("a key may send %d of the longest bodies at once", keys[key])
		}
	}
	other := uuid.New()
	if budget.take(other, minBodyCost) {
		t.Error("the process takes more than its memory")
	}
	for key, n := range keys {
		for range n {
			budget.giveBack(key, longest)
		}
	}
	if !budget.take(other, minBodyCost) || len(budget.keys) != 1 {
		t.Errorf("memory was not given back: %d bytes of %d keys", budget.used, len(budget.keys))
	}
}
