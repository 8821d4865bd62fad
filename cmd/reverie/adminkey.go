package main

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"reverie/config"
)

// adminKeyFile stands in the data folder of dev.
const adminKeyFile = "admin-key"

// devAdminKey is the admin key of a data folder: the configured one, else the one of an earlier start, else a new one. It
// stands in <data>/admin-key, readable by the owner only.
func devAdminKey(data string, configured config.Secret) (config.Secret, error) {
	path := filepath.Join(data, adminKeyFile)
	key := configured
	if key.Empty() {
		old, err := os.ReadFile(path)
		switch {
		case err == nil:
			key = config.Secret(strings.TrimSpace(string(old)))
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
	}
	if key.Empty() {
		raw := make([]byte, 32)
		if _, err := rand.Read(raw); err != nil {
			return "", err
		}
		key = config.Secret("rv_" + base64.RawURLEncoding.EncodeToString(raw))
	}
	if len(key.Reveal()) < config.MinAdminKey {
		return "", fmt.Errorf("%s: the key has fewer than %d characters: remove the file to get a new one", path, config.MinAdminKey)
	}
	if err := os.WriteFile(path, []byte(key.Reveal()+"\n"), 0o600); err != nil { //nolint:gosec // the folder is the caller's own choice
		return "", err
	}
	return key, os.Chmod(path, 0o600) // an older file may be wider
}
