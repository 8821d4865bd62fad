package extractive

import (
	"slices"
	"strings"
	"testing"
	"time"

	"reverie/language/cue"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/transcripts"
	"reverie/test/corpus"
)

// said returns the input of a conversation. Texts that begin with "a: " are the assistant's, "Name: " and "u: " persons'.
func said(texts ...string) proposals.ExtractionInput {
	now := time.Date(2026, 3, 10, 18, 0, 0, 0, time.UTC) // a Tuesday
	in := proposals.ExtractionInput{Today: now, ProfileMaxChars: 4000, MemoryMaxChars: 8000}
	for i, text := range texts {
		speaker, rest, _ := strings.Cut(text, ": ")
		l := transcripts.Line{Seq: int64(i + 1), Role: memory.RoleOfUser, Text: rest, At: now.Add(time.Duration(i-len(texts)) * time.Minute)}
		switch speaker {
		case "a":
			l.Role = memory.RoleOfAssistant
		case "u":
		default:
			l.Name = speaker
			if strings.HasPrefix(speaker, memory.BuiltinPrefix) {
				l.Role = memory.RoleOfAssistant
			}
		}
		in.Transcript = append(in.Transcript, l)
	}
	return in
}

// keepsThat is an answer of the chat without a model.
const keepsThat = "builtin/recall: I keep that in this conversation and can quote it later. To put it into memory at once, begin with “Remember that”."

