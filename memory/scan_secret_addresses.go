package memory

import (
	"regexp"
	"strings"
)

// hookRule finds addresses that are secrets: whoever knows them may use them.
type hookRule struct {
	begins string
	rest   *regexp.Regexp // what must not be kept, anchored
}

var hookRules = []hookRule{
	{"hooks.slack.com/services/", regexp.MustCompile(`^T\w{6,}/B\w{6,}/\w{16,}`)},
	{"discord.com/api/webhooks/", regexp.MustCompile(`^\d{15,}/[\w-]{40,}`)},
	{"discordapp.com/api/webhooks/", regexp.MustCompile(`^\d{15,}/[\w-]{40,}`)},
	{"api.telegram.org/bot", regexp.MustCompile(`^\d{6,}:[\w-]{30,}`)},
}

func hooks(text string) []secret {
	var found []secret
	for _, rule := range hookRules {
		for at := 0; ; {
			i := strings.Index(text[at:], rule.begins)
			if i < 0 {
				break
			}
			at += i + len(rule.begins)
			if rest := rule.rest.FindString(window(text, at, 200)); rest != "" {
				found = append(found, secret{span{at, at + len(rest)}, "webhook"})
			}
		}
	}
	return found
}

var (
	// userInfo is the user and the password in an address, after "://".
	userInfo = regexp.MustCompile(`^([^\s/:@"'<>` + "`" + `]*):([^\s/@"'<>` + "`" + `]{3,})@`)
	// userOption is the option of curl that takes a user and a password.
	userOption = regexp.MustCompile(`^(?:-u|--user)[\s=]*["']?([\w.@+-]+):([^\s"']{3,})`)
)

// credentials finds passwords in addresses and in curl's options.
func credentials(text string) []secret {
	var found []secret
	add := func(at int, pattern *regexp.Regexp) {
		match := pattern.FindStringSubmatchIndex(window(text, at, 256))
		if match == nil {
			return
		}
		rest := text[at:]
		user, password := rest[match[2]:match[3]], rest[match[4]:match[5]]
		if password != user && !isPlaceholder(password) && !reference.MatchString(password) {
			found = append(found, secret{span{at + match[4], at + match[5]}, "password"})
		}
	}
	for at := 0; ; {
		i := strings.Index(text[at:], "://")
		if i < 0 {
			break
		}
		at += i + len("://")
		add(at, userInfo)
	}
	for at := 0; ; {
		i := strings.Index(text[at:], "curl ")
		if i < 0 {
			return found
		}
		at += i + len("curl ")
		line := command(text, at)
		for _, option := range []string{" -u", " --user"} {
			if i := strings.Index(" "+line, option); i >= 0 {
				add(at+i, userOption)
			}
		}
	}
}
