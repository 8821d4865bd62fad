package extractive

import (
	"regexp"
	"slices"

	"reverie/memory"
)

const (
	// maxFiles are named in a summary, the last ones.
	maxFiles = 8
	// maxFileChars bounds the name of one.
	maxFileChars = 120
	// maxFileText bounds how much of one message is looked at, in bytes.
	maxFileText = 16 << 10
)

// fileName is a path or a name with an ending that files have.
var fileName = regexp.MustCompile(`(?:[\w.~-]*/)*[\w-][\w.-]*\.(?:md|txt|go|py|js|ts|tsx|jsx|java|rs|rb|c|h|cc|cpp|cs|sh|sql|css|html|` +
	`json|yaml|yml|toml|ini|cfg|xml|csv|tsv|pdf|docx?|xlsx?|pptx?|png|jpe?g|svg|ipynb|log|proto|tf|lock|env)\b`)

// address matches web addresses, whose paths are not files of the conversation.
var address = regexp.MustCompile(`\w+://\S+`)

// filesIn are the files that messages are about, in the order in which they were named last.
func filesIn(messages []memory.Message) []string {
	var out []string
	look := func(text string) {
		for _, name := range fileName.FindAllString(text[:min(len(text), maxFileText)], -1) {
			if len(name) > maxFileChars || isUnfit(name) {
				continue
			}
			if i := slices.Index(out, name); i >= 0 {
				out = slices.Delete(out, i, i+1)
			}
			out = append(out, name)
		}
	}
	for _, m := range messages {
		if m.Role != memory.RoleOfTool { // what a tool returns is full of names that nobody asked for
			look(address.ReplaceAllString(m.Content[:min(len(m.Content), maxFileText)], " "))
		}
		for _, call := range m.ToolCalls {
			look(call.Arguments)
		}
	}
	return out[max(0, len(out)-maxFiles):]
}
