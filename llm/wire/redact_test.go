package wire

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestKeysOfAllShapesAreTakenOut(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"Incorrect API key provided: sk-proj-abc123def456.",
		"Incorrect API key provided: sk-ab********************wxyz. You can find",
		"Authentication Fails, Your api key: ****abcd1234 is invalid",
		`{"Authorization": "Bearer abcdef123456"}`,
		"api_key=abcdef123456&x=1",
		`"password": "hunter2hunter2"`,
		"gsk_abc123def456ghi is not valid",
		"key AIzaSyA-1234567890abcdef not valid",
		"AKIAIOSFODNN7EXAMPLE is unknown",
		"dial https://user:abc123def456@proxy:3128",
	} {
		got := tidy(s, "", nil)
		if !strings.Contains(got, redacted) {
			t.Errorf("%q stays %q", s, got)
		}
		for _, part := range []string{"abc123", "wxyz", "abcd1234", "abcdef123456", "hunter2", "SyA-", "IOSFODNN7"} {
			if strings.Contains(got, part) {
				t.Errorf("%q: %q is left in %q", s, part, got)
			}
		}
	}
}

func TestOrdinaryWordsStay(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"This model's maximum context length is 8192 tokens. However, your messages resulted in 9120 tokens.",
		"Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 28000.",
		"model: claude-unknown",
		"dial tcp 127.0.0.1:443: connect: connection refused",
		"The model `gpt-9` does not exist or you do not have access to it.",
	} {
		if got := tidy(s, "a-key-that-is-not-there", []string{"An unrelated conversation."}); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

// Words of the request are taken out one by one, too, and what is wrong stays.
func TestWordsOfTheRequestAreTakenOut(t *testing.T) {
	t.Parallel()
	said := []string{
		"You keep the memory of a user. Answer in JSON: the messages have a limit, and the model must not exceed the context.",
		"My aunt Zorblax has severe quixophobia and lives at 4711 Elm Road. 我对青霉素过敏。",
	}
	for text, want := range map[string]string{
		"flagged text: severe quixophobia":                  "flagged text: […]",
		"bad token near 'Zorblax'":                          "bad token near '[…]'",
		"bad token near 'Zorbl":                             "bad token near '[…]",
		"invalid value 4711 at position 12":                 "invalid value […] at position 12",
		"内容违规：青霉素":                                          "内容违规：[…]",
		"Incorrect API key provided: sk-proj-abc123def456.": "Incorrect API key provided: [secret]",
	} {
		if got := tidy(text, "", said); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{
		"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
		"This model's maximum context length is 8192 tokens. However, your messages resulted in 9120 tokens.",
	} {
		if got := tidy(text, "", said); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Whatever the words, the key and the request: neither the key nor a part of the request long enough to reveal something
// is left, and the message is one short printable line.
func TestTidyKeepsSecrets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[A-Za-z0-9_-]{12,40}`).Draw(t, "key")
		said := rapid.StringOfN(rapid.RuneFrom([]rune("abc def 記憶 é😀\n")), 30, 200, -1).Draw(t, "said")
		words := strings.Join(rapid.SliceOfN(rapid.OneOf(
			rapid.Just(key), rapid.Just(said), rapid.Just("error: "), rapid.Just("\x00\x1b[31m"), rapid.String(),
			rapid.Just(key[:5]+"\x95"+key[5:]), rapid.Just(key[:7]+"\x00"+key[7:]), // which come together when these are taken out
		), 1, 8).Draw(t, "words"), "")
		got := tidy(words, key, []string{said})
		switch {
		case strings.Contains(got, key):
			t.Fatalf("key in %q", got)
		case utf8.RuneCountInString(got) > MaxMessage || !utf8.ValidString(got) || strings.ContainsAny(got, "\n\r\x00\x1b"):
			t.Fatalf("not a short line: %q", got)
		}
		for i := 0; i+echoBytes+utf8.UTFMax <= len(got); i++ {
			if strings.Contains(said, got[i:i+echoBytes+utf8.UTFMax]) {
				t.Fatalf("%q of %q is left in %q", got[i:i+echoBytes+utf8.UTFMax], said, got)
			}
		}
	})
}
