package prompts

import "reverie/memory"

// DreamSystem is what every consolidation is told.
func DreamSystem() (string, error) { return "", nil }

// DreamUser renders the material of one consolidation. With Violations it is the repair round.
func DreamUser(in memory.ConsolidationInput) (string, error) { return "", nil }
