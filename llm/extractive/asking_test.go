package extractive

import (
	"strings"
	"testing"
)

// A statement before a question in the same sentence is kept in the files, in the speaker's own words and without the question.
func TestStatementsBeforeQuestions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"I'm allergic to hazelnuts, do you have a recipe for a cake?":                                `"I'm allergic to hazelnuts"`,
		"My daughter Lena is allergic to kiwi, what snacks can I give her?":                          `"My daughter Lena is allergic to kiwi"`,
		"Hi, I'm vegan and I live in Leeds, what restaurants do you recommend for Tom, Ann and Bob?": `"I'm vegan and I live in Leeds"`,
		"My wife is pregnant with twins and allergic to fish, can she eat sushi?":                    `"My wife is pregnant with twins and allergic to fish"`,
		"I live in Graz, if I move to Wien, do I need a new doctor?":                                 "Home: Graz",
		"Soy celíaco y vivo en Murcia, ¿qué panadería me recomiendas?":                               `"Soy celíaco y vivo en Murcia"`,
		"Tengo dos hijos, Ana y Luis, ¿qué regalo les compro?":                                       `"Tengo dos hijos, Ana y Luis"`,
		"我对花生过敏,有什么零食可以吃?":                                                                           `"我对花生过敏"`,
		"我叫林晓,对海鲜过敏,这个月底要离职,怎么跟HR说?":                                                                 "我叫林晓,对海鲜过敏",
		"Je suis allergique au lactose, tu connais une bonne crème dessert ?":                        `"Je suis allergique au lactose"`,
		"J'habite à Nantes, tu as une idée de balade ?":                                              "Home: Nantes",
		"Ich bin allergisch gegen Haselnüsse, hast du ein Rezept?":                                   `"Ich bin allergisch gegen Haselnüsse"`,
		"Sono allergica alle noci, che dolce mi consigli?":                                           `"Sono allergica alle noci"`,
		"Sou alérgico a amendoim, que lanche você recomenda?":                                        `"Sou alérgico a amendoim"`,
		"У меня аллергия на орехи, какой торт можно испечь?":                                         `"У меня аллергия на орехи"`,
		"لدي حساسية من الفول السوداني، ماذا يمكنني أن آكل؟":                                          `"لدي حساسية من الفول السوداني"`,
		"Tôi bị dị ứng với tôm, bạn có công thức nào không?":                                         `"Tôi bị dị ứng với tôm"`,
		"私はエビアレルギーなんですが、おすすめの料理はありますか？":                                                              `"私はエビアレルギーなんですが"`,
		"저는 땅콩 알레르기가 있는데, 추천할 간식 있어요?":                                                               `"저는 땅콩 알레르기가 있는데"`,
	} {
		p := propose(said("u: "+text, "a: OK."))
		if files := p.ProfileUpdate + p.MemoryUpdate; !strings.Contains(files, want) {
			t.Errorf("%q: the files have no %s: %s", text, want, files)
		}
	}
}

// What is asked, supposed, doubted or to be confirmed is not a statement.
func TestQuestionsAreNoStatements(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Is my brother allergic to shellfish?", "Am I allergic to nuts, and should I avoid them?", "I live in Bonn, is that right?",
		"I'm allergic to nuts, aren't I?", "I'm allergic to nuts, am I not?", "I'm allergic to nuts, right?", "My brother is allergic to shellfish, isn't he?",
		"I might be allergic to nuts, what do you think?", "If I'm allergic to nuts, can I eat almonds?", "I'm allergic to nuts, isn't that what I said?",
		"I'm allergic to nuts, or do you think that's a myth?", "I have a question about my allergies, can you help?",
		"Do I live in Graz, do you know?", "\"I'm allergic to nuts\", what does that mean in French?",
		"Ich bin allergisch gegen Nüsse, oder?", "Ich wohne in Jena, stimmt das so?", "Bin ich allergisch gegen Nüsse, was meinst du?",
		"Hallo, bin ich allergisch gegen Nüsse, was meinst du?", "Have I got a nut allergy, what did the doctor say?",
		"¿Soy celíaco, qué dijo el médico?", "Vivo en Murcia, ¿verdad que sí?", "Suis-je allergique aux noix, que puis-je manger ?",
		"J'habite à Nantes, c'est bien vrai ?", "Sono allergica alle noci, o mi sbaglio io?", "Eu moro em Recife, correto ou não?",
		"У меня аллергия на орехи, правда ведь?", "Есть ли у меня аллергия на орехи, ты знаешь?", "我是不是对花生过敏，有什么可以吃？",
		"我对花生过敏吗，有什么可以吃的吗？", "我对花生过敏，对不对呀？", "私はエビアレルギーですか、どう思いますか？", "私はエビアレルギーです、合っていますか？",
		"저는 땅콩 알레르기가 있나요, 어떻게 생각해요?", "저는 땅콩 알레르기가 있는데, 맞죠?", "Tôi có bị dị ứng với tôm không, bạn có biết không?",
	} {
		p := propose(said("u: "+text, "a: OK."))
		if files := p.ProfileUpdate + p.MemoryUpdate; files != "" {
			t.Errorf("%q reaches the files: %s", text, files)
		}
	}
}
