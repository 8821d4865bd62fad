package scan

import (
	"maps"
	"slices"
	"strings"

	"reverie/language/lazyregexp"
	"reverie/scan/match"
	"reverie/scan/secret"
)

// sender matches a command or instruction that may send data elsewhere.
type sender struct {
	name  string
	heads string // words that begin it, in lower case, separated by "|"
	// sends reports whether the command sends data. before is the rest of its line before it; both are as written.
	sends func(before, command string) bool
	// worded is set for instructions in words: they are short, and may contain further heads.
	worded bool
}

const (
	// longestRequest bounds the bytes of an instruction in words that are checked, as match.LongestCommand does for a command, and
	// shortestLead those of the text before it.
	longestRequest = 300
	shortestLead   = 60
)

var senders = []sender{
	{name: "curl", heads: "curl", sends: curlSends},
	{name: "wget", heads: "wget", sends: wgetSends},
	{name: "netcat", heads: "nc|ncat|netcat", sends: netcatSends},
	{name: "reverse-shell", heads: "/dev/tcp/|/dev/udp/", sends: shellSends},
	{name: "copy", heads: "scp|rsync", sends: copySends},
	{name: "powershell", heads: "invoke-webrequest|invoke-restmethod|iwr|irm", sends: powershellSends},
	{name: "program", heads: "fetch(|sendbeacon(|xmlhttprequest|axios.|requests.|httpx.|urlopen(|new image(|.src", sends: programSends},
	{name: "link", heads: "](|]: ", sends: linkSends},
	{name: "image", heads: "src=", sends: imageSends},
	{name: "request", heads: "send|post|upload|forward|transmit|exfiltrate|leak|submit|deliver", sends: requestSends, worded: true},
	{name: "request", heads: "把|将|將", sends: chineseRequestSends, worded: true},
}

var senderHeads = func() *literals[*sender] {
	heads := &literals[*sender]{WordStart: true}
	for i := range senders {
		for head := range strings.SplitSeq(senders[i].heads, "|") {
			heads.Add(head, &senders[i])
		}
	}
	return heads
}()

// exfiltration finds ways to send data elsewhere: an address together with files, the environment or the conversation.
// Downloads, and commands that send only their own text, are ordinary.
func (s *scanner) exfiltration() {
	// Each command extends to the next one of its kind, so that the text is read once.
	last := map[*sender]span{}
	senderHeads.Each(s.lower, func(from, to int, rule *sender) {
		if isWordByte(s.lower[to-1]) && to < len(s.lower) && isWordByte(s.lower[to]) {
			return // the beginning of a longer word
		}
		if rule.worded {
			s.send(rule, span{max(s.starts[s.line(from)], from-shortestLead), from}, min(from+longestRequest, len(s.text)))
			return
		}
		before := span{max(s.starts[s.line(from)], from-match.LongestCommand), from}
		if previous, ok := last[rule]; ok {
			s.send(rule, previous, from)
			before.from = max(before.from, min(previous.to+1, from))
		}
		last[rule] = before
	})
	for _, rule := range slices.SortedFunc(maps.Keys(last), func(a, b *sender) int { return strings.Compare(a.name, b.name) }) {
		s.send(rule, last[rule], len(s.text))
	}
}

// send quarantines the text if a command sends data. The command begins where before ends and extends to limit at most.
func (s *scanner) send(rule *sender, before span, limit int) {
	if rule.sends(s.text[before.from:before.to], match.Command(s.text[:limit], before.to)) {
		s.block(classExfiltration, rule.name, s.line(before.to))
	}
}

