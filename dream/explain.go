package dream

import "reverie/memory"

// Explanation says why a candidate was promoted or not, and what would promote it.
type Explanation struct {
	Candidate Candidate `json:"candidate"`
	// Summary is one line, such as "0.71 < 0.75; one more distinct day would pass".
	Summary string   `json:"summary"`
	Lacks   []string `json:"lacks,omitempty"` // what fails, one sentence each
	Would   []string `json:"would,omitempty"` // what would pass, one sentence each
}

// Explain tells why. It weighs the candidate as Deep does, so that it never says other than what a dream would do.
func Explain(c Candidate, s memory.DreamSettings) Explanation { return Explanation{} }
