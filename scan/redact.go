package scan

import "strings"

// Redacted returns a text without its secrets, line by line: the number of its lines stays the same, so that line numbers still fit.
//
// It is for passages that were not scanned when they were stored, such as messages. A passage may begin or end within a private key,
// so lines that can only be a part of one are redacted too.
func Redacted(text string) string {
	s := newScanner(text)
	for range maxPasses {
		edits := s.secrets()
		if len(edits) == 0 {
			edits = s.keyParts()
		}
		if len(edits) == 0 {
			break
		}
		for i, e := range edits {
			edits[i].with += strings.Repeat("\n", strings.Count(s.text[e.from:e.to], "\n"))
		}
		s.apply(edits)
	}
	if !s.edited {
		return text
	}
	return s.text
}

const (
	// keyPartLine is the shortest line within a private key: keys are wrapped after 64 characters, OpenSSH's after 70.
	keyPartLine = 60
	// keyPartLines is the number of such lines that are not there by accident.
	keyPartLines = 2
)

// keyParts finds successive lines of Base64 as within a private key.
func (s *scanner) keyParts() []edit {
	if !strings.Contains(s.text, "\n") {
		return nil
	}
	var edits []edit
	from, to, lines := 0, 0, 0
	end := func() {
		if lines >= keyPartLines {
			edits = append(edits, edit{from: from, to: to, with: placeholderOpen + "private-key" + placeholderClose})
		}
		lines = 0
	}
	for i, start := range s.starts {
		until := len(s.text)
		if i+1 < len(s.starts) {
			until = s.starts[i+1] - 1
		}
		line := s.text[start:until]
		body := strings.TrimRight(line[len(pemMarks.FindString(line)):], pemTrail)
		switch {
		case len(body) >= keyPartLine && !strings.Contains(body, " ") && isPEMBody(body, true):
			if lines == 0 {
				from = start
			}
			to, lines = until, lines+1
		case lines > 0 && body != "" && !strings.Contains(body, " ") && isPEMBody(body, true): // the last line is shorter
			to = until
			end()
		default:
			end()
		}
	}
	end()
	return edits
}
