package devenv

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// aptSource is one entry of the machine's package sources.
type aptSource struct {
	uris, suites, components []string
	signedBy                 string // a key file, a fingerprint, or a key block (lines after the first start with a space)
	trusted                  string
}

// release says which distribution and release the machine runs.
type release struct {
	distribution string // "debian" or "ubuntu"; a derivative counts as what it is made from
	codename     string // "bookworm"
}

// releases are each distribution's releases, oldest first. Those after the machine's own are asked for a source.
var releases = map[string][]string{
	"debian": {"bullseye", "bookworm", "trixie", "forky", "sid"},
	"ubuntu": {"jammy", "noble", "plucky", "questing", "resolute"},
}

// mainComponents are the parts of a distribution that hold pgvector.
var mainComponents = map[string][]string{"debian": {"main"}, "ubuntu": {"main", "universe"}}

// aliases are names of suites that a source list may use in place of the codename.
var aliases = []string{"stable", "oldstable", "oldoldstable"}

// laterSourceList derives a list of source packages of later releases from the machine's own sources: same mirror, same
// keys, other suites. So the list needs no mirror's name of ours, and works behind whatever mirror the machine uses.
func laterSourceList(sources []aptSource, r release) (string, error) {
	known := releases[r.distribution]
	own := slices.Index(known, r.codename)
	if own < 0 || own == len(known)-1 {
		return "", errors.New("no later release of " + strings.TrimSpace(r.distribution+" "+r.codename) + " is known")
	}
	for _, s := range sources {
		isMain := slices.Contains(s.components, "main") && slices.ContainsFunc(s.suites, func(suite string) bool {
			return suite == r.codename || slices.Contains(aliases, suite)
		})
		uris := slices.DeleteFunc(slices.Clone(s.uris), func(uri string) bool { return strings.HasPrefix(uri, "cdrom:") })
		if !isMain || len(uris) == 0 {
			continue
		}
		var list strings.Builder
		field := func(name, value string) {
			if value != "" {
				list.WriteString(name + ": " + value + "\n")
			}
		}
		field("Types", "deb-src")
		field("URIs", strings.Join(uris, " "))
		field("Suites", strings.Join(known[own+1:], " "))
		field("Components", strings.Join(mainComponents[r.distribution], " "))
		field("Signed-By", s.signedBy)
		field("Trusted", s.trusted)
		return list.String(), nil
	}
	return "", errors.New("the machine's package sources have no entry for " + r.distribution + " " + r.codename)
}

// readAptSources reads the machine's package sources, in both of apt's forms. A file that cannot be read is left out.
func readAptSources() []aptSource {
	files := []string{"/etc/apt/sources.list"}
	for _, pattern := range []string{"/etc/apt/sources.list.d/*.sources", "/etc/apt/sources.list.d/*.list"} {
		matches, _ := filepath.Glob(pattern) // the patterns are constant and well-formed
		files = append(files, matches...)
	}
	var sources []aptSource
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if filepath.Ext(file) == ".sources" {
			sources = append(sources, parseDeb822(string(content))...)
		} else {
			sources = append(sources, parseOneLine(string(content))...)
		}
	}
	return sources
}

// parseDeb822 reads the form with one field a line and blank lines between entries. Entries for source packages only,
// and disabled ones, are left out.
func parseDeb822(content string) []aptSource {
	var sources []aptSource
	fields := map[string]string{}
	name := ""
	finish := func() {
		if slices.Contains(strings.Fields(fields["types"]), "deb") && !strings.EqualFold(fields["enabled"], "no") {
			sources = append(sources, aptSource{
				uris: strings.Fields(fields["uris"]), suites: strings.Fields(fields["suites"]),
				components: strings.Fields(fields["components"]), signedBy: fields["signed-by"], trusted: fields["trusted"],
			})
		}
		fields, name = map[string]string{}, ""
	}
	for line := range strings.Lines(content) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.TrimSpace(line) == "":
			finish()
		case line[0] == ' ' || line[0] == '\t':
			if name != "" {
				fields[name] += "\n" + line // a continued field; its space is part of the form
			}
		default:
			key, value, _ := strings.Cut(line, ":")
			name = strings.ToLower(strings.TrimSpace(key))
			fields[name] = strings.TrimSpace(value)
		}
	}
	finish()
	return sources
}

// parseOneLine reads the form "deb [option=value …] uri suite component …".
func parseOneLine(content string) []aptSource {
	var sources []aptSource
	for line := range strings.Lines(content) {
		line, _, _ = strings.Cut(line, "#")
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "deb")
		if !ok || rest == "" || (rest[0] != ' ' && rest[0] != '\t') {
			continue
		}
		var s aptSource
		rest = strings.TrimSpace(rest)
		if options, after, ok := strings.Cut(strings.TrimPrefix(rest, "["), "]"); ok && strings.HasPrefix(rest, "[") {
			rest = after
			for option := range strings.FieldsSeq(options) {
				switch key, value, _ := strings.Cut(option, "="); strings.ToLower(key) {
				case "signed-by":
					s.signedBy = value
				case "trusted":
					s.trusted = value
				}
			}
		}
		words := strings.Fields(rest)
		if len(words) < 3 {
			continue
		}
		s.uris, s.suites, s.components = words[:1], words[1:2], words[2:]
		sources = append(sources, s)
	}
	return sources
}

// readRelease reads which release the machine runs.
func readRelease() release {
	for _, path := range []string{"/etc/os-release", "/usr/lib/os-release"} {
		if content, err := os.ReadFile(path); err == nil {
			return parseRelease(string(content))
		}
	}
	return release{}
}

// parseRelease reads the os-release format.
func parseRelease(content string) release {
	values := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(content))
	for lines.Scan() {
		if key, value, ok := strings.Cut(lines.Text(), "="); ok {
			values[key] = strings.Trim(value, `"'`)
		}
	}
	for _, id := range append([]string{values["ID"]}, strings.Fields(values["ID_LIKE"])...) {
		if _, known := releases[id]; !known {
			continue
		}
		// A derivative names the release it is made from beside its own.
		codename := values[strings.ToUpper(id)+"_CODENAME"]
		if codename == "" {
			codename = values["VERSION_CODENAME"]
		}
		return release{distribution: id, codename: codename}
	}
	return release{}
}
