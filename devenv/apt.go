package devenv

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// apt is the package manager of a Debian-like machine, with permission to use it.
type apt struct {
	asRoot   []string // prefix to run a command as root; empty if this process is root
	progress Progress
}

var (
	errNoApt  = errors.New("not a Debian-like system: apt-get not found")
	errNoRoot = errors.New("neither root nor sudo without a password")
)

// findApt returns the package manager, or an error if it cannot be used.
func findApt(ctx context.Context, progress Progress) (*apt, error) {
	if _, err := exec.LookPath("apt-get"); err != nil {
		return nil, errNoApt
	}
	if os.Geteuid() == 0 {
		return &apt{progress: progress}, nil
	}
	if exec.CommandContext(ctx, "sudo", "-n", "true").Run() != nil {
		return nil, errNoRoot
	}
	return &apt{asRoot: []string{"sudo", "-n"}, progress: progress}, nil
}

// run runs a command as root and returns its output.
func (a *apt) run(ctx context.Context, args ...string) (string, error) {
	args = append(append(append([]string{}, a.asRoot...), "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C"), args...)
	return run(ctx, exec.Command(args[0], args[1:]...)) //nolint:gosec,noctx // run honours ctx
}

// lockTimeout bounds apt-get's wait for another running package manager, in seconds.
const lockTimeout = "DPkg::Lock::Timeout=600"

// install installs packages without recommended ones. It renews missing or outdated package lists when a package is
// unknown, or its file is no longer on the mirror.
func (a *apt) install(ctx context.Context, part string, packages ...string) error {
	install := func() error {
		_, err := a.run(ctx, append([]string{"apt-get", "install", "--yes", "--no-install-recommends", "-o", lockTimeout}, packages...)...)
		return err
	}
	names := strings.Join(packages, ", ")
	if err := a.progress.during(part, "installing "+names, install); err == nil || ctx.Err() != nil {
		return err
	}
	if err := a.update(ctx, part); err != nil {
		return err
	}
	return a.progress.during(part, "installing "+names+" again", install)
}

// update renews the package lists.
func (a *apt) update(ctx context.Context, part string) error {
	return a.progress.during(part, "renewing the package lists", func() error {
		_, err := a.run(ctx, "apt-get", "update", "-o", lockTimeout)
		return err
	})
}

// candidate returns the version of a package that would be installed, "" if it is unknown.
func candidate(ctx context.Context, name string) string {
	cmd := exec.CommandContext(ctx, "apt-cache", "policy", name)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(out)) {
		if version, ok := strings.CutPrefix(strings.TrimSpace(line), "Candidate: "); ok && version != "(none)" {
			return version
		}
	}
	return ""
}

// knows reports the version of a package, and renews the lists if they do not contain it.
func (a *apt) knows(ctx context.Context, part, name string) (version string, err error) {
	if version = candidate(ctx, name); version != "" {
		return version, nil
	}
	if err := a.update(ctx, part); err != nil {
		return "", err
	}
	if version = candidate(ctx, name); version == "" {
		return "", fmt.Errorf("the package lists contain no %s", name)
	}
	return version, nil
}

// aptSource is one entry of the machine's package sources.
type aptSource struct {
	uris, suites, components []string
	signedBy                 string // a key file, a fingerprint, or a key block (lines after the first start with a space)
	trusted                  string
}

// release identifies the distribution and release of the machine.
type release struct {
	distribution string // "debian" or "ubuntu"; for a derivative, the distribution it is based on
	codename     string // "bookworm"
}

// releases are the releases of each distribution, oldest first. Those after the machine's own are searched for a
// source package.
var releases = map[string][]string{
	"debian": {"bullseye", "bookworm", "trixie", "forky", "sid"},
	"ubuntu": {"jammy", "noble", "plucky", "questing", "resolute"},
}

// mainComponents are the components of a distribution that contain pgvector.
var mainComponents = map[string][]string{"debian": {"main"}, "ubuntu": {"main", "universe"}}

// aliases are suite names that a source list may use instead of the codename.
var aliases = []string{"stable", "oldstable", "oldoldstable"}

// laterSourceList derives a list of source packages of later releases from the machine's own sources: same mirror and
// keys, other suites. This works with any mirror that the machine uses.
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

// readAptSources reads the machine's package sources, in both of apt's formats. It ignores unreadable files.
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

// parseDeb822 parses the format with one field per line and blank lines between entries. It ignores entries for
// source packages only, and disabled ones.
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
				fields[name] += "\n" + line // a continuation line; its leading space belongs to the format
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

// parseOneLine parses the format "deb [option=value …] uri suite component …".
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

// readRelease returns the release of the machine.
func readRelease() release {
	for _, path := range []string{"/etc/os-release", "/usr/lib/os-release"} {
		if content, err := os.ReadFile(path); err == nil {
			return parseRelease(string(content))
		}
	}
	return release{}
}

// parseRelease parses the os-release format.
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
		// A derivative also names the release it is based on.
		codename := values[strings.ToUpper(id)+"_CODENAME"]
		if codename == "" {
			codename = values["VERSION_CODENAME"]
		}
		return release{distribution: id, codename: codename}
	}
	return release{}
}

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
