package services

import (
	"os"
	"strings"

	"reverie/config"
)

// TakeSettings removes Reverie's settings from the environment of this process, whose children would else work with a
// person's own database or model, and returns those whose names begin with prefix, as NAME=value.
func TakeSettings(prefix string) (taken []string, err error) {
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(setting, "=")
		if !strings.HasPrefix(name, config.Prefix+"_") {
			continue
		}
		if prefix != "" && strings.HasPrefix(name, config.Prefix+"_"+prefix) {
			taken = append(taken, setting)
		}
		if err := os.Unsetenv(name); err != nil {
			return nil, err
		}
	}
	return taken, nil
}
