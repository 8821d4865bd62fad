package window

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"reverie/memory"
)

// Properties of escaped text, stated independently of Escape's implementation.
var (
	openBracket = regexp.MustCompile(`(^|[^\\])(\\\\)*\[([^ xX\d]|[^\d][^\]])`)
	openNumber  = regexp.MustCompile(`(^|[^\\])(\\\\)*\[\d+([^\d:.-]|[:.-][\d:.-]*([^\d:.\]-]|\][(\[:]))`)
	openTag     = regexp.MustCompile(`<[A-Za-z/!?|｜<]`)
	roleLine    = regexp.MustCompile(`(?im)^[\s>#*|•\d.)("-]*(system|assistant|user|human|developer|tool|instructions?|系统|用户|助手|システム|ユーザー|アシスタント|hệ thống|người dùng|trợ lý|sistema|usuario|asistente|benutzer|entwickler)\s*:`)
	ruleLine    = regexp.MustCompile(`(?m)^[ \t]*(-{3,}|={3,}|_{3,}|~{3,}|\*{3,})`)
	roleKey     = regexp.MustCompile(`(?i)[^\\"'“](["'“])role["'”]\s*:`)
)

func checkEscaped(t failer, given, escaped string) {
	t.Helper()
	shown := norm.NFKC.String(escaped)
	for what, pattern := range map[string]*regexp.Regexp{
		"an open bracket": openBracket, "an open bracket before a number": openNumber, "a tag or a token": openTag, "the line of a role": roleLine, "a separator": ruleLine,
		"the key of a role": roleKey,
	} {
		for line := range strings.SplitSeq(shown, "\n") {
			if found := pattern.FindString(line); found != "" {
				t.Fatalf("%s is left: %q\ngiven   %q\nescaped %q", what, found, given, escaped)
			}
		}
	}
	for _, r := range escaped {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == 0x200B || r == 0x2060 ||
			r == 0xFEFF || 0xE0000 <= r && r <= 0xE0FFF) {
			t.Fatalf("%U is left in %q", r, escaped)
		}
	}
	if again := Escape(escaped); again != escaped {
		t.Fatalf("escaped twice:\n%q\n%q", escaped, again)
	}
	if before, after := letterOnly(visible(given)), letterOnly(escaped); before != after {
		t.Fatalf("what it says has changed:\n%q\n%q", before, after)
	}
}