// TestWhatIsKept lists conversations with words that one line of the note or of the files must have, and words that no line may
// have.
func TestWhatIsKept(t *testing.T) {
	for _, c := range []struct {
		name    string
		before  string // MEMORY.md
		talk    []string
		note    []string // in one line of the note each; "&" joins words
		lasting []string // in one line of PROFILE.md or MEMORY.md each
		never   []string // in no line of any file
		files   []string // in no line of PROFILE.md or MEMORY.md
	}{
		{
			name: "the person whom a pronoun means stays with it",
			talk: []string{"u: My dad Karl is 71. My son Max, he's 12, broke his arm at handball.", "a: Oh no."},
			note: []string{"son Max & 12 & arm at handball"}, lasting: []string{"son Max & broke his arm"}, files: []string{"Name:", "Age:"},
		},
		{
			name: "the day of a month that was named before is not completed",
			talk: []string{
				"u: We're flying to Lisbon on 12 May for a week.", "a: Lovely.", "u: Actually we fly on the 14th, not the 12th.", "a: Noted.",
			},
			note: []string{"on the 14th, not the 12th"}, never: []string{"the 14th [", "the 12th [", "2026-03-14"},
		},
		{
			name: "the day of a month is completed when no month was named",
			talk: []string{"u: My sister Ines is coming on the 14th.", "a: Lovely."}, note: []string{"on the 14th [2026-03-14]"},
		},
		{
			name:  "a name of an animal is not the user's",
			talk:  []string{"u: This is one of my snakes, she's four years old. This is Susie.", "a: Lovely."},
			note:  []string{"one of my snakes & Susie"},
			never: []string{"Name: Susie"},
		},
		{
			name: "phrases of a chat without a model show nothing",
			talk: []string{
				"u: Hi there", "builtin/recall: Hello! Ask me about something that you have told me, or tell me what to remember.",
				"u: I'm training for the Berlin marathon, my target is 3:45.", keepsThat, "u: What do you know about me?", keepsThat,
				"u: My boss Karen hates meetings on Fridays.", keepsThat, "u: Actually make that 3:30, I've been getting faster.", keepsThat,
				"u: forget that my boss hates meetings on Fridays", "builtin/forget: Forgotten for good.",
			},
			note: []string{"marathon & 3:45", "make that 3:30"}, lasting: []string{"marathon & [3:30]"}, never: []string{"boss"}, files: []string{"3:45"},
		},
		{
			name: "a value that is denied is that of an earlier statement",
			talk: []string{
				"u: In 2023 I led the redesign of the returns flow, it cut support tickets by 18%.", "a: That's an excellent achievement.",
				"u: I'm doing the CSPO certification, exam is on 12 December.", "a: Good luck!", "u: ok. can you keep it to one page?", "a: Of course.",
				"u: Nice. One thing: it was 2022 not 2023, I mixed that up.", "a: Thanks, I've corrected the year.",
			},
			note: []string{"2022 not 2023"}, files: []string{"2023 I led"},
		},
		{
			name: "fewer guests after all",
			talk: []string{"u: Wir haben ungefähr 70 Gäste.", "a: Schön.", "u: Ach so, es sind doch nur 60 Gäste, die Familie aus Kanada kommt nicht.", "a: OK."},
			note: []string{"70 Gäste", "60 Gäste"}, files: []string{"70"},
		},
		{
			name: "a question to the assistant is no wish",
			talk: []string{"u: Do you have any plans for the rest of the day?", "a: No."}, never: []string{"plans for the rest"},
		},
		{
			name: "a wish and its beginning stay together",
			talk: []string{"u: I've always wanted to learn Spanish, I started last week.", "a: Great."},
			note: []string{"wanted to learn Spanish & started last week [week of 2026-03-02]"}, never: []string{"Always wants"},
		},
		{
			name: "what is said of the assistant is not the user's",
			talk: []string{"a: I study economics.", "u: Sounds fascinating that you study economics!", "a: It is."}, files: []string{"economics"},
		},
		{
			name: "what a pasted e-mail says of its writer is not the user's",
			talk: []string{
				"u: Can you answer this mail for me?\n\nHi Anna,\n\nmy name is Bert Klein and I am allergic to walnuts. I live in Ulm.\n\nBest regards\nBert",
				"a: Sure.",
			},
			never: []string{"walnuts", "Ulm", "Name: Bert"},
		},
		{
			name:    "a correction replaces the value and leaves the rest",
			talk:    []string{"u: I've got asthma and I take 20 mg of prednisone every morning.", "a: Fine.", "u: Sorry, I meant 10 mg, not 20.", "a: Noted."},
			note:    []string{"take 20 mg", "I meant 10"},
			lasting: []string{"take [10] mg of prednisone"},
			files:   []string{"take 20"},
		},
		{
			name:   "what is forgotten is in no file",
			before: "# Memory\n\n## Facts\n\n- \"I'm planning a move to Lisbon next year.\"\n- \"I have a dog.\"\n",
			talk:   []string{"u: Forget what I said about Lisbon, that's off.", "a: Done."}, files: []string{"move to Lisbon"}, lasting: []string{"I have a dog"},
		},
		{
			name: "an answer keeps its question",
			talk: []string{"a: How many days a week can you run?", "u: Four.", "a: Good."}, note: []string{"How many days a week & Four"},
		},
		{
			name: "people of a group are named",
			talk: []string{"Jonas: I'm allergic to nuts.", "a: Noted.", "Mia: I'm vegetarian and I love hiking.", "a: Fine."},
			note: []string{"Jonas: & nuts", "Mia: & vegetarian"},
		},
		{
			name: "facts that a template proves",
			talk: []string{"u: Hi, my name is Anna. I live in Leeds and I'm allergic to peanuts.", "a: Hello Anna."},
			note: []string{"allergic to peanuts"}, lasting: []string{"Name: Anna", "allergic to peanuts", "Leeds"},
		},
		{
			name: "a peanut allergy survives beside a decision",
			talk: []string{
				"u: Help me plan the class trip. One kid has a peanut allergy, my son Tim actually, so no nuts at all.", "a: OK. One bus or two?",
				"u: We decided to split it, two buses.", "a: Good.",
			},
			note: []string{"Tim & allergy", "split it"}, lasting: []string{"peanut allergy & Tim"},
		},
		{name: "German", talk: []string{"u: Ich heiße Jürgen. Ich bin gegen Erdnüsse allergisch.", "a: Hallo Jürgen."}, lasting: []string{"Name: Jürgen", "Erdnüsse"}},
		{name: "Chinese", talk: []string{"u: 我叫小明，我对花生过敏。", "a: 你好。"}, lasting: []string{"Name: 小明", "花生过敏"}},
		{name: "irony", talk: []string{"u: Oh great, another Monday, just what I needed.", "a: :)"}, files: []string{"Monday"}},
		{name: "shouted irony", talk: []string{"u: and I just ADORE sleeping on an air mattress.", "a: :)"}, never: []string{"air mattress"}},
		{
			name: "a wish for this time is no standing one", talk: []string{"u: I prefer it without bullet points this time.", "a: OK."},
			files: []string{"bullet points"},
		},
		{
			name: "a request to forget leaves nothing, with its reason", never: []string{"wedding"},
			talk: []string{"u: The wedding is on 4 June in Graz.", "a: OK.", "u: Forget what I said about the wedding, we're keeping it secret for now."},
		},
		{
			name: "a request to forget leaves what else it says", note: []string{"moving to Galway"},
			talk: []string{"u: I want to learn the cello.", "a: OK.", "u: Forget what I said about the cello, I'm moving to Galway in May."},
		},
		{
			name: "a correction by another speaker is marked", note: []string{"Ann: & 700", "Ben: & later & 800"},
			talk: []string{"Ann: The budget is 700 each.", "a: OK.", "Ben: Make that 800."},
		},
		{name: "a hypothesis", talk: []string{"u: If I lived in Paris I would eat croissants every day.", "a: :)"}, never: []string{"Paris"}},
		{name: "a remembered request", talk: []string{"u: Please remember that the spare key is with Frau Lenz on the second floor.", "a: OK."}, lasting: []string{"Frau Lenz"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := said(c.talk...)
			in.Memory = c.before
			p := propose(in)
			kept := corpus.KeptOf(in, p)
			has := func(lines []string, want string) bool {
				var words []string
				for w := range strings.SplitSeq(want, "&") {
					words = append(words, strings.TrimSpace(w))
				}
				return slices.ContainsFunc(lines, func(l string) bool { return corpus.Has(l, words) })
			}
			for _, w := range c.note {
				if !has(kept.Daily, w) {
					t.Errorf("the note lacks %q", w)
				}
			}
			for _, w := range c.lasting {
				if !has(kept.Files, w) {
					t.Errorf("the files lack %q", w)
				}
			}
			for _, w := range c.files {
				if has(kept.Files, w) {
					t.Errorf("the files have %q", w)
				}
			}
			for _, w := range c.never {
				if has(slices.Concat(kept.Files, kept.Daily), w) {
					t.Errorf("%q is kept", w)
				}
			}
			if t.Failed() {
				t.Logf("note:\n%s\nprofile:\n%s\nmemory:\n%s", p.DailyEntry, p.ProfileUpdate, p.MemoryUpdate)
			}
		})
	}
}

