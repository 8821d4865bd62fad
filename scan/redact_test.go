package scan

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"
)

// keyBody returns lines of Base64 as in a private key.
func keyBody(lines int) string {
	random := rand.New(rand.NewPCG(1, 2))
	body := make([]byte, 48*lines-7)
	for i := range body {
		body[i] = byte(random.Uint32())
	}
	text := base64.StdEncoding.EncodeToString(body)
	var out []string
	for len(text) > 64 {
		out, text = append(out, text[:64]), text[64:]
	}
	return strings.Join(append(out, text), "\n")
}

func TestRedacted(t *testing.T) {
	key := keyBody(12)
	pem := "-----BEGIN PRIVATE KEY-----\n" + key + "\n-----END PRIVATE KEY-----"
	parts := strings.Split(key, "\n")
	for name, c := range map[string]struct {
		text string
		gone []string
		kept []string
	}{
		"nothing":              {"The key is under the mat.\n\n- a\n", nil, []string{"The key is under the mat.\n\n- a\n"}},
		"a password":           {"first\nMy password is: hunter2horse!\nlast", []string{"hunter2horse"}, []string{"first\n", "\nlast"}},
		"a key":                {"first\n" + pem + "\nlast", parts, []string{"first\n", "\nlast"}},
		"its beginning":        {"first\n" + strings.Join(strings.Split(pem, "\n")[:6], "\n"), parts[:5], []string{"first\n"}},
		"its end":              {strings.Join(parts[8:], "\n") + "\n-----END PRIVATE KEY-----\nlast", parts[8:], []string{"\nlast"}},
		"its middle":           {strings.Join(parts[3:7], "\n"), parts[3:7], nil},
		"its middle in a list": {"- " + strings.Join(parts[3:7], "\n- "), parts[3:7], nil},
		"one hash":             {"sha256 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\nof the file", nil, []string{"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}},
	} {
		got := Redacted(c.text)
		if strings.Count(got, "\n") != strings.Count(c.text, "\n") {
			t.Errorf("%s: lines are lost: %q", name, got)
		}
		for _, gone := range c.gone {
			if strings.Contains(got, gone) {
				t.Errorf("%s: %q is left in %q", name, gone, got)
			}
		}
		for _, kept := range c.kept {
			if !strings.Contains(got, kept) {
				t.Errorf("%s: %q is not left in %q", name, kept, got)
			}
		}
		if again := Redacted(got); again != got {
			t.Errorf("%s: again: %q, first %q", name, again, got)
		}
	}
}
