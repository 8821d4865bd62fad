package memory

import (
	"html"
	"regexp"
	"strings"
	"unicode"
)

// longestTag is how many bytes of a tag are looked at.
const longestTag = 2000

// activeTags are the elements that act when a page shows them, and the attributes without which they do not.
var activeTags = map[string]*regexp.Regexp{
	"script":   nil,
	"iframe":   nil,
	"frame":    nil,
	"frameset": nil,
	"object":   regexp.MustCompile(`\b(?:data|type|classid|codebase)\s*=`), // not the type in List<Object>
	"embed":    regexp.MustCompile(`=`),
	"applet":   regexp.MustCompile(`=`),
	"base":     regexp.MustCompile(`\bhref\s*=`),
	"link":     regexp.MustCompile(`\brel\s*=\s*["']?(?:stylesheet|import|preload|modulepreload)`),
	"meta":     regexp.MustCompile(`http-equiv\s*=\s*["']?\s*refresh`),
}

// handler is an attribute that holds a program for an event.
var handler = regexp.MustCompile(`[\s/"']on(?:abort|after|animation|auxclick|before|begin|blur|bounce|can|change|click|close|content|copy|cue|cut|dblclick|drag|drop|duration|` +
	`emptied|end|error|finish|focus|form|fullscreen|gotpointer|hashchange|input|invalid|key|load|lostpointer|message|mouse|page|paste|pause|play|pointer|popstate|progress|` +
	`rate|readystate|repeat|reset|resize|scroll|search|seek|select|show|slot|stalled|start|storage|submit|suspend|time|toggle|touch|transition|unload|visibility|volume|` +
	`waiting|webkit|wheel)[a-z]*\s*=`)

// addressHeads are what an address stands behind: attributes, and Markdown's links.
var addressHeads = func() *literals[bool] {
	heads := &literals[bool]{}
	for _, head := range []string{"href", "src", "action", "formaction", "data", "](", "]:"} {
		heads.add(head, strings.HasPrefix(head, "]"))
	}
	return heads
}()

// html finds HTML that acts when a page shows it: scripts, frames, handlers of events, addresses that are programs. What
// stands in code is shown and not run.
func (s *scanner) html() {
	if !strings.ContainsAny(s.text, "<]") {
		return
	}
	code := codeSpans(s.text)
	block := func(rule string, at int) {
		if !within(code, at) {
			s.block(classHTML, rule, s.line(at))
		}
	}
	for at := strings.IndexByte(s.lower, '<'); at >= 0; {
		name, attributes := tagAt(s.lower, at)
		if needs, active := activeTags[name]; active && (needs == nil || needs.MatchString(attributes)) {
			block(name, at)
		} else if name != "" && handler.MatchString(attributes) {
			block("handler", at)
		}
		next := strings.IndexByte(s.lower[at+1:], '<')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	addressHeads.each(s.lower, func(from, to int, markdown bool) {
		if address, ok := addressAfter(window(s.lower, to, 200), markdown); ok && isProgram(address) {
			block("program-address", from)
		}
	})
}

// tagAt is the name of the tag that begins at an offset, and all that follows it up to the tag's end: ">" outside of
// quotes, or the next "<". There is no name where no tag begins.
func tagAt(text string, at int) (name, attributes string) {
	rest := window(text, at+1, longestTag)
	if trimmed := strings.TrimLeft(rest, " \t\n"); strings.HasPrefix(trimmed, "script") {
		rest = trimmed // no browser takes it for a tag, some filters that clean up do
	}
	end := 0
	for end < len(rest) && (isWordByte(rest[end]) || end > 0 && strings.IndexByte("-_:.", rest[end]) >= 0) {
		end++
	}
	if end < len(rest) && strings.IndexByte(" \t\r\n\f/>", rest[end]) < 0 {
		return "", ""
	}
	name, rest = rest[:end], rest[end:]
	for at := 0; at < len(rest); at++ {
		switch rest[at] {
		case '>', '<':
			return name, rest[:at]
		case '"', '\'':
			closing := strings.IndexByte(rest[at+1:], rest[at])
			if closing < 0 {
				until, _, _ := strings.Cut(rest[at:], "<")
				return name, rest[:at] + until
			}
			at += 1 + closing
		}
	}
	return name, rest
}

// addressAfter is the beginning of the address that follows an attribute's name or Markdown's opening of a link.
func addressAfter(rest string, markdown bool) (address string, ok bool) {
	rest = strings.TrimLeft(rest, " \t\n")
	if !markdown {
		if rest, ok = strings.CutPrefix(rest, "="); !ok {
			return "", false
		}
	}
	return strings.TrimLeft(rest, " \t\n\"'<"), true
}

// isProgram reports whether a browser runs what stands behind an address. Browsers ignore white space in its scheme.
func isProgram(address string) bool {
	if len(address) > 0 && !strings.ContainsRune("jvd&", rune(address[0])) {
		return false
	}
	address = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, html.UnescapeString(address))
	for _, scheme := range []string{"javascript:", "vbscript:", "data:text/html", "data:image/svg+xml", "data:application/xhtml"} {
		if strings.HasPrefix(address, scheme) {
			return true
		}
	}
	return false
}
