package services

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// CPU is the CPU time that was used by whom.
type CPU struct {
	Worker   time.Duration // this process: the worker, and the benchmark itself
	Database time.Duration
	Temporal time.Duration
}

// Since is what was used since then.
func (c CPU) Since(then CPU) CPU {
	return CPU{c.Worker - then.Worker, c.Database - then.Database, c.Temporal - then.Temporal}
}

// All is what was used by all of them.
func (c CPU) All() time.Duration { return c.Worker + c.Database + c.Temporal }

// tick is the unit of /proc's times; Linux has no other on any machine that runs Go.
const tick = 10 * time.Millisecond

// UsedCPU reads how much this process and its children have used, those that have ended included. It is all zero where there
// is no /proc.
func UsedCPU() CPU {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(files) == 0 {
		return CPU{}
	}
	all := map[int]process{}
	for _, file := range files {
		if p, err := readProcess(file); err == nil { // else it has just ended
			all[p.id] = p
		}
	}
	var out CPU
	self := os.Getpid()
	for _, p := range all {
		switch {
		case p.id == self:
			out.Worker += p.own
		case !descends(all, p, self):
		case strings.HasPrefix(p.name, "postgres"):
			out.Database += p.own + p.ended
		default:
			out.Temporal += p.own + p.ended
		}
	}
	return out
}

// process is a line of /proc.
type process struct {
	id, parent int
	name       string
	own, ended time.Duration // its own time, and that of its children that have ended
}

func readProcess(file string) (p process, err error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return p, err
	}
	// The name stands in parentheses and may hold anything, parentheses included.
	text := string(content)
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return p, fmt.Errorf("%s: no name", file)
	}
	fields := strings.Fields(text[end+1:])
	if len(fields) < 15 {
		return p, fmt.Errorf("%s: %d fields", file, len(fields))
	}
	p.name = text[open+1 : end]
	if p.id, err = strconv.Atoi(strings.TrimSpace(text[:open])); err != nil {
		return p, err
	}
	if p.parent, err = strconv.Atoi(fields[1]); err != nil {
		return p, err
	}
	var ticks [4]int64 // user, system, and the same of children that have ended
	for i := range ticks {
		if ticks[i], err = strconv.ParseInt(fields[11+i], 10, 64); err != nil {
			return p, err
		}
	}
	p.own, p.ended = time.Duration(ticks[0]+ticks[1])*tick, time.Duration(ticks[2]+ticks[3])*tick
	return p, nil
}

// descends reports whether a process has another one above it.
func descends(all map[int]process, p process, from int) bool {
	for p.parent != 0 {
		if p.parent == from {
			return true
		}
		above, found := all[p.parent]
		if !found {
			return false
		}
		p = above
	}
	return false
}
