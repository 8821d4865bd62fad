package grounding_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// mutant is a proposed line that claims something that was not said.
type mutant struct{ operator, id, base, text string }

// wanted is the number of mutants of the test.
const wanted = 1000

var (
	digits  = regexp.MustCompile(`\d+(?:[.,]\d+)*`)
	isoDate = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)
	quoted  = regexp.MustCompile(`["“«「]([^"”»」]+)["”»」]`)
)

// invented are names, numbers and quotations that no conversation has.
var (
	inventedNames = map[string][]string{
		"zh": {"王建国", "刘晓燕", "陈志强"}, "ja": {"ハルカ", "ケンジ", "マリコ"}, "ko": {"영희", "민수", "상철"}, "ru": {"Геннадий", "Людмила", "Фёдор"},
		"ar": {"زياد", "سميرة", "عدنان"}, "": {"Waldemar", "Ottilie", "Zbigniew"},
	}
	inventedNumbers = map[string]string{
		"en": "%s for %d years", "zh": "%s，已经%d年", "de": "%s, seit %d Jahren", "es": "%s, desde hace %d años", "fr": "%s, depuis %d ans",
		"pt": "%s, há %d anos", "it": "%s, da %d anni", "ja": "%s（%d年間）", "ko": "%s (%d년 동안)", "vi": "%s, đã %d năm", "ru": "%s, уже %d лет", "ar": "%s منذ %d سنة",
	}
	inventedPersons = map[string]string{
		"en": "%s with %s", "zh": "%s，和%s一起", "de": "%s, zusammen mit %s", "es": "%s, con %s", "fr": "%s, avec %s", "pt": "%s, com %s",
		"it": "%s, con %s", "ja": "%s（%sと一緒）", "ko": "%s (%s 씨와 함께)", "vi": "%s, cùng với %s", "ru": "%s, вместе с другом по имени %s", "ar": "%s مع صديق اسمه %s",
	}
)

func languageOf(id string) string { return id[:2] }

// mutants applies every operator to the faithful lines.
func mutants(t *testing.T) []mutant {
	t.Helper()
	list, names := lines(t, "testdata/lines.tsv")
	r := rand.New(rand.NewPCG(13, 5))
	var out []mutant
	base := ""
	all := conversations(t)
	add := func(l written, operator, text string) {
		if text != l.text {
			out = append(out, mutant{operator, l.id, l.text, text})
		}
	}
	for _, l := range list {
		if l.kind != "=" {
			out = append(out, mutant{map[string]string{"neg": "negation flipped", "who": "person swapped"}[l.kind], l.id, base, l.text})
			continue
		}
		base = l.text
		bare := strings.TrimRight(strings.TrimPrefix(l.text, "- "), ".。 ")
		lang := languageOf(l.id)
		if !nativeLine(l.text, lang) {
			lang = "en"
		}
		for range 2 {
			add(l, "number invented", "- "+fmt.Sprintf(inventedNumbers[lang], bare, 31+r.IntN(900)))
			pool := inventedNames[lang]
			if pool == nil {
				pool = inventedNames[""]
			}
			name := pool[r.IntN(len(pool))]
			if lang != "en" || languageOf(l.id) == "en" || inventedNames[languageOf(l.id)] == nil { // the same script as the messages
				add(l, "name invented", "- "+fmt.Sprintf(inventedPersons[lang], bare, name))
			}
		}
		dates := isoDate.FindAllStringIndex(l.text, -1)
		for range 3 {
			for _, at := range dates {
				day, err := time.Parse(time.DateOnly, l.text[at[0]:at[1]])
				if err != nil {
					t.Fatal(err)
				}
				shift := 1 + r.IntN(40)
				if r.IntN(2) == 0 {
					shift = -shift
				}
				add(l, "date changed", l.text[:at[0]]+day.AddDate(0, 0, shift).Format(time.DateOnly)+l.text[at[1]:])
			}
		}
		for _, at := range digits.FindAllStringIndex(l.text, -1) {
			if slices.ContainsFunc(dates, func(d []int) bool { return d[0] <= at[0] && at[0] < d[1] }) {
				continue
			}
			for range 3 {
				add(l, "digits changed", l.text[:at[0]]+changed(r, l.text[at[0]:at[1]])+l.text[at[1]:])
			}
		}
		for _, at := range quoted.FindAllStringSubmatchIndex(l.text, -1) {
			words := strings.Fields(l.text[at[2]:at[3]])
			for i := range words {
				other := slices.Clone(words)
				other[i] = "plum"
				add(l, "quotation changed", l.text[:at[2]]+strings.Join(other, " ")+l.text[at[3]:])
			}
		}
		for _, name := range names[l.id] {
			if !strings.Contains(l.text, name) {
				continue
			}
			for _, other := range names[l.id] {
				if other != name && !strings.Contains(l.text, other) {
					add(l, "names swapped", strings.ReplaceAll(l.text, name, other))
				}
			}
		}
	}
	// Sentences of the users, changed in the same ways, fill up the number.
	for _, id := range slices.Sorted(maps.Keys(all)) {
		for _, m := range all[id].Messages {
			if m.Role != "user" || len(m.Text) > 400 || strings.Contains(m.Text, "\n") {
				continue
			}
			said := written{id, "=", "- \"" + m.Text + "\""}
			plain := written{id, "=", "- " + m.Text}
			for _, at := range digits.FindAllStringIndex(plain.text, -1) {
				add(plain, "digits changed", plain.text[:at[0]]+changed(r, plain.text[at[0]:at[1]])+plain.text[at[1]:])
			}
			words := strings.Fields(m.Text)
			if len(words) > 3 {
				words[len(words)/2] = "plum"
				add(said, "quotation changed", "- \""+strings.Join(words, " ")+"\"")
			}
		}
	}
	return out
}

