package api

import (
	"time"

	"reverie/api/rest"
)

// HurryHeartbeat shortens the interval of heartbeats to followers of dreams. Call it before the first follower connects.
func HurryHeartbeat(s *Server, d time.Duration) { s.Heartbeat = d }

// Followers returns the number of requests that follow dreams.
func Followers(s *Server) int {
	return s.DreamHandlers.Following()
}

// MaxFollowers limits Followers.
const MaxFollowers = rest.MaxFollowers

// MaxFollowersOfKey limits those of one key.
const MaxFollowersOfKey = rest.MaxFollowersOfKey

// Turns returns the number of turns that a server is making.
func Turns(s *Server) int { return len(s.Turning) }

// TakeTurns occupies all places for turns until release is called.
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
