package api

import (
	"time"

	"reverie/api/rest"
)

// HurryHeartbeat has a server write to followers of dreams more often than it does, before any of them comes.
func HurryHeartbeat(s *Server, d time.Duration) { s.Heartbeat = d }

// Followers and MaxFollowers are how many requests follow dreams, and how many may.
func Followers(s *Server) int {
	return s.dreams.Following()
}

// MaxFollowers is MaxFollowers.
const MaxFollowers = rest.MaxFollowers

// Turns is how many turns a server is making.
func Turns(s *Server) int { return len(s.Turning) }

// TakeTurns takes all the room that there is for turns, until release is called.
func TakeTurns(s *Server) (release func()) {
	for range cap(s.Turning) {
		s.Turning <- struct{}{}
	}
	return func() {
		for range cap(s.Turning) {
			<-s.Turning
		}
	}
}
