// Package prompts holds what models are told: embedded templates, one file for each text, rendered from typed inputs.
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

// version names a set of templates by what they say, so that every record tells which words a model was given.
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

// versionDigits is how much of the hash a version shows.
const versionDigits = 10
