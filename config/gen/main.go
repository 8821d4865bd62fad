// Command gen writes the configuration table into docs/configuration.md.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"reverie/config"
)

func main() {
	if err := update(filepath.Join("..", "docs", "configuration.md")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func update(name string) error {
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text, err := config.Splice(string(old))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.WriteFile(name, []byte(text), 0o644)
}
