package main

import (
	"fmt"
	"strconv"
	"strings"
)

// bar is the least that the overall recall may be.
type bar struct {
	Level  string  `json:"level"` // "turn" or "session"
	K      int     `json:"k"`
	Least  float64 `json:"least"`
	Why    string  `json:"why,omitempty"` // empty: it was asked for
	Got    float64 `json:"got"`
	Passed bool    `json:"passed"`
}

// bars are the values of the flag -min.
type bars []bar

// String is how the flag is written.
func (b *bars) String() string {
	parts := make([]string, len(*b))
	for i, one := range *b {
		parts[i] = fmt.Sprintf("%s@%d=%g", one.Level, one.K, one.Least)
	}
	return strings.Join(parts, ",")
}

// Set reads "turn@10=0.78", or several with commas between them.
func (b *bars) Set(value string) error {
	for part := range strings.SplitSeq(value, ",") {
		name, least, ok := strings.Cut(part, "=")
		level, k, ok2 := strings.Cut(name, "@")
		if !ok || !ok2 || level != "turn" && level != "session" {
			return fmt.Errorf("%q: write turn@K=SHARE or session@K=SHARE", part)
		}
		one := bar{Level: level}
		var err error
		if one.K, err = strconv.Atoi(k); err != nil {
			return err
		}
		if one.Least, err = strconv.ParseFloat(least, 64); err != nil {
			return err
		}
		*b = append(*b, one)
	}
	return nil
}

// mayLose is what fusion may lose against the better of its inputs.
const mayLose = 0.01

// fusionBars are those that follow from what words and vectors find alone.
func (r report) fusionBars() (b bars) {
	for i := range r.Overall.Recall {
		var turn float64
		for _, input := range r.Inputs {
			turn = max(turn, input.Recall[i].Turn)
		}
		if len(r.Inputs) > 0 {
			b = append(b, bar{Level: "turn", K: r.Overall.Recall[i].K, Least: turn - mayLose, Why: "the better input, less a point"})
		}
	}
	return b
}

// judge compares each bar with the recall; all ks of bars are among those measured.
func (b bars) judge(recall []recallAt) (judged []bar, passed bool) {
	passed = true
	for _, one := range b {
		for _, r := range recall {
			if r.K == one.K {
				one.Got = r.Turn
				if one.Level == "session" {
					one.Got = r.Session
				}
			}
		}
		one.Passed = one.Got >= one.Least
		passed = passed && one.Passed
		judged = append(judged, one)
	}
	return judged, passed
}
