package extractive

import (
	"strings"
	"testing"
)

// TestHearsay expects what goes around, what relatives say of others, and the affairs of acquaintances, to be noted for the day and not to be lasting.
func TestHearsay(t *testing.T) {
	for _, text := range []string{
		"my brother says the new boss is a spy lol", "rumor has it that Anna is leaving", "I heard my sister's boyfriend lost his job, apparently.",
		"Mein Bruder sagt, der neue Chef ist ein Spion lol", "Angeblich verlässt meine Kollegin Anna die Firma, man munkelt das zumindest.",
		"Mi hermano dice que el nuevo jefe es un espía jaja", "Dicen que mi prima Ana se va a divorciar.",
		"Mon frère dit que le nouveau chef est un espion mdr", "Il paraît que ma cousine Anna quitte la boîte.",
		"Meu irmão diz que o novo chefe é um espião kkk", "Dizem que minha prima Ana vai sair da empresa.",
		"Mio fratello dice che il nuovo capo è una spia ahah", "Si dice che mia cugina Anna se ne vada.",
		"Брат говорит, что новый начальник шпион, лол", "Ходят слухи, что моя кузина Аня уходит.",
		"أخي يقول إن المدير الجديد جاسوس هههه", "يقولون إن ابنة عمي آنا ستترك العمل.",
		"我哥说新老板是间谍哈哈", "听说我表妹要离婚了。", "兄が新しい上司はスパイだって言ってるw", "噂では、いとこのアンナが辞めるらしいです。",
		"형이 새 상사가 스파이래요 ㅋㅋ", "사촌 언니가 그만둔다는 소문이 있어요.", "Anh trai mình bảo sếp mới là gián điệp haha", "Nghe đồn chị họ mình sắp nghỉ việc.",
		"Mein Nachbar sagt, er verdient 90000 Euro im Jahr.", "Mein Nachbar verdient 90000 Euro im Jahr.", "My neighbour earns 90000 euros a year.",
		"Mon voisin dit qu'il gagne 90000 euros par an.", "Mi vecino gana 90000 euros al año.",
	} {
		p := propose(said("u: "+text, "a: OK."))
		if p.ProfileUpdate+p.MemoryUpdate != "" || !strings.Contains(p.DailyEntry, text) {
			t.Errorf("%q should be in the note only:\n%s%s%s", text, p.ProfileUpdate, p.MemoryUpdate, p.DailyEntry)
		}
	}
	for _, text := range []string{
		"My sister told me she is pregnant!", "Mein Arzt sagt, ich habe Asthma.", "My son Leo said he is allergic to walnuts.",
		"Remember that my brother says the boss is a spy.",
	} {
		if p := propose(said("u: "+text, "a: OK.")); !strings.Contains(p.ProfileUpdate+p.MemoryUpdate, text) {
			t.Errorf("%q should be lasting", text)
		}
	}
}