func TestKindOf(t *testing.T) {
	for text, want := range map[string]kind{
		"My mum's birthday is on 3 December, I need a present.": kindPerson,
		"My wife’s name is Anna.":                               kindPerson,
		"It's my birthday on 3 December.":                       kindIdentity,
	} {
		u := unit{text: text, lang: "en", marks: cue.Find(text, "en")}
		u.set = u.marks.Set()
		if got := u.kindOf(); got != want {
			t.Errorf("%q is of kind %s", text, got)
		}
	}
}

// Each message is read in the language of its request to remember, however short it is.
func TestRememberInAnotherLanguage(t *testing.T) {
	for _, talk := range [][]string{
		{"u: Bitte merk dir, dass ich am 3. Mai in Zürich wohne.", "a: Alles klar.", "u: Remember that my cat is called Möhre.", "a: Noted."},
		{"u: I live in Leeds and work at the library there.", "a: OK.", "u: Merk dir, dass meine Katze Möhre heißt.", "a: OK."},
		{"u: Please remember that I live in Leeds.", "a: OK.", "u: Souviens-toi que mon chat s'appelle Möhre.", "a: OK."},
	} {
		if p := propose(said(talk...)); !strings.Contains(p.MemoryUpdate, "Möhre") {
			t.Errorf("%q: %s", talk, p.MemoryUpdate)
		}
	}
}