// nativeLine reports whether a line is in the language of its conversation, as its letters and the first words show.
func nativeLine(text, lang string) bool {
	english := regexp.MustCompile(`(?i)\b(the|is|was|and|with|has|on|at|of|for|her|their|since|said)\b`).FindAllString(text, -1)
	switch lang {
	case "zh", "ja", "ko", "ru", "ar":
		letters := regexp.MustCompile(`[a-zA-Z]`).FindAllString(text, -1)
		return len(letters)*2 < len([]rune(text))
	case "en":
		return true
	}
	return len(english) < 2
}

// changed returns a number with other digits.
func changed(r *rand.Rand, number string) string {
	for {
		out := []byte(number)
		i := r.IntN(len(out))
		if out[i] < '0' || out[i] > '9' {
			continue
		}
		d := byte('0' + r.IntN(10))
		if i == 0 && d == '0' || d == out[i] {
			continue
		}
		out[i] = d
		return string(out)
	}
}

func TestMutantsAreCaught(t *testing.T) {
	all := mutants(t)
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	g := grounds(t)
	made, caught := map[string]int{}, map[string]int{}
	total, found := 0, 0
	if len(all) < wanted {
		t.Errorf("%d mutants, want %d", len(all), wanted)
	}
	// Rare operators first, so that the sample has all of them.
	slices.SortStableFunc(all, func(a, b mutant) int { return rarity[a.operator] - rarity[b.operator] })
	for _, m := range all[:min(len(all), wanted)] {
		made[m.operator]++
		total++
		if len(g[m.id].Check(m.text)) > 0 {
			caught[m.operator]++
			found++
		} else {
			t.Logf("missed, %s: %s: %s", m.operator, m.id, m.text)
		}
	}
	for _, operator := range slices.Sorted(maps.Keys(made)) {
		t.Logf("%-18s %4d of %4d caught, %.1f %%", operator, caught[operator], made[operator], 100*float64(caught[operator])/float64(made[operator]))
	}
	t.Logf("%d of %d mutants caught", found, total)
	if share := float64(found) / float64(total); share < .99 {
		t.Errorf("%.1f %% of the mutants are caught, want 99 %%", 100*share)
	}
}

// rarity orders the operators by how few mutants they make.
var rarity = map[string]int{
	"negation flipped": 0, "person swapped": 0, "names swapped": 0, "date changed": 0, "name invented": 1, "number invented": 1, "quotation changed": 1,
	"digits changed": 1,
}
