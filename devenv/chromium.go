package devenv

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
)

// browsers are the names under which Chromium and Chrome are installed.
var browsers = []string{"chromium", "chromium-browser", "google-chrome"}

// Chromium returns the path of a Chromium browser, for tests of web pages. On a Debian-like machine where it may, it
// installs a missing one.
func Chromium(ctx context.Context, progress Progress) (string, error) {
	if path := findBrowser(); path != "" {
		return path, nil
	}
	a, err := findApt(ctx, progress)
	if err != nil {
		return "", fmt.Errorf("no Chromium found: install it (%w)", err)
	}
	if err := a.install(ctx, "chromium", "chromium", "fonts-dejavu-core"); err != nil {
		return "", err
	}
	if path := findBrowser(); path != "" {
		return path, nil
	}
	return "", errors.New("the package chromium installed no browser")
}

func findBrowser() string {
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
