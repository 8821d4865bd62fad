package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"reverie/llm/extractive"
	"reverie/memory"
	"reverie/memory/transcripts"
)

// The engine before this one, at commit 145eb7b, kept this share of the characters and turns of the two development
// dialogues of LoCoMo. They are the volumes at which others are compared.
const (
	volumeCharacters = .0465
	volumeTurns      = .114
)

// dialogue is a dialogue of two persons with questions.
type dialogue struct {
	Conversation map[string]json.RawMessage `json:"conversation"`
	Questions    []struct {
		Evidence []string `json:"evidence"`
	} `json:"qa"`
	Observation map[string]map[string][][2]any `json:"observation"`
}

type turn struct {
	Speaker string `json:"speaker"`
	ID      string `json:"dia_id"`
	Text    string `json:"text"`
}

// choice is something that may be kept: its rank, its length and the turns that it covers.
type choice struct {
	score float64
	chars int
	turns []string
}

var sessionName = regexp.MustCompile(`^session_\d+$`)

// measureDialogues reads each speaker once as the user and prints the share of questions whose evidence is wholly in what is
// chosen, at the volume of the former engine and at three times that.
func measureDialogues(w io.Writer, path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var all []dialogue
	if err := json.Unmarshal(raw, &all); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	type result struct{ questions, whole, observations, seen int }
	results := map[string]result{}
	methods := []string{"engine", "longest", "random"}
	r := rand.New(rand.NewPCG(3, 4))
	for _, d := range all {
		choices, turns, chars, err := d.choices(r)
		if err != nil {
			return err
		}
		for _, volume := range []string{"characters", "turns"} {
			for _, times := range []float64{1, 3} {
				for _, m := range methods {
					limit := times * volumeCharacters * float64(chars)
					if volume == "turns" {
						limit = times * volumeTurns * float64(turns)
					}
					covered := within(choices[m], limit, volume == "turns")
					key := fmt.Sprintf("%gx %-10s %s", times, volume, m)
					sum := results[key]
					for _, q := range d.Questions {
						if len(q.Evidence) > 0 {
							sum.questions++
							if !slices.ContainsFunc(q.Evidence, func(id string) bool { return !covered[id] }) {
								sum.whole++
							}
						}
					}
					for id := range d.observed() {
						sum.observations++
						if covered[id] {
							sum.seen++
						}
					}
					results[key] = sum
				}
			}
		}
	}
	fmt.Fprintf(w, "\nshare of questions with all their evidence in what is chosen, and of annotated turns\n")
	var keys []string
	for k := range results {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		s := results[k]
		fmt.Fprintf(w, "%-26s questions %.3f (%d)", k, float64(s.whole)/float64(max(1, s.questions)), s.questions)
		if s.observations > 0 {
			fmt.Fprintf(w, "  annotated turns %.3f (%d)", float64(s.seen)/float64(s.observations), s.observations)
		}
		fmt.Fprintln(w)
	}
	return nil
}

// observed returns the turns on which annotated facts rest.
func (d dialogue) observed() map[string]bool {
	ids := map[string]bool{}
	for _, bySpeaker := range d.Observation {
		for _, list := range bySpeaker {
			for _, fact := range list {
				switch e := fact[1].(type) {
				case string:
					for id := range strings.FieldsFuncSeq(e, func(r rune) bool { return strings.ContainsRune(" ,;", r) }) {
						ids[id] = true
					}
				case []any:
					for _, id := range e {
						ids[fmt.Sprint(id)] = true
					}
				}
			}
		}
	}
	return ids
}

// choices returns what each method could keep, and the number of turns and characters of both speakers.
func (d dialogue) choices(r *rand.Rand) (out map[string][]choice, turns, chars int, err error) {
	out = map[string][]choice{}
	for _, who := range []string{"speaker_a", "speaker_b"} {
		var user string
		if err := json.Unmarshal(d.Conversation[who], &user); err != nil {
			return nil, 0, 0, err
		}
		for name, raw := range d.Conversation {
			if !sessionName.MatchString(name) {
				continue
			}
			var date string
			if err := json.Unmarshal(d.Conversation[name+"_date_time"], &date); err != nil {
				return nil, 0, 0, err
			}
			at, err := time.Parse("3:04 pm on 2 January, 2006", date)
			if err != nil {
				return nil, 0, 0, err
			}
			var session []turn
			if err := json.Unmarshal(raw, &session); err != nil {
				return nil, 0, 0, err
			}
			for part := range slices.Chunk(session, 30) {
				var transcript []transcripts.Line
				for i, t := range part {
					l := transcripts.Line{Seq: int64(i + 1), Role: memory.RoleOfAssistant, Text: t.Text, At: at}
					if t.Speaker == user {
						l.Role = memory.RoleOfUser
						n := len([]rune(t.Text))
						turns++
						chars += n
						out["longest"] = append(out["longest"], choice{float64(n), n, []string{t.ID}})
						out["random"] = append(out["random"], choice{r.Float64(), n, []string{t.ID}})
					}
					transcript = append(transcript, l)
				}
				for _, said := range extractive.Statements(transcript, at) {
					c := choice{score: said.Score, chars: len([]rune(said.Text))}
					for _, seq := range said.Messages {
						c.turns = append(c.turns, part[seq-1].ID)
					}
					out["engine"] = append(out["engine"], c)
				}
			}
		}
	}
	return out, turns, chars, nil
}

// within returns the turns of the best choices within a volume, in turns or characters.
func within(choices []choice, limit float64, byTurns bool) map[string]bool {
	choices = slices.Clone(choices)
	slices.SortStableFunc(choices, func(a, b choice) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.turns[0], b.turns[0]))
	})
	covered := map[string]bool{}
	used := 0.0
	for _, c := range choices {
		more := float64(c.chars)
		if byTurns {
			more = 0
			for _, id := range c.turns {
				if !covered[id] {
					more++
				}
			}
		}
		if used+more > limit {
			break
		}
		used += more
		for _, id := range c.turns {
			covered[id] = true
		}
	}
	return covered
}
