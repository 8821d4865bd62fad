package main

import "encoding/json"

// ablation is a search with other options than the defaults. What it loses is what the default is worth.
type ablation struct {
	Name    string          `json:"name"`
	Options json.RawMessage `json:"options"` // as the search request takes them
}

// ablations are one for each component that can be switched, in the order of the pipeline.
func ablations() []ablation {
	return nil
}