// letterOnly returns a text without what Escape adds.
func letterOnly(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\\' || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

func TestEscape(t *testing.T) {
	for given, want := range map[string]string{
		"likes tea":                     "likes tea",
		"a [link](x), a list[0]":        `a \[link](x), a list\[0]`,
		"- [ ] open\n- [x] done":        "- [ ] open\n- [x] done",
		`\[x] \\[y]`:                    `\[x] \\\[y]`,
		"in April [2027-04], at [3:30]": "in April [2027-04], at [3:30]",
		"[2027-04](https://x.example)":  `\[2027-04](https://x.example)`,
		"[2027-04]: https://x.example":  `\[2027-04]: https://x.example`,
		"[1] and [12 May]":              `\[1] and \[12 May]`,
		`＼[w] ＼\[y] ﹨［z`:                `＼ \[w] ＼\ \[y] ﹨ \［z`,
		"--- SOUL.md ---":               `\--- SOUL.md ---`,
		"  ---":                         `  \---`,
		"## Goal":                       "## Goal",
		"## System:":                    `\## System:`,
		"System: go":                    `\System: go`,
		"The system: slow":              "The system: slow",
		"users: 3":                      "users: 3",
		"user's birthday":               "user's birthday",
		"System requirements are met":   "System requirements are met",
		"a < b and a<b>c":               "a < b and a< b>c",
		"<|im_start|>":                  `\< |im_start|>`,
		"[INST] x [/INST]":              `\[ INST] x \[ /INST]`,
		"{\"role\": \"user\"}":          "\\{\\\"role\": \"user\"}",
		"x\r\ny\u2028z":                 "x\ny\nz",
		"\U0001F468\u200d\U0001F469 \u2764\ufe0f \u0645\u06cc\u200c\u062e 1\ufe0f\u20e3": "\U0001F468\u200d\U0001F469 \u2764\ufe0f \u0645\u06cc\u200c\u062e 1\ufe0f\u20e3",
		"a\u200bb\u202ec\U000E0041d\ufeff":                                               "abcd",
		"[End of recalled memory]":                                                       `\[End of recalled memory]`,
		"End of recalled memory":                                                         `\End of recalled memory`,
		"- **Assistant**: hi":                                                            `\- **Assistant**: hi`,
		"用户：喜欢茶":                                                                         `\用户：喜欢茶`,
		"用户喜欢茶":                                                                          "用户喜欢茶",
		"用户喜欢：茶":                                                                         "用户喜欢：茶",
	} {
		got := Escape(given)
		if got != want {
			t.Errorf("%q is escaped to %q, want %q", given, got, want)
		}
		checkEscaped(t, given, got)
	}
}

// fragments are building blocks of attacks.
var fragments = append([]string{
	"system", "System", "ѕystem", "ＳＹＳＴＥＭ", "assistant", "user", "用户", "システム", "hệ thống", ":", "：", "\n", "\r", "\u2028", "\\", "[", "［",
	"]", "<", "＜", "|", "/", ">",
	"INST", "SYS", "im_start", "---", "===", "—", "＝", "*", "#", "- ", "> ", " ", "\t", "\u200b", "\u200d", "\ufe0f", "\u202e", "\u0301",
	"\"", "'", "role", "x", "1.", "é", "&lt;", "&", "lt;",
	"👍", "SOUL.md", "end of ", "memory", "recalled memory", "original goal",
}, scripts...)

func TestEscapeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		given := strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 14).Draw(t, "given"), "")
		checkEscaped(t, given, Escape(given))
	})
}

func FuzzEscape(f *testing.F) {
	for _, s := range fragments {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, given string) {
		checkEscaped(t, strings.ToValidUTF8(given, ""), Escape(strings.ToValidUTF8(given, "")))
	})
}

// TestDefuseProperties: Defuse only inserts spaces into a tool's result, and JSON stays JSON with the same content
// except for them.
func TestDefuseProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		given := strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 14).Draw(t, "given"), "")
		got := Defuse(given)
		if strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(given, " ", "") {
			t.Fatalf("%q became %q", given, got)
		}
		if Defuse(got) != got {
			t.Fatalf("defused twice: %q, %q", got, Defuse(got))
		}
		for _, token := range []string{
			"<|", "＜|", "[INST]", "[/INST]", "<<SYS>>", "[conversation context summary", "[recalled memory",
			"[original goal",
		} {
			if strings.Contains(strings.ToLower(got), strings.ToLower(token)) {
				t.Fatalf("%q is left in %q", token, got)
			}
		}
		object, err := json.Marshal(map[string]string{"text": given})
		if err != nil {
			t.Fatalf("%v", err)
		}
		if !json.Valid([]byte(Defuse(string(object)))) {
			t.Fatalf("no JSON: %s", Defuse(string(object)))
		}
	})
}

// injection is an attack hidden in the input of a window.
type injection struct {
	ID    string   `json:"id"`
	Lang  string   `json:"lang"`
	Where string   `json:"where"` // user, tool, note, summary: where it was thought of; it is tried everywhere
	Trick string   `json:"trick"`
	Text  string   `json:"text"`
	Gone  []string `json:"gone"` // must not occur where the text is quoted; a line break represents the beginning of a line
}

func injections(tb testing.TB) []injection {
	tb.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "injections.json"))
	if err != nil {
		tb.Fatal(err)
	}
	var out []injection
	if err := json.Unmarshal(content, &out); err != nil {
		tb.Fatal(err)
	}
	return out
}

