package devenv

import (
	"fmt"
	"time"
)

// Progress is told what a part ("postgres", "pgvector", "temporal") is doing, one line at a time, without a line end.
// Long work (an install, a download, a build) reports again every few seconds with the time it has taken so far.
// A nil Progress is silent. It may be called from several goroutines at once.
type Progress func(part, message string)

// progressInterval is how often long work reports. Often enough that nobody believes it hangs.
const progressInterval = 5 * time.Second

// say reports one line.
func (p Progress) say(part, format string, args ...any) {
	if p != nil {
		p(part, fmt.Sprintf(format, args...))
	}
}

// during runs work and reports what it is, when it starts, every progressInterval and when it has ended well.
func (p Progress) during(part, what string, work func() error) error {
	start := time.Now()
	p.say(part, "%s …", what)
	ended := make(chan struct{})
	reported := make(chan struct{})
	go func() {
		defer close(reported)
		tick := time.NewTicker(progressInterval)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				p.say(part, "%s … %s", what, time.Since(start).Round(time.Second))
			}
		}
	}()
	err := work()
	close(ended)
	<-reported
	if err == nil {
		p.say(part, "%s: done in %s", what, time.Since(start).Round(100*time.Millisecond))
	}
	return err
}
