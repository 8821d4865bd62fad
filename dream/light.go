package dream

import "reverie/memory"

// Light stages what a dream looks at: each thing that was noted or said once, in however many words and places, with the
// signals that speak for it. The same material gives the same candidates in the same order, the newest first.
func Light(m Material, s memory.DreamSettings) []Candidate { return nil }
