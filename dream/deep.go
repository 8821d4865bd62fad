package dream

import "reverie/memory"

// Deep scores, gates and filters candidates and gives each its verdict with the reason.
func Deep(in DeepInput, s memory.DreamSettings) Ranking { return Ranking{} }
