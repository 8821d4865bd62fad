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

// What fusion may lose against the better of its inputs, and at which k.
const (
	mayLose = 0.01
	lossAt  = 10
)

// fusionBars is the one that follows from what words and vectors find alone, if they were measured.
func (r report) fusionBars() (b bars) {
	best, at := 0.0, false
	for _, input := range r.Inputs {
		for _, recall := range input.Recall {
			if recall.K == lossAt {
				best, at = max(best, recall.Turn), true
			}
		}
	}
	if at {
		b = append(b, bar{Level: "turn", K: lossAt, Least: best - mayLose, Why: "the better input, less a point"})
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
