// Package prompts renders the prompts of models from embedded templates, one file for each text, and typed inputs.
package prompts

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"
	"text/template"
)

//go:embed *.tmpl
var files embed.FS

var templates = template.Must(template.New("").Option("missingkey=error").ParseFS(files, "*.tmpl"))

// render executes one template.
func render(name string, input any) (string, error) {
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name, input); err != nil {
		return "", fmt.Errorf("render %s: %w", name, err)
	}
	return b.String(), nil
}

// version hashes the content of templates, so that every record identifies the exact prompt of its model call.
func version(feature string, names ...string) string {
	h := sha256.New()
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			panic(fmt.Sprintf("template %s is embedded: %v", name, err))
		}
		fmt.Fprintf(h, "%s %d\n%s", name, len(text), text)
	}
	return feature + "@" + hex.EncodeToString(h.Sum(nil))[:versionDigits]
}

// versionDigits is the length of a version, in hexadecimal digits.
const versionDigits = 10