var (
	remoteURL = lazyregexp.New(`(?i)\b(?:https?|ftps?|wss?)://([^\s/"'<>)?#\\]+)`)
	loopback  = lazyregexp.New(`(?i)^(?:[^@]*@)?(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1\]|host\.docker\.internal)(?::\S*)?$`)

	// secretFile matches files that nobody sends by accident.
	secretFile = lazyregexp.New(`(?i)(?:/etc/(?:passwd|shadow|sudoers|hosts\b)|\.ssh\b|id_(?:rsa|dsa|ecdsa|ed25519)|` +
		`\.aws\b|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.kube\b|\.docker/config|` +
		`\.gnupg|(?:^|[\s"'@/=<(\\])\.env\b|\.(?:bash|zsh|psql|mysql)_history|` +
		`credentials?\b|secrets?\b|passwords?\b|\.kdbx\b|\.pem\b|\.p12\b|private[_-]?key|keychain|` +
		`wallet\.dat|cookies\.sqlite|\b(?:MEMORY|PROFILE|SOUL|AGENTS|USER)\.md\b)`)
	// publicKey matches the public half of a key.
	publicKey = lazyregexp.New(`\S+\.pub\b`)
	// reader matches a command that reads files, the environment or databases.
	reader = lazyregexp.New("(?i)(?:^|[|;&(`]|\\bsudo\\s)\\s*(?:env|printenv|history|export -p|tar|zip|7z|gpg|" +
		"pg_dump|pg_dumpall|mysqldump|mongodump|sqlite3|security|crontab|ifconfig|whoami|id|uname -a)\\b(?:[^=]|$)")
	// catFile matches a file that is printed. Request bodies, recognized by their extension, do not count.
	catFile = lazyregexp.New("(?i)(?:^|[|;&(`])\\s*(?:sudo\\s+)?(?:cat|base64|xxd|head|tail|less|strings|gzip|bzip2|openssl|type|gc|" +
		"get-content)\\s+(?:-[\\w-]+\\s+)*([^\\s|;&)`]+)")
	// bodyFile matches names of ordinary request bodies.
	bodyFile = lazyregexp.New(`(?i)^["']?(?:\./)?[\w./-]*\.(?:json|xml|ya?ml|graphql|png|jpe?g|gif|svg|webp|wav|mp3|mp4|pdf|html)\b`)
	// substitution matches a command inside of a command.
	substitution = lazyregexp.New("\\$\\(([^)]*)\\)?|`([^`]*)`")
	// secretVariable matches an environment variable with a secret, and the parameter that it is passed to.
	secretVariable = lazyregexp.New(`(?i)(?:([\w.-]+)[\\"']*\s*[=:]\s*)?[\\"']*(?:\$\{?|\$env:)(\w*(?:key|token|secret|passw|pwd|` +
		`cred|auth|cookie|session)\w*)`)
	// secretParameter matches parameters that legitimately take a secret.
	secretParameter = lazyregexp.New(`(?i)key|token|code|assertion|appid|app_id|auth|secret|sig|pass|client|session|user`)
)

// remote returns the first host in a command other than this machine.
func remote(command string) (host string, ok bool) {
	if !strings.Contains(command, "://") {
		return "", false
	}
	for _, match := range remoteURL.FindAllStringSubmatch(command, 20) {
		if !loopback.MatchString(match[1]) {
			return strings.ToLower(match[1]), true
		}
	}
	return "", false
}

// readsData reports whether a part of a command line reads sensitive data.
func readsData(part string) bool {
	if namesSecret(part) || reader.MatchString(part) {
		return true
	}
	for _, match := range catFile.FindAllStringSubmatch(part, 20) {
		if file := strings.Trim(match[1], `"'<`); !harmlessFiles[file] && !bodyFile.MatchString(file) {
			return true
		}
	}
	return false
}

// harmlessFiles contain nothing sensitive.
var harmlessFiles = map[string]bool{"": true, "-": true, "/dev/null": true, "/etc/os-release": true}

// namesSecret reports whether a part of a command line names a file that nobody sends by accident.
func namesSecret(part string) bool {
	return secretFile.MatchString(publicKey.ReplaceAllString(part, ""))
}

// substitutes reports whether a command includes the output of one that reads sensitive data.
func substitutes(command string) bool {
	for _, match := range substitution.FindAllStringSubmatch(command, 20) {
		if readsData(match[1]+match[2]) || strings.HasPrefix(strings.TrimSpace(match[1]), "<") {
			return true
		}
	}
	return false
}

// leaksVariable reports whether data for a host includes a secret of the environment. A key passed to a parameter for keys
// is a login, unless it names a provider that the host does not.
func leaksVariable(data, host string) bool {
	for _, match := range secretVariable.FindAllStringSubmatch(data, 20) {
		parameter, variable := match[1], strings.ToLower(match[2])
		if !secretParameter.MatchString(parameter) {
			return true
		}
		provider, rest, named := strings.Cut(variable, "_")
		isProvider := named && strings.Contains(rest, "_") || provider == "openai"
		if isProvider && !strings.Contains(host, provider) {
			return true
		}
	}
	return false
}

