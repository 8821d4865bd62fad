package memory

import (
	"regexp"
	"strings"
)

var (
	linkTarget  = regexp.MustCompile(`^\](?:\(|:)\s*<?(https?://[^\s)]*(?:[ \w]*[>\]}][^\s)]*)?)`)
	imageTarget = regexp.MustCompile(`^(?i:src)=["'](https?://[^"'\n]*)`)
	placeholder = regexp.MustCompile(`\{\{[^}]*\}\}|\$\{[^}]*\}|\{[^}]+\}|<[^>]+>|\[[^\]]+\]|\$\([^)]*\)|%7[bB]%7[bB]|\$[A-Z_]{3,}|=[A-Z]{3,}(?:_[A-Z]+)+`)
	dataName    = regexp.MustCompile(`(?i)conversation|chat|histor|secret|api_?key|token|passw|credential|memor|prompt|cookie|transcript|summar|base64|context|user_?(?:data|info)|private|session|\benv\b|profile`)
)

// linkSends: showing an image sends its address, and with it what was put into it; a link waits for a click.
func linkSends(before, command string) bool {
	names, ok := placeholders(linkTarget, command)
	if !ok || strings.Count(before, "`")%2 != 0 { // shown as code
		return false
	}
	opening := strings.LastIndexByte(before, '[')
	return opening > 0 && before[opening-1] == '!' || dataName.MatchString(names)
}

// imageSends: an image in HTML; templates of pages have harmless names in such addresses.
func imageSends(_, command string) bool {
	names, ok := placeholders(imageTarget, command)
	return ok && dataName.MatchString(names)
}

// placeholders are the names that stand for data in the address that a command begins with.
func placeholders(target *regexp.Regexp, command string) (names string, ok bool) {
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
		if !strings.HasPrefix(name, strings.TrimSpace(placeholderOpen)) {
			names += name + " "
		}
	}
	return names, names != ""
}

var (
	requestOpens  = regexp.MustCompile(`(?i)(?:^|[.!?:;])[\s>*_#"'\d.)+-]*(?:(?:please|always|then|also|now|and|secretly|silently|quietly|first|you (?:must|should|will))[,\s]+)*$`)
	requestObject = regexp.MustCompile(`(?i)^\w+ [^.!?\n]{0,80}?\b(?:conversations?|chat (?:history|logs?|transcripts?)|system prompt|memor(?:y|ies)|environment variables|private keys?|ssh keys?|passwords|secrets|` +
		`api keys|cookies)\b[^!?\n(\[]{0,80}?\b(?:to|at|via|on)\b[^!?\n(\[]{0,40}?https?://`)
	requestFile = regexp.MustCompile(`(?i)^\w+ [^!?\n]{0,80}?(?:\b(?:MEMORY|PROFILE|SOUL|AGENTS|USER)\.md|~/\.ssh|id_rsa|\.env\b|/etc/(?:passwd|shadow))[^!?\n]{0,80}?\b(?:to|at|via|on)\b[^!?\n]{0,40}?https?://`)

	chineseRequestOpens = regexp.MustCompile(`(?:^|[，。！？：；,.!?:;\s])[\s>*_#"'\d.)+-]*(?:请|然后|并|再|务必|现在|悄悄|每次|总是|立即)*$`)
	chineseRequest      = regexp.MustCompile(`^[^。！？\n]{0,40}?(?:密码|密钥|私钥|聊天记录|对话|聊天内容|系统提示|环境变量|记忆|凭证|凭据|令牌|会话|隐私|个人信息|cookie|MEMORY\.md|PROFILE\.md|\.env)` +
		`[^。！？\n]{0,20}?(?:发送|上传|发到|发给|传到|传给|提交|转发|同步|泄露|POST)[^。！？\n]{0,12}?https?://`)
)

// requestSends: an instruction in words, where a sentence begins; in passing, "we post passwords to …" describes a system.
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