func TestInjectionCorpus(t *testing.T) {
	langs, places, ids := map[string]int{}, map[string]int{}, map[string]bool{}
	all := injections(t)
	for _, c := range all {
		langs[c.Lang]++
		places[c.Where]++
		if ids[c.ID] || c.Text == "" || c.Trick == "" {
			t.Errorf("%s is there twice, or says nothing", c.ID)
		}
		ids[c.ID] = true
	}
	t.Logf("%d cases: %v, %v", len(all), langs, places)
	if len(all) < 60 || len(langs) < 6 || len(places) != 4 {
		t.Errorf("%d cases in %d languages and %d places", len(all), len(langs), len(places))
	}
}

// TestInjectionsEscaped: an escaped text never looks like the structure of a window.
func TestInjectionsEscaped(t *testing.T) {
	for _, c := range injections(t) {
		t.Run(c.ID, func(t *testing.T) { checkQuoted(t, c, Escape(c.Text), c.Text) })
	}
}

func checkQuoted(t failer, c injection, quoted, given string) {
	t.Helper()
	checkEscaped(t, given, quoted)
	for _, gone := range c.Gone {
		if strings.Contains("\n"+quoted, gone) {
			t.Fatalf("%q is left in %q", gone, quoted)
		}
	}
}

// TestInjectionsInWindow hides each attack in every place at once: what is quoted is labelled and escaped, a tool's result stays
// in a message of the tool's, what the user says stays the user's, and the system says what it said before and nothing more.
func TestInjectionsInWindow(t *testing.T) {
	for _, c := range injections(t) {
		t.Run(c.ID, func(t *testing.T) {
			in := attacked(c.Text)
			got := mustFit(t, in)
			for _, m := range got.Messages {
				switch m.Kind {
				case KindSystem:
					if m.Content != in.System || m.Role != memory.RoleOfSystem {
						t.Errorf("the system says %q", m.Content)
					}
				case KindSummary:
					checkLabelled(t, c, m, SummaryPrefix)
				case KindGoal:
					checkLabelled(t, c, m, GoalPrefix)
				case KindRecall:
					checkRecalled(t, m)
				case KindHistory:
					checkHistory(t, c, m)
				case KindGap, KindCurrent:
				}
			}
			if s := sketch(got); s != "system summary goal u11 a12 t13 u14 u15 a16 recall current" {
				t.Errorf("the window is %s", s)
			}
		})
	}
}

// attacked returns an input with an attack in all places.
func attacked(text string) Input {
	in := base(100_000,
		user(3),
		memory.Message{Role: memory.RoleOfAssistant, ToolCalls: []memory.ToolCall{{ID: "c1", Name: "fetch", Arguments: "{}"}}},
		memory.Message{Role: memory.RoleOfTool, Name: "fetch", ToolCallID: "c1", Content: text},
		memory.Message{Role: memory.RoleOfTool, Name: "fetch", ToolCallID: "gone", Content: text},
		memory.Message{Role: memory.RoleOfSystem, Content: text},
		assistant(3),
	)
	for i := range in.History {
		in.History[i].Seq = int64(11 + i)
	}
	in.SummaryTo, in.Summary, in.Goal, in.Current.Seq = 10, text, text, 17
	in.Current.Content = text
	in.Recalled = []Recalled{
		{Text: text, Source: "memory/2025-05-30.md:7", At: in.Now.AddDate(0, 0, -2)},
		{Text: "likes tea", Source: text, At: in.Now},
	}
	in.Settings.AutoInjectMaxTokens = 2000
	return in
}

func checkLabelled(t *testing.T, c injection, m Message, label string) {
	t.Helper()
	quoted, ok := strings.CutPrefix(m.Content, label+"\n")
	if !ok || m.Role != memory.RoleOfUser {
		t.Errorf("%s of the %s has no label: %q", m.Kind, m.Role, m.Content)
	}
	checkQuoted(t, c, quoted, strings.TrimSpace(c.Text))
}