var (
	curlData = lazyregexp.New(`(?:^|\s)(?:-[a-zA-Z]*[dFT]|--data(?:-[a-z]+)?|--json|--form(?:-string)?|--upload-file|` +
		`--url-query)(?:[\s=]*)("(?:[^"\\]|\\.)*"?|'[^']*'?|\S+)`)
	uploads    = lazyregexp.New(`(?:^|\s)(?:-[a-zA-Z]*T|--upload-file)[\s=]*["']?([^\s"']+)`)
	fromFile   = lazyregexp.New(`(?:^|=)[@<]([^;]+)`)
	fetchedURL = lazyregexp.New(`(?i)\bhttps?://(?:\$\([^)]*\)?|` + "`[^`]*`" + `|\S)*`)
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

// sendsFile reports whether a file sent by a command, or its standard input, may be sensitive.
func sendsFile(file, before string) bool {
	file = strings.Trim(file, `"' `)
	if file == "-" || file == "." {
		return readsData(before)
	}
	return namesSecret(file) || !bodyFile.MatchString(file)
}

// addressSends reports whether the addresses of a command include data.
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

var wgetData = lazyregexp.New(`--(?:post|body)-(data|file)[\s=]*("[^"]*"?|'[^']*'?|\S+)`)

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
	netcatTarget = lazyregexp.New(`^\S+\s+(?:-[a-zA-Z]+\s+(?:\d+\s+)?)*([\w.-]+|\[[\da-fA-F:]+\])[\s:]+(\d{2,5})\b`)
	netcatShell  = lazyregexp.New(`^\S+\s(?:.*\s)?-[a-zA-Z]*[ec]\s+\S*(?:sh|cmd(?:\.exe)?|powershell)\b`)
	netcatInput  = lazyregexp.New(`<\s*([^\s<&]+)`)
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
	copyOption = lazyregexp.New(`\s-(?:[ioFJe]|-rsh|-exclude(?:-from)?|-include)[\s=]*("[^"]*"|'[^']*'|\S+)`)
	copyTarget = lazyregexp.New(`\s[\w.-]+(?:@[\w.-]+)?:\S*\s*$`)
)

func copySends(_, command string) bool {
	command, _, _ = strings.Cut(command, "&&")
	command = copyOption.ReplaceAllString(command, "")
	return copyTarget.MatchString(command) && namesSecret(command)
}

