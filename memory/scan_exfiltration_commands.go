package memory

import (
	"regexp"
	"strings"
)

var (
	curlData   = regexp.MustCompile(`(?:^|\s)(?:-[a-zA-Z]*[dFT]|--data(?:-[a-z]+)?|--json|--form(?:-string)?|--upload-file|--url-query)(?:[\s=]*)("(?:[^"\\]|\\.)*"?|'[^']*'?|\S+)`)
	uploads    = regexp.MustCompile(`(?:^|\s)(?:-[a-zA-Z]*T|--upload-file)[\s=]*["']?([^\s"']+)`)
	fromFile   = regexp.MustCompile(`(?:^|=)[@<]([^;]+)`)
	fetchedURL = regexp.MustCompile(`(?i)\bhttps?://(?:\$\([^)]*\)?|` + "`[^`]*`" + `|\S)*`)
)

func curlSends(before, command string) bool {
	host, ok := remote(command)
	if !ok {
		return false
	}
	for _, match := range uploads.FindAllStringSubmatch(command, 10) {
		if sendsFile(match[1], before) {
			return true
		}
	}
	for _, match := range curlData.FindAllStringSubmatch(command, 20) {
		data := strings.Trim(match[1], `"'`)
		if file := fromFile.FindStringSubmatch(data); file != nil && sendsFile(file[1], before) {
			return true
		}
		if match[1][0] != '\'' && (substitutes(data) || leaksVariable(data, host)) {
			return true
		}
	}
	return addressSends(command, host)
}

// sendsFile reports whether a file that a command sends, or what is piped to it, could be worth stealing.
func sendsFile(file, before string) bool {
	file = strings.Trim(file, `"' `)
	if file == "-" || file == "." {
		return readsData(before)
	}
	return namesSecret(file) || !bodyFile.MatchString(file)
}

// addressSends reports whether the addresses of a command hold data.
func addressSends(command, host string) bool {
	for _, address := range fetchedURL.FindAllString(command, 10) {
		if substitutes(address) {
			return true
		}
		if _, query, ok := strings.Cut(address, "?"); ok && leaksVariable(query, host) {
			return true
		}
	}
	return false
}

var wgetData = regexp.MustCompile(`--(?:post|body)-(data|file)[\s=]*("[^"]*"?|'[^']*'?|\S+)`)

func wgetSends(before, command string) bool {
	host, ok := remote(command)
	if !ok {
		return false
	}
	for _, match := range wgetData.FindAllStringSubmatch(command, 10) {
		value := strings.Trim(match[2], `"'`)
		if match[1] == "file" && sendsFile(value, before) || match[1] == "data" && (substitutes(value) || leaksVariable(value, host)) {
			return true
		}
	}
	return addressSends(command, host)
}

var (
	netcatTarget = regexp.MustCompile(`^\S+\s+(?:-[a-zA-Z]+\s+(?:\d+\s+)?)*([\w.-]+|\[[\da-fA-F:]+\])[\s:]+(\d{2,5})\b`)
	netcatShell  = regexp.MustCompile(`^\S+\s(?:.*\s)?-[a-zA-Z]*[ec]\s+\S*(?:sh|cmd(?:\.exe)?|powershell)\b`)
	netcatInput  = regexp.MustCompile(`<\s*([^\s<&]+)`)
)

func netcatSends(before, command string) bool {
	if netcatShell.MatchString(command) {
		return true
	}
	target := netcatTarget.FindStringSubmatch(command)
	if target == nil || loopback.MatchString(target[1]) {
		return false
	}
	if strings.HasSuffix(strings.TrimRight(before, " "), "|") && readsData(before) {
		return true
	}
	input := netcatInput.FindStringSubmatch(command)
	return input != nil && !bodyFile.MatchString(input[1])
}

func shellSends(before, command string) bool {
	return strings.Contains(before, ">") && (strings.Contains(before, "sh -i") || readsData(before) || strings.Contains(command, "0>&1"))
}

var (
	copyOption = regexp.MustCompile(`\s-(?:[ioFJe]|-rsh|-exclude(?:-from)?|-include)[\s=]*("[^"]*"|'[^']*'|\S+)`)
	copyTarget = regexp.MustCompile(`\s[\w.-]+(?:@[\w.-]+)?:\S*\s*$`)
)

func copySends(_, command string) bool {
	command, _, _ = strings.Cut(command, "&&")
	command = copyOption.ReplaceAllString(command, "")
	return copyTarget.MatchString(command) && namesSecret(command)
}

var (
	powershellData = regexp.MustCompile(`(?i)-(?:body|infile|form)[\s:]+(.*)`)
	powershellRead = regexp.MustCompile(`(?i)get-content|\bgc\s|\btype\s|readall|get-childitem|get-clipboard|get-process|get-credential|\$env:|\bdir\b|\bls\b|tobase64string`)
	inFile         = regexp.MustCompile(`(?i)-infile[\s:]+(\S+)`)
)

func powershellSends(before, command string) bool {
	host, ok := remote(command)
	if !ok {
		return false
	}
	if file := inFile.FindStringSubmatch(command); file != nil && sendsFile(file[1], before) {
		return true
	}
	data := powershellData.FindStringSubmatch(command)
	if data != nil && (powershellRead.MatchString(data[1]) || powershellRead.MatchString(before) || namesSecret(data[1])) {
		return true
	}
	return addressSends(command, host)
}

// programRead is what programs send that is not theirs to send: not one variable of the environment, but all of them.
var programRead = regexp.MustCompile(`(?i)document\.cookie|localstorage|sessionstorage|process\.env\s*(?:[^.\w\[\s]|$)|os\.environ\s*(?:[^.\w\[\s]|$)|os\.environ\.copy|` +
	`(?:open|readfilesync|readfile|read_text|path)\(\s*(?:os\.path\.\w+\(\s*)?["'](?:~|/etc|/home|/root|/proc|[^"']*(?:\.ssh|\.env|\.aws|id_rsa|secret|credential|passw))|navigator\.clipboard`)

func programSends(before, command string) bool {
	_, ok := remote(before + command)
	return ok && programRead.MatchString(command)
}
