package main

import (
	"errors"
	"strconv"
	"strings"
)

// levels are how many dream at once, as a flag: 1,4,16,64.
type levels []int

func (l *levels) String() string {
	var out []string
	for _, n := range *l {
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, ",")
}

// Set reads the flag.
func (l *levels) Set(s string) error {
	var out levels
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return errors.New("use whole numbers from 1, such as 1,4,16")
		}
		out = append(out, n)
	}
	*l = out
	return nil
}
