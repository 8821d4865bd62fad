// Command gen writes the OpenAPI document to the file that its argument names.
package main

import (
	"fmt"
	"os"

	"reverie/api"
)

func main() {
	if err := run(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: %s <file>", args[0])
	}
	document, err := api.Document()
	if err != nil {
		return err
	}
	text, err := document.YAML()
	if err != nil {
		return err
	}
	return os.WriteFile(args[1], text, 0o644)
}
