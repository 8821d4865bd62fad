package extractive

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/transcripts"
)

// groupOf returns a transcript of messages "name: text".
func groupOf(t *testing.T, messages ...string) proposals.ExtractionInput {
	t.Helper()
	in := proposals.ExtractionInput{Agent: "Ada", Today: time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC), ProfileMaxChars: 4000, MemoryMaxChars: 8000}
	for i, m := range messages {
		name, text, found := strings.Cut(m, "|")
		if !found {
			t.Fatal(m)
		}
		in.Transcript = append(in.Transcript, transcripts.Line{
			Seq: int64(i + 1), Role: memory.RoleOfUser, Name: name, Text: text, At: in.Today.Add(time.Duration(i) * time.Minute),
		})
	}
	return in
}

// In a group, each statement is kept with the name of the person who made it, and passes the guard.
func TestStatementsOfGroupsHaveTheirSpeaker(t *testing.T) {
	for _, c := range []struct {
		messages []string
		want     []string // of PROFILE.md
	}{
		{
			[]string{
				"Alice <feishu:ou_1>|I live in Lisbon and I work as a nurse.", "Bob <feishu:ou_2>|I live in Porto. I'm vegetarian.",
				"Carla <feishu:ou_3>|I live in Madrid and my dog is called Rolo.",
			},
			[]string{`- Alice: "I live in Lisbon and I work as a nurse."`, `- Bob: "I live in Porto. I'm vegetarian."`, `- Carla: "I live in Madrid`},
		},
		{[]string{"Alice|I live in Lisbon.", "Bob|I live in Porto."}, []string{`- Alice: "I live in Lisbon."`, `- Bob: "I live in Porto."`}},
		{[]string{"Bob <feishu:ou_2>|I live in Porto. I work as a cook."}, []string{`- Bob: "I live in Porto. I work as a cook."`}},
		{[]string{"feishu:ou_1|I live in Porto.", "feishu:ou_2|I live in Braga."}, []string{`"I live in Porto."`, `"I live in Braga."`}},
		{
			[]string{"Anna <feishu:ou_1>|Ich wohne in Trier.", "Jonas <feishu:ou_2>|Ich wohne in Kiel und bin Tischler."},
			[]string{`- Anna: "Ich wohne in Trier."`, `- Jonas: "Ich wohne in Kiel und bin Tischler."`},
		},
		{[]string{"小李 <feishu:ou_1>|我住在成都。", "小王 <feishu:ou_2>|我住在北京，我是老师。"}, []string{`- 小李: "我住在成都。"`, `- 小王: "我住在北京，我是老师。"`}},
	} {
		in := groupOf(t, c.messages...)
		p, dropped := proposals.Ground(proposeRaw(t, in), in)
		for _, want := range c.want {
			if !strings.Contains(p.ProfileUpdate, want) {
				t.Errorf("%q: no %s in\n%s\nnote\n%s", c.messages, want, p.ProfileUpdate, p.DailyEntry)
			}
		}
		if len(dropped) > 0 || strings.Contains(p.ProfileUpdate, "Home:") || strings.Contains(p.ProfileUpdate, "Work:") {
			t.Errorf("%q: dropped %+v\n%s", c.messages, dropped, p.ProfileUpdate)
		}
	}
}

// What one member of a group says neither takes back nor repeats what another has said.
func TestMembersOfAGroupKeepTheirStatements(t *testing.T) {
	for _, c := range []struct {
		said       []string
		stay, come []string
	}{
		{
			[]string{"Bob|I live in Porto now.", "Ann|Nice!"},
			[]string{`- Ann: "I live in Lisbon."`, `- Carl: "I have been living in Nice."`},
			[]string{`- Bob: "I live in Porto now."`},
		},
		{
			[]string{"Bob <x:1>|I moved to Porto last week.", "Ann <x:2>|Nice!"},
			[]string{`- Ann: "I live in Lisbon."`, `- Carl: "I have been living in Nice."`},
			[]string{`- Bob: "I moved to Porto last week`},
		},
		{
			[]string{"Bob|I'm allergic to peanuts and I hate jazz.", "Ann|Me too."},
			[]string{`- Ann: "I'm allergic to peanuts and I hate jazz."`},
			[]string{`- Bob: "I'm allergic to peanuts and I hate jazz."`},
		},
		{
			[]string{"Dan|I have two cats called Tom and Jerry.", "Eve|I have two cats called Tom and Jerry."},
			nil,
			[]string{`- Dan: "I have two cats called Tom and Jerry."`, `- Eve: "I have two cats called Tom and Jerry."`},
		},
	} {
		in := groupOf(t, c.said...)
		in.Profile = "# Profile\n\n## Identity\n\n- Ann: \"I live in Lisbon.\"\n- Bob: \"I live in Rome.\"\n- Carl: \"I have been living in Nice.\"\n" +
			"- Ann: \"I'm allergic to peanuts and I hate jazz.\"\n"
		p, dropped := proposals.Ground(proposeRaw(t, in), in)
		files := cmp.Or(p.ProfileUpdate, in.Profile) + p.MemoryUpdate
		for _, line := range append(c.stay, c.come...) {
			if !strings.Contains(files, line) {
				t.Errorf("%q: no %s in\n%s\n%+v", c.said, line, files, dropped)
			}
		}
		for _, line := range c.come {
			if !strings.Contains(p.DailyEntry, line) {
				t.Errorf("%q: no %s in the note\n%s", c.said, line, p.DailyEntry)
			}
		}
		if strings.Contains(strings.Join(c.come, ""), "Porto") && strings.Contains(p.ProfileUpdate, "Rome") {
			t.Errorf("%q: the old home stays\n%s", c.said, p.ProfileUpdate)
		}
	}
}

