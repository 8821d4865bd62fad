package main

import (
	"regexp"
	"testing"

	"reverie/config"
)

func TestBuildID(t *testing.T) {
	if id, err := buildOf(config.Config{BuildID: "blue"}); id != "blue" || err != nil {
		t.Errorf("the build is %q, %v, want the one that is set", id, err)
	}
	id, err := buildOf(config.Config{})
	if err != nil || !regexp.MustCompile(`^([a-zA-Z0-9.]+-)?[0-9a-f]{12}$`).MatchString(id) {
		t.Errorf("the build is %q, %v", id, err)
	}
	if hash, err := programHash(); err != nil || len(hash) != buildLength {
		t.Errorf("the hash of the program is %q, %v", hash, err)
	}
}