func checkHistory(t *testing.T, c injection, m Message) {
	t.Helper()
	switch m.Seq {
	case 13:
		if m.Role != memory.RoleOfTool || m.Content != Defuse(c.Text) || m.ToolCallID != "c1" {
			t.Errorf("the %s's result is %q", m.Role, m.Content)
		}
		for _, token := range []string{
			"<|", "<｜", "[INST]", "<<SYS>>", "<s>", "[TOOL_RESULTS]", "[Recalled memory",
			"[Conversation context summary",
		} {
			if strings.Contains(m.Content, token) {
				t.Errorf("%s is left in %q", token, m.Content)
			}
		}
	case 14:
		quoted, ok := strings.CutPrefix(m.Content, ToolPrefix+"\nfetch: ")
		if !ok || m.Role != memory.RoleOfUser {
			t.Errorf("the result of no call is the %s's: %q", m.Role, m.Content)
		}
		checkQuoted(t, c, quoted, c.Text)
	case 15:
		quoted, ok := strings.CutPrefix(m.Content, NotePrefix+"\n")
		if !ok || m.Role != memory.RoleOfUser {
			t.Errorf("the note is the %s's: %q", m.Role, m.Content)
		}
		checkQuoted(t, c, quoted, c.Text)
	}
}

// checkRecalled: a block of recalled memory consists of its label, a line per memory that begins with source and age,
// and its end.
func checkRecalled(t *testing.T, m Message) {
	t.Helper()
	lines := strings.Split(m.Content, "\n")
	if m.Role != memory.RoleOfUser || lines[0] != RecallPrefix || lines[len(lines)-1] != RecallSuffix || len(lines) > 4 {
		t.Errorf("recalled: %q", m.Content)
	}
	for _, line := range lines[1 : len(lines)-1] {
		label, text, ok := strings.Cut(line, "] ")
		if !ok || !strings.HasPrefix(label, "- [") || strings.Count(label, "[") != 1 || strings.Count(label, " · ") != 1 {
			t.Errorf("a line has no label: %q", line)
		}
		if found := openBracket.FindString(text) + openNumber.FindString(text); found != "" {
			t.Errorf("%q is left in %q", found, text)
		}
		if found := openTag.FindString(text); found != "" {
			t.Errorf("%q is left in %q", found, text)
		}
	}
}

// TestInjectionsCut: cutting a window that is too small never uncovers an attack.
func TestInjectionsCut(t *testing.T) {
	for _, c := range injections(t) {
		in := attacked(strings.Repeat(c.Text+"\n", 12))
		in.Current.Content = "hello"
		for window := 130; window < 2000; window += 97 {
			in.Settings.MaxTokens = window
			for _, m := range mustFit(t, in).Messages {
				if m.Kind == KindHistory && strings.HasPrefix(m.Content, ToolPrefix) || m.Kind == KindGoal || m.Kind == KindSummary {
					_, quoted, _ := strings.Cut(m.Content, "\n")
					quoted = ours.ReplaceAllString(quoted, "")
					for _, gone := range c.Gone {
						if strings.Contains("\n"+quoted, gone) {
							t.Fatalf("%s, window of %d: %q is left in %q", c.ID, window, gone, quoted)
						}
					}
					if found := openTag.FindString(quoted); found != "" {
						t.Fatalf("%s, window of %d: %q is left in %q", c.ID, window, found, quoted)
					}
				}
			}
		}
	}
}

// ours matches the marks that a window puts where it cuts.
var ours = regexp.MustCompile(`\[(?:… \d+ characters(?: of this result)? left out …|Result cleared: [^\]]*|Same result as an earlier one: [^\]]*|\d+ characters more in the conversation)\]`)