// What is left out because of its form is counted in the reason, and what stands for a file says nothing.
func TestReasonNamesWhatIsLeftOut(t *testing.T) {
	for _, text := range []string{
		"Please remember: my locker is number 12, sticker <img src=x onerror=alert(1)>.", "Remember that my wifi password is tulip4711.",
	} {
		p := propose(said("u: "+text, "a: OK."))
		if p.ShouldUpdate || !strings.Contains(p.Reason, "left out because of active HTML, an attack or a secret: 1") {
			t.Errorf("%q: %+v", text, p)
		}
	}
	if p := propose(said("u: [attachment: plan.pdf]", "a: OK.")); p.ShouldUpdate || strings.Contains(p.Reason, "left out") {
		t.Errorf("%+v", p)
	}
}

// Old messages neither replace nor take back what was said after them; they are noted.
func TestOldMessagesAndNewerLines(t *testing.T) {
	for _, c := range []struct{ said, profile, memory string }{
		{"I live in Munich.", "- Home: Berlin", ""},
		{"I moved to Munich last month.", "- Home: Berlin", ""},
		{"I'm Anna.", "- Name: Grace", ""},
		{"We sold the Yaris, I'm cycling everywhere now.", "", "- \"I bought a Toyota Yaris.\""},
		{"Ich wohne jetzt in Köln.", "- Home: Bonn", ""},
		{"我搬到上海了。", "- Home: 杭州", ""},
	} {
		in := said("u: "+c.said, "a: OK.")
		in.Profile, in.Memory = "# Profile\n\n## Identity\n\n"+c.profile+"\n", "# Memory\n\n## Facts\n\n"+c.memory+"\n- Xyz abc\n"
		before := propose(in)
		in.Newer = []string{strings.TrimPrefix(c.profile, "- "), strings.TrimPrefix(c.memory, "- ")}
		p := propose(in)
		if before.ProfileUpdate+before.MemoryUpdate == "" {
			t.Errorf("%q changes nothing in any case", c.said)
		}
		if p.ProfileUpdate+p.MemoryUpdate != "" || !strings.Contains(p.DailyEntry, c.said[:len(c.said)-3]) {
			t.Errorf("%q: %s%s\n%s", c.said, p.ProfileUpdate, p.MemoryUpdate, p.DailyEntry)
		}
	}
}

// Of a line only the sentence or clause goes that is taken back.
func TestOtherSentencesOfALineStay(t *testing.T) {
	for _, c := range []struct{ line, said, stays, gone string }{
		{"I live in Munich. My son Max is allergic to penicillin.", "I moved to Berlin.", "My son Max is allergic to penicillin.", ""}, // the worker takes it back
		{"I live in Munich. We decided to use Postgres.", "I moved to Berlin.", "We decided to use Postgres.", "Munich"},
		{"Je travaille chez Airbus et j'habite à Toulouse.", "J'ai déménagé à Lyon.", "Je travaille chez Airbus", "Toulouse"},
		{"Ich wohne in Köln. Meine Tochter hat Asthma.", "Ich bin nach Bonn gezogen.", "Meine Tochter hat Asthma.", ""},
		{"I want to learn the cello. My sister plays the harp.", "Forget the cello, I'm not doing it.", "My sister plays the harp.", "cello"},
	} {
		in := said("u: "+c.said, "a: OK.")
		in.Profile = "# Profile\n\n## Identity\n\n- \"" + c.line + "\"\n- Xyz abc\n"
		p := propose(in)
		files := p.ProfileUpdate + p.MemoryUpdate
		if !strings.Contains(files, c.stays) || c.gone != "" && strings.Contains(files, c.gone) {
			t.Errorf("%q: %s", c.said, files)
		}
		checkAgain(t, in, p)
	}
}
