package conflict

import "testing"

// Homes, employers, names and ages are read in French and Spanish, Chinese key lines like sentences, and what holds only part of the time
// excludes nothing.
func TestPersonsInOtherLanguages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		older, newer string
		want         bool
	}{
		{"J'habite à Lyon.", "J'habite à Paris.", true},
		{"J’habite à Lyon avec ma fille", "Je vis maintenant à Paris", true},
		{"J'habite à Lyon.", "J'ai déménagé à Paris.", true},
		{"J'habite à Lyon.", "Lives in Paris.", true},
		{"Je travaille chez Renault.", "Je travaille chez Airbus depuis mars.", true},
		{"Je m'appelle Claire Dubois.", "Mon nom est Julie Martin.", true},
		{"J'ai 34 ans.", "J'ai 36 ans.", true},
		{"Mon père habite à Lyon.", "Mon père habite à Nice.", true},
		{"Vivo en Sevilla.", "Vivo en Madrid.", true},
		{"Vivo en Sevilla con mi familia.", "Me mudé a Bilbao.", true},
		{"Trabajo en Siemens.", "Trabajo para Bosch.", true},
		{"Me llamo Ana López.", "Mi nombre es Eva Ruiz.", true},
		{"Tengo 34 años.", "Tengo 40 años.", true},
		{"**住址**: 上海", "我住在北京。", true},
		{"**居住地**：上海", "用户住在北京", true},
		{"**城市**: 上海", "我住在北京。", true},
		{"**姓名**: 王伟", "我叫李伟。", true},
		{"**名字**: 王伟", "我的名字是李伟", true},

		{"J'habite à Lyon.", "J'habite à Lyon avec ma fille.", false},
		{"J'habite à Lyon.", "Mon père habite à Paris.", false},
		{"J'habite à Lyon.", "Ma sœur habite à Paris.", false},
		{"Ma sœur habite à Lyon.", "Ma sœur habite à Paris.", false},
		{"J'habite à Lyon.", "J'habitais à Paris.", false},
		{"J'habite à Lyon.", "Je voudrais habiter à Paris.", false},
		{"J'habite à Lyon en semaine.", "J'habite à Paris le week-end.", false},
		{"J'habite à Lyon.", "J'habite en France.", false},
		{"Je travaille chez Renault.", "J'habite à Paris.", false},
		{"J'ai 2 chats.", "J'ai 34 ans.", false},
		{"Vivo en Sevilla.", "Vivía en Madrid.", false},
		{"Vivo en Sevilla.", "Quiero vivir en Madrid.", false},
		{"Vivo en Sevilla.", "Vivo en España.", false},
		{"Vivo en Sevilla entre semana.", "Vivo en Cádiz los fines de semana.", false},
		{"Trabajo en Siemens.", "Trabajo en Madrid.", false},
		{"Mi hermana se llama Ana.", "Mi hermana se llama Eva.", false},
		{"**住址**: 上海", "我住在上海。", false},
		{"**公司地址**: 上海", "我住在北京。", false},
		{"I live in Hamburg during the week", "I live in Lübeck on weekends", false},
		{"I live in Hamburg.", "I live in Lübeck on weekends.", false},
		{"Unter der Woche wohne ich in Hamburg", "Am Wochenende wohne ich in Lübeck", false},
		{"Ich wohne unter der Woche in Hamburg", "Ich wohne am Wochenende in Lübeck", false},
		{"我平时住在上海", "我周末住在苏州", false},
		{"I live in Hamburg", "I live in Lübeck", true},
	} {
		if _, got := Between(Read(c.older), Read(c.newer)); got != c.want {
			t.Errorf("%s | %s: %v\n%+v\n%+v", c.older, c.newer, got, Read(c.older), Read(c.newer))
		}
	}
}
