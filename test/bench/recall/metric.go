package main

// Recall at k, of one question, is the share of its evidence that is among the first k turns found:
//
//   - turn level: of its evidence turns, those among the first k distinct turns;
//   - session level: of the sessions that its evidence turns are in, those that any of the first k distinct turns is in.
//
// The session level looks at the same k turns, not at k sessions. A figure for several questions is the mean of theirs.

// recallAt is the recall of one or more questions at each of the wanted k.
type recallAt struct {
	K       int     `json:"k"`
	Turn    float64 `json:"turn"`
	Session float64 `json:"session"`
}

// measure says how well found, best first, has the evidence. found may repeat a turn; only its first place counts.
// evidence is not empty. sessions maps a turn to its session; what is found but is in none of them is a turn that is
// nobody's evidence.
func measure(found, evidence []string, sessions map[string]int, ks []int) []recallAt {
	wantedTurns, wantedSessions := map[string]bool{}, map[int]bool{}
	for _, id := range evidence {
		wantedTurns[id] = true
		wantedSessions[sessions[id]] = true
	}
	found = distinct(found)
	out := make([]recallAt, len(ks))
	for i, k := range ks {
		turns, seen := 0, map[int]bool{}
		for _, id := range found[:min(k, len(found))] {
			if wantedTurns[id] {
				turns++
			}
			if session, ok := sessions[id]; ok && wantedSessions[session] {
				seen[session] = true
			}
		}
		out[i] = recallAt{K: k, Turn: share(turns, len(wantedTurns)), Session: share(len(seen), len(wantedSessions))}
	}
	return out
}

func share(part, whole int) float64 { return float64(part) / float64(whole) }

// distinct keeps the first of equal ids.
func distinct(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	out := make([]string, 0, len(ids))
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// mean is the mean of the questions' recall at each k; all have the same k in the same order.
func mean(questions [][]recallAt, ks []int) []recallAt {
	out := make([]recallAt, len(ks))
	for i, k := range ks {
		out[i].K = k
		for _, q := range questions {
			out[i].Turn += q[i].Turn / float64(len(questions))
			out[i].Session += q[i].Session / float64(len(questions))
		}
	}
	return out
}
