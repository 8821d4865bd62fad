package main

import (
	"encoding/json"
	"slices"

	"reverie/recall"
)

// ablation is a search with other options than the defaults. What it loses is what the default is worth.
type ablation struct {
	Name    string          `json:"name"`
	Options json.RawMessage `json:"options"` // as the search request takes them
}

// vectors is the component that a lexical ranking does not have.
const vectors = "vectors"

// ablations are every component by itself switched off, all of them but the discount of long units (which leaves BM25
// without stop words), and what is off by default switched on.
func ablations(hybrid bool) []ablation {
	var out []ablation
	components := recall.Components()
	for _, component := range components {
		if component != vectors || hybrid {
			out = append(out, without("without "+component, component))
		}
	}
	return append(out, without("BM25 alone", slices.DeleteFunc(components, func(c string) bool { return c == "b" })...),
		with("with mmr", map[string]any{"mmr": true}), with("with decay", map[string]any{"decay": true}))
}

// inputs are the two lists that fusion has, each by itself.
func inputs() (words, vectorsOnly ablation) {
	return without("words alone", vectors), with("vectors alone", map[string]any{"textWeight": 0, "vectorWeight": 1})
}

func without(name string, components ...string) ablation {
	return with(name, map[string]any{"off": components})
}

func with(name string, options map[string]any) ablation {
	raw, err := json.Marshal(options)
	if err != nil {
		panic(err) // strings, numbers and booleans can be written
	}
	return ablation{name, raw}
}