// When one person of a group speaks alone, the statements have their name: the files quote others by theirs.
func TestOneOfAGroupSpeaks(t *testing.T) {
	for profile, want := range map[string]string{
		"- Ann: \"I live in Lisbon.\"": `- Bob: "I live in Porto now."`,
		"- Name: Bob":                  "- Home: Porto",
		`- "I like tea."`:              "- Home: Porto",
	} {
		in := groupOf(t, "Bob|I live in Porto now.")
		in.Profile = "# Profile\n\n## Identity\n\n" + profile + "\n"
		if p := proposeRaw(t, in); !strings.Contains(p.ProfileUpdate, want) || !strings.Contains(p.ProfileUpdate, profile) {
			t.Errorf("beside %q:\n%s", profile, p.ProfileUpdate)
		}
	}
}

// Anyone who moves has a new home in the profile, whatever the language, and the guard lets it pass; a home of somebody else is none.
func TestHomesAreBroughtUpToDate(t *testing.T) {
	for said, want := range map[string]string{
		"Me mudé a Granada.": "Home: Granada", "Ahora vivo en Cusco.": "Home: Cusco", "Mi sono trasferito a Modena.": "Home: Modena",
		"J'habite à Lyon.": "Home: Lyon", "I live in Cusco now.": "Home: Cusco", "Ich wohne jetzt in Kiel.": "Home: Kiel", "我住在成都。": "Home: 成都",
	} {
		in := groupOf(t, "|"+said)
		in.Profile = "# Profile\n\n## Identity\n\n- Home: Sevilla\n"
		p, dropped := proposals.Ground(proposeRaw(t, in), in)
		if !strings.Contains(p.ProfileUpdate, want) || strings.Contains(p.ProfileUpdate, "Sevilla") {
			t.Errorf("%q: %+v\n%s", said, dropped, p.ProfileUpdate)
		}
	}
	in := groupOf(t, "|My brother lives in Porto. I work in Lyon.")
	in.Profile = "# Profile\n\n## Identity\n\n- Home: Sevilla\n"
	update := strings.Replace(in.Profile, "Sevilla", "Porto", 1)
	if p, _ := proposals.Ground(proposals.Proposal{ShouldUpdate: true, ProfileUpdate: update}, in); p.ProfileUpdate != "" {
		t.Errorf("a brother's home is the user's:\n%s", p.ProfileUpdate)
	}
}

// A name of somebody else does not replace the user's.
func TestNamesOfPetsAreNoNamesOfTheUser(t *testing.T) {
	for profile, said := range map[string]string{
		"- Name: Laura": "We now have a cat named Waffle.", "- Name: Jonas": "Wir haben jetzt einen Hund namens Bello.",
		"- Name: Peter": "We now have a dog named Rex.", "- Name: Luis": "Ahora tenemos un gato que se llama Milo.", "- Name: 王芳": "我们现在养了一只猫，叫咪咪。",
	} {
		in := groupOf(t, "|"+said)
		in.Profile = "# Profile\n\n## Identity\n\n" + profile + "\n"
		if p := proposeRaw(t, in); p.ProfileUpdate != "" && !strings.Contains(p.ProfileUpdate, profile) {
			t.Errorf("%q replaces %q:\n%s", said, profile, p.ProfileUpdate)
		}
	}
	for said, left := range map[string]bool{
		"My name is Lara now.": false, "I'm not called Laura any more.": false, "Laura is a nice name.": true,
	} {
		in := groupOf(t, "|"+said)
		in.Profile = "# Profile\n\n## Identity\n\n- Name: Laura\n"
		p := proposeRaw(t, in)
		if (p.ProfileUpdate == "" || strings.Contains(p.ProfileUpdate, "Name: Laura")) != left {
			t.Errorf("%q:\n%s", said, p.ProfileUpdate)
		}
	}
}
