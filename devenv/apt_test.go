package devenv

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLaterSourceList(t *testing.T) {
	bookworm := release{distribution: "debian", codename: "bookworm"}
	for name, test := range map[string]struct {
		deb822, oneLine string
		release         release
		want            string // "" is an error
	}{
		"deb822": {
			deb822: `# See https://wiki.debian.org/SourcesList
Types: deb
# a snapshot
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main
`,
			release: bookworm,
			want: `Types: deb-src
URIs: http://mirror.example/debian
Suites: trixie forky sid
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
`,
		},
		"one line with options": {
			oneLine: `# deb cdrom:[Debian 12]/ bookworm main
deb [arch=amd64 signed-by=/etc/apt/keys/mirror.gpg trusted=yes] https://mirror.example/debian/ bookworm main contrib # ours
deb-src https://mirror.example/debian/ bookworm main
deb https://mirror.example/debian-security bookworm-security main
`,
			release: bookworm,
			want: `Types: deb-src
URIs: https://mirror.example/debian/
Suites: trixie forky sid
Components: main
Signed-By: /etc/apt/keys/mirror.gpg
Trusted: yes
`,
		},
		"one line without options, by alias": {
			oneLine: "deb\thttp://mirror.example/debian\tstable\tmain\n",
			release: bookworm,
			want: `Types: deb-src
URIs: http://mirror.example/debian
Suites: trixie forky sid
Components: main
`,
		},
		"key block in the entry": {
			deb822: `Types: deb deb-src
URIs: http://one.example/debian http://two.example/debian
Suites: trixie
Components: main non-free-firmware
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 mDMEZ
 -----END PGP PUBLIC KEY BLOCK-----
`,
			release: release{distribution: "debian", codename: "trixie"},
			want: `Types: deb-src
URIs: http://one.example/debian http://two.example/debian
Suites: forky sid
Components: main
Signed-By: 
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 mDMEZ
 -----END PGP PUBLIC KEY BLOCK-----
`,
		},
		"Ubuntu": {
			deb822: `Types: deb
URIs: http://mirror.example/ubuntu/
Suites: noble noble-updates noble-backports
Components: main universe restricted multiverse
Signed-By: /usr/share/keyrings/ubuntu-archive-keyring.gpg
`,
			release: release{distribution: "ubuntu", codename: "noble"},
			want: `Types: deb-src
URIs: http://mirror.example/ubuntu/
Suites: plucky questing resolute
Components: main universe
Signed-By: /usr/share/keyrings/ubuntu-archive-keyring.gpg
`,
		},
		"disabled entry": {
			deb822:  "Types: deb\nURIs: http://mirror.example/debian\nSuites: bookworm\nComponents: main\nEnabled: no\n",
			release: bookworm,
		},
		"another repository": {oneLine: "deb https://packages.example/apt stable-tools main\n", release: bookworm},
		"sources only":       {oneLine: "deb-src http://mirror.example/debian bookworm main\n", release: bookworm},
		"cdrom only":         {deb822: "Types: deb\nURIs: cdrom:[x]/\nSuites: bookworm\nComponents: main\n", release: bookworm},
		"newest release": {
			oneLine: "deb http://mirror.example/debian sid main\n",
			release: release{distribution: "debian", codename: "sid"},
		},
		"unknown release": {
			oneLine: "deb http://mirror.example/debian buzz main\n",
			release: release{distribution: "debian", codename: "buzz"},
		},
		"unknown distrbution": {oneLine: "deb http://mirror.example/other one main\n", release: release{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := laterSourceList(append(parseDeb822(test.deb822), parseOneLine(test.oneLine)...), test.release)
			if (err != nil) != (test.want == "") {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseRelease(t *testing.T) {
	for name, test := range map[string]struct {
		content string
		want    release
	}{
		"Debian":     {"PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_CODENAME=bookworm\nID=debian\n", release{"debian", "bookworm"}},
		"Ubuntu":     {"ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble\nUBUNTU_CODENAME=noble\n", release{"ubuntu", "noble"}},
		"derivative": {"ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_CODENAME=wilma\nUBUNTU_CODENAME=noble\n", release{"ubuntu", "noble"}},
		"testing":    {"ID=debian\n", release{"debian", ""}},
		"Fedora":     {"ID=fedora\nVERSION_CODENAME=\n", release{}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := parseRelease(test.content); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestSourceVersions(t *testing.T) {
	shown := `Package: pgvector
Version: 0.8.0-1
Format: 3.0 (quilt)

Package: pgvector
Version: 0.10.1-2

Package: pgvector
Version: 0.8.0-1

Package: pgvector
Version: 0.6.0-1
`
	if diff := cmp.Diff([]string{"0.10.1-2", "0.8.0-1"}, sourceVersions(shown)); diff != "" {
		t.Error("want newest first, each once, none that is too old\n", diff)
	}
}

func TestVersions(t *testing.T) {
	for text, want := range map[string]version{
		"0.8.0": {0, 8, 0}, "0.8.0-1~bpo12+1": {0, 8, 0}, "1:0.8.10": {0, 8, 10}, "0.8": {0, 8, 0}, "0.8.0-pg15-linux-amd64": {0, 8, 0},
		"none": {},
	} {
		if got := parseVersion(text); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	if v := (version{0, 7, 9}); !v.less(version{0, 8, 0}) || v.less(version{0, 7, 9}) || v.less(version{0, 7, 4}) {
		t.Error("the order of versions is wrong")
	}
}