var (
	powershellData = lazyregexp.New(`(?i)-(?:body|infile|form)[\s:]+(.*)`)
	powershellRead = lazyregexp.New(`(?i)get-content|\bgc\s|\btype\s|readall|` +
		`get-childitem|get-clipboard|get-process|get-credential|\$env:|\bdir\b|\bls\b|tobase64string`)
	inFile = lazyregexp.New(`(?i)-infile[\s:]+(\S+)`)
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

// programRead matches what programs should not send: the whole environment rather than one variable, cookies, private
// files.
var programRead = lazyregexp.New(`(?i)document\.cookie|localstorage|sessionstorage|` +
	`process\.env\s*(?:[^.\w\[\s]|$)|os\.environ\s*(?:[^.\w\[\s]|$)|os\.environ\.copy|` +
	`(?:open|readfilesync|readfile|read_text|path)\(\s*(?:os\.path\.\w+\(\s*)?["'](?:~|/etc|/home|/root|/proc|` +
	`[^"']*(?:\.ssh|\.env|\.aws|id_rsa|secret|credential|passw))|navigator\.clipboard`)

func programSends(before, command string) bool {
	_, ok := remote(before + command)
	return ok && programRead.MatchString(command)
}

var (
	linkTarget  = lazyregexp.New(`^\](?:\(|:)\s*<?(https?://[^\s)]*(?:[ \w]*[>\]}][^\s)]*)?)`)
	imageTarget = lazyregexp.New(`^(?i:src)=["'](https?://[^"'\n]*)`)
	placeholder = lazyregexp.New(`\{\{[^}]*\}\}|\$\{[^}]*\}|\{[^}]+\}|<[^>]+>|\[[^\]]+\]|\$\([^)]*\)|` +
		`%7[bB]%7[bB]|\$[A-Z_]{3,}|=[A-Z]{3,}(?:_[A-Z]+)+`)
	dataName = lazyregexp.New(`(?i)conversation|chat|histor|secret|api_?key|token|passw|credential|memor|prompt|` +
		`cookie|transcript|summar|base64|context|user_?(?:data|info)|private|session|\benv\b|profile`)
)

// linkSends reports whether an image or link sends data. Showing an image requests its address, with everything in it; a
// link waits for a click.
func linkSends(before, command string) bool {
	names, ok := placeholders(linkTarget, command)
	if !ok || strings.Count(before, "`")%2 != 0 { // shown as code
		return false
	}
	opening := strings.LastIndexByte(before, '[')
	return opening > 0 && before[opening-1] == '!' || dataName.MatchString(names)
}

// imageSends reports whether an image in HTML sends data. Page templates have harmless names in such addresses.
func imageSends(_, command string) bool {
	names, ok := placeholders(imageTarget, command)
	return ok && dataName.MatchString(names)
}

// placeholders returns the names of data in the address at the beginning of a command.
func placeholders(target *lazyregexp.Regexp, command string) (names string, ok bool) {
	if !strings.ContainsAny(window(command, 0, 400), "{<[$%_") {
		return "", false
	}
	match := target.FindStringSubmatch(command)
	if match == nil {
		return "", false
	}
	if _, ok := remote(match[1]); !ok {
		return "", false
	}
	for _, name := range placeholder.FindAllString(match[1], 10) {
		if !strings.HasPrefix(name, strings.TrimSpace(secret.PlaceholderOpen)) {
			names += name + " "
		}
	}
	return names, names != ""
}

var (
	requestOpens = lazyregexp.New(`(?i)(?:^|[.!?:;])[\s>*_#"'\d.)+-]*(?:(?:please|always|then|also|now|and|secretly|silently|` +
		`quietly|first|you (?:must|should|will))[,\s]+)*$`)
	requestObject = lazyregexp.New(`(?i)^\w+ [^.!?\n]{0,80}?\b(?:conversations?|chat (?:history|logs?|transcripts?)|system prompt|` +
		`memor(?:y|ies)|environment variables|private keys?|ssh keys?|passwords|secrets|` +
		`api keys|cookies)\b[^!?\n(\[]{0,80}?\b(?:to|at|via|on)\b[^!?\n(\[]{0,40}?https?://`)
	requestFile = lazyregexp.New(`(?i)^\w+ [^!?\n]{0,80}?(?:\b(?:MEMORY|PROFILE|SOUL|AGENTS|USER)\.md|~/\.ssh|id_rsa|\.env\b|` +
		`/etc/(?:passwd|shadow))[^!?\n]{0,80}?\b(?:to|at|via|on)\b[^!?\n]{0,40}?https?://`)

	chineseRequestOpens = lazyregexp.New(`(?:^|[，。！？：；,.!?:;\s])[\s>*_#"'\d.)+-]*(?:请|然后|并|再|务必|现在|悄悄|每次|总是|立即)*$`)
	chineseRequest      = lazyregexp.New(`^[^。！？\n]{0,40}?(?:密码|密钥|私钥|聊天记录|对话|聊天内容|系统提示|环境变量|记忆|凭证|凭据|令牌|会话|隐私|个人信息|cookie|` +
		`MEMORY\.md|PROFILE\.md|\.env)` +
		`[^。！？\n]{0,20}?(?:发送|上传|发到|发给|传到|传给|提交|转发|同步|泄露|POST)[^。！？\n]{0,12}?https?://`)
)

// requestSends reports whether an instruction in words sends data. It must begin a sentence: "we post passwords to …" in
// passing describes a system.
func requestSends(before, command string) bool {
	if !requestOpens.MatchString(before) {
		return false
	}
	_, ok := remote(command)
	return ok && (requestObject.MatchString(command) || requestFile.MatchString(command))
}

func chineseRequestSends(before, command string) bool {
	_, ok := remote(command)
	return ok && chineseRequestOpens.MatchString(before) && chineseRequest.MatchString(command)
}
