package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// lengths is a flag: numbers with commas between them.
type lengths []int

// String is how the flag is written.
func (l *lengths) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(*l)), " ", ","), "[]")
}

// Set reads the flag.
func (l *lengths) Set(text string) error {
	*l = nil
	for word := range strings.SplitSeq(text, ",") {
		if word == "" {
			continue
		}
		n, err := strconv.Atoi(word)
		if err != nil || n < 2 {
			return errors.New("numbers of messages, from 2, with commas between them")
		}
		*l = append(*l, n)
	}
	return nil
}
