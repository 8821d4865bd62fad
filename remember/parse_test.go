package remember

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// requests lists messages and the text that they ask to keep, by language.
var requests = map[string][][2]string{
	"en": {
		{"Remember that I'm allergic to peanuts.", "I'm allergic to peanuts."},
		{"remember that my locker code is 4711", "My locker code is 4711"},
		{"Remember: the staging port is 5434", "The staging port is 5434"},
		{"remember this: my sister's name is Hanna", "My sister's name is Hanna."},
		{"Remember this my dog is called Rex", "My dog is called Rex."},
		{"memo: dentist moved to Friday 9:30", "Dentist moved to Friday 9:30"},
		{"MEMO: Dentist moved to Friday", "Dentist moved to Friday."},
		{"Please remember that we deploy on Thursdays.", "We deploy on Thursdays."},
		{"Can you remember that I prefer tea?", "I prefer tea."},
		{"Could you please remember that my flight leaves at 7:40?", "My flight leaves at 7:40"},
		{"Would you please keep in mind that I don't eat pork?", "I don't eat pork."},
		{"Hey Ada, please remember that I live in Lisbon now. Thanks!", "I live in Lisbon now."},
		{"Hi! Remember that my birthday is May 5.", "My birthday is May 5"},
		{"I want you to remember that I hate coriander", "I hate coriander."},
		{"I'd like you to remember my wife's name is Marta.", "My wife's name is Marta."},
		{"I need you to remember: our budget is $2,000", "Our budget is $2,000"},
		{"Keep in mind that the office closes at six.", "The office closes at six."},
		{"Please bear in mind that Bruno is vegetarian", "Bruno is vegetarian."},
		{"Don't forget that my mother arrives on Tuesday.", "My mother arrives on Tuesday."},
		{"don’t forget I'm lactose intolerant", "I'm lactose intolerant."},
		{"Never forget that the release needs two reviews.", "The release needs two reviews."},
		{"Make a note that the garage door code is 8812.", "The garage door code is 8812"},
		{"Take note: invoices go to billing@example.com", "Invoices go to billing@example.com"},
		{"note that I am left-handed", "I am left-handed."},
		{"Save to memory: I drive a Saab.", "I drive a Saab."},
		{"Add this to your memory: my editor is Helix", "My editor is Helix."},
		{"Commit this to memory: Grace is my manager.", "Grace is my manager."},
		{"Memorize that my shoe size is 43.", "My shoe size is 43"},
		{"remember my passport expires in 2031", "My passport expires in 2031"},
		{"Remember I work at Globex.", "I work at Globex."},
		{"remember the wifi network is called Otter", "The wifi network is called Otter."},
		{"By the way, remember that I moved to Oslo.", "I moved to Oslo."},
		{"So remember that iPhone chargers are in the blue box", "iPhone chargers are in the blue box."},
		{"My locker is 12, please remember that.", "My locker is 12"},
		{"I can't stand olives. Remember that.", "I can't stand olives."},
		{"We meet on Mondays at 9 – keep that in mind please", "We meet on Mondays at 9"},
		{"Our cat is called Miso. Could you remember that?", "Our cat is called Miso."},
		{"The build runs on port 8081, don't forget that!", "The build runs on port 8081"},
		{"I take my coffee black; make a note of that", "I take my coffee black."},
		{"Remember this:\n- I like tea\n- My cat is called Miso\n- Port 5434", "I like tea.\nMy cat is called Miso.\nPort 5434"},
		{"Please remember the following:\n1. Anna is my sister\n2. Bob is my boss\n\nThanks!", "Anna is my sister.\nBob is my boss."},
		{"Remember these things about me:\n* vegetarian since 2020\n* Likes hiking\n", "Vegetarian since 2020\nLikes hiking."},
		{"Remember that:\nKids:\n- Anna is 5\n- Mia is 7", "Kids: Anna is 5\nKids: Mia is 7"},
		{"Remember for later: db_port is 5433", "db_port is 5433"},
		{"Remember that you should call me Captain.", "You should call me Captain."},
		{"Please always remember that I speak German and Portuguese.", "I speak German and Portuguese."},
	},
	"zh": {
		{"记住：我对花生过敏", "我对花生过敏。"},
		{"记住:数据库端口是5433", "数据库端口是5433"},
		{"请记住我的生日是5月5日", "我的生日是5月5日。"},
		{"请记住，我不吃香菜。", "我不吃香菜。"},
		{"记一下：周五下午三点开会", "周五下午三点开会。"},
		{"帮我记一下 我的车牌号是沪A12345", "我的车牌号是沪A12345"},
		{"麻烦你记住我住在杭州", "我住在杭州。"},
		{"你要记住我喜欢喝乌龙茶", "我喜欢喝乌龙茶。"},
		{"别忘了我女儿叫小美", "我女儿叫小美。"},
		{"不要忘记我对青霉素过敏！", "我对青霉素过敏。"},
		{"记得我是左撇子", "我是左撇子。"},
		{"备忘：合同到期日是2027年3月1日", "合同到期日是2027年3月1日。"},
		{"牢记：上线必须两个人审核", "上线必须两个人审核。"},
		{"我妻子叫林梅，请记住。", "我妻子叫林梅。"},
		{"我的工位在3楼。记一下", "我的工位在3楼。"},
		{"我们周四发布，别忘了", "我们周四发布。"},
		{"你能记住我喜欢简短的回答吗？", "我喜欢简短的回答。"},
		{"可以帮我记一下我的尺码是42吗？", "我的尺码是42"},
		{"請記住我住在台北", "我住在台北。"},
		{"記住：我不吃牛肉", "我不吃牛肉。"},
		{"好的，请记住项目代号是“海燕”", "项目代号是“海燕”"},
		{"记住以下内容：\n- 我喜欢爬山\n- 我的狗叫旺财", "我喜欢爬山。\n我的狗叫旺财。"},
		{"请记住我是素食者，谢谢！", "我是素食者。"},
		{"另外，记住我妈妈姓陈", "我妈妈姓陈。"},
		{"别让我忘了：护照号是E12345678", "护照号是E12345678"},
	},
	"vi": {
		{"Nhớ rằng tôi dị ứng với đậu phộng.", "Tôi dị ứng với đậu phộng."},
		{"Hãy nhớ rằng sinh nhật tôi là ngày 5 tháng 5", "Sinh nhật tôi là ngày 5 tháng 5"},
		{"hãy nhớ là mình không ăn cay nhé", "Mình không ăn cay."},
		{"Ghi nhớ: cổng cơ sở dữ liệu là 5433", "Cổng cơ sở dữ liệu là 5433"},
		{"Nhớ giúp mình: con gái mình tên Mai", "Con gái mình tên Mai."},
		{"Bạn hãy nhớ rằng tôi sống ở Đà Nẵng, cảm ơn bạn", "Tôi sống ở Đà Nẵng."},
		{"Đừng quên rằng tôi thích trà xanh", "Tôi thích trà xanh."},
		{"Xin hãy ghi nhớ rằng vợ tôi tên là Lan.", "Vợ tôi tên là Lan."},
		{"Lưu ý: cuộc họp dời sang thứ Năm", "Cuộc họp dời sang thứ Năm."},
		{"Bạn có thể nhớ rằng tôi ăn chay được không?", "Tôi ăn chay."},
		{"Tôi không uống cà phê, hãy nhớ điều đó.", "Tôi không uống cà phê."},
		{"Mật khẩu phòng họp là 4711, ghi nhớ giúp tôi nhé", "Mật khẩu phòng họp là 4711"},
		{"Mình tên là Hùng. Nhớ nhé!", "Mình tên là Hùng."},
		{"hay nho rang toi thich tra", "Toi thich tra."},
		{"Ghi lại: xe đạp của tôi màu đỏ", "Xe đạp của tôi màu đỏ."},
		{"Ghi nhớ những điều sau:\n- Tôi thích phở\n- Tôi ở Huế", "Tôi thích phở.\nTôi ở Huế."},
	},
	"es": {
		{"Recuerda que soy alérgico a los cacahuetes.", "Soy alérgico a los cacahuetes."},
		{"Por favor, recuerda que vivo en Lisboa", "Vivo en Lisboa."},
		{"recuerda: el puerto es 5434", "El puerto es 5434"},
		{"Recuerda esto: mi hermana se llama Ana", "Mi hermana se llama Ana."},
		{"¿Puedes recordar que prefiero el té?", "Prefiero el té."},
		{"Quiero que recuerdes que trabajo en Globex.", "Trabajo en Globex."},
		{"Ten en cuenta que no como carne", "No como carne."},
		{"No olvides que mi madre llega el martes.", "Mi madre llega el martes."},
		{"No te olvides de que desplegamos los jueves", "Desplegamos los jueves."},
		{"Acuérdate de que mi perro se llama Rex", "Mi perro se llama Rex."},
		{"Apunta: la reunión es a las 9:30", "La reunión es a las 9:30"},
		{"Anota que el presupuesto es de 2.000 euros", "El presupuesto es de 2.000 euros."},
		{"Toma nota: la contraseña del aula es azul", "La contraseña del aula es azul."},
		{"Me gusta el café solo, recuérdalo por favor.", "Me gusta el café solo."},
		{"Mi talla es la 43. No lo olvides.", "Mi talla es la 43"},
		{"Soy vegetariano, tenlo en cuenta", "Soy vegetariano."},
		{"Hola, recuerda que mi cumpleaños es el 5 de mayo. ¡Gracias!", "Mi cumpleaños es el 5 de mayo."},
		{"Recuerda lo siguiente:\n- Me gusta el té\n- Vivo en Bilbao", "Me gusta el té.\nVivo en Bilbao."},
	},
	"de": {
		{"Merk dir, dass ich gegen Erdnüsse allergisch bin.", "Ich bin gegen Erdnüsse allergisch."},
		{"Merk dir: mein Hund heißt Rex", "Mein Hund heißt Rex."},
		{"Merke dir bitte, dass ich in Bremen wohne", "Ich wohne in Bremen."},
		{"Bitte merken: der Port ist 5434", "Der Port ist 5434"},
		{"Bitte merk dir, mein Geburtstag ist am 5. Mai", "Mein Geburtstag ist am 5. Mai."},
		{"Kannst du dir merken, dass ich Tee lieber mag?", "Ich mag Tee lieber."},
		{"Könntest du dir bitte merken, dass ich kein Fleisch esse?", "Ich esse kein Fleisch."},
		{"Vergiss nicht, dass wir donnerstags ausliefern.", "Wir donnerstags ausliefern."},
		{"Denk daran, dass meine Mutter am Dienstag kommt.", "Meine Mutter kommt am Dienstag."},
		{"Denk dran: die Besprechung ist um 9:30", "Die Besprechung ist um 9:30"},
		{"Ich möchte, dass du dir merkst, dass ich bei Globex arbeite.", "Ich arbeite bei Globex."},
		{"Notiere dir: Schuhgröße ist 43", "Schuhgröße ist 43"},
		{"Behalte im Hinterkopf, dass Bruno Vegetarier ist", "Bruno ist Vegetarier."},
		{"Merk dir, dass meine kleine Schwester in Ulm wohnt", "Meine kleine Schwester wohnt in Ulm."},
		{"Merk dir, dass ich morgens früh aufstehen muss", "Ich muss morgens früh aufstehen."},
		{"Merk dir, dass ich nach Ulm gezogen bin!", "Ich bin nach Ulm gezogen."},
		{"Merk dir, dass Anna Müller in Ulm arbeitet", "Anna Müller arbeitet in Ulm."},
		{"Merk dir, dass ich um acht aufstehe", "Ich um acht aufstehe."},                           // a verb in two parts
		{"Merk dir, dass das Büro, das ich mag, in Ulm ist", "Das Büro, das ich mag, in Ulm ist."}, // more than one clause
		{"Merk dir, dass in Ulm ein Freund wohnt", "In Ulm ein Freund wohnt."},                     // the subject is elsewhere
		{"Merk dir, dass das Auto rot ist", "Das Auto ist rot."},
		{"Merk dir, dass ihr Hund Rex heißt", "Ihr Hund heißt Rex."},
		{"Merk dir, dass die Schwester von Anna in Ulm wohnt", "Die Schwester von Anna in Ulm wohnt."},
		{"Merk dir, dass Anna und Bruno in Ulm wohnen", "Anna und Bruno in Ulm wohnen."},
		{"Merk dir, dass ich wohne in bremen", "Ich wohne in bremen."},
		{"Meine Schwester heißt Hanna, merk dir das bitte.", "Meine Schwester heißt Hanna."},
		{"Ich hasse Koriander. Vergiss das nicht!", "Ich hasse Koriander."},
		{"Mein Schließfach ist 12, bitte merken", "Mein Schließfach ist 12"},
		{"Merk dir Folgendes:\n- Ich mag Tee\n- Ich wohne in Kiel", "Ich mag Tee.\nIch wohne in Kiel."},
	},
	"ja": {
		{"私はピーナッツアレルギーだと覚えておいて", "私はピーナッツアレルギーだ。"},
		{"妹の名前はハナだと覚えておいてください。", "妹の名前はハナだ。"},
		{"私の誕生日は5月5日です。覚えておいてください。", "私の誕生日は5月5日です。"},
		{"覚えておいて：ポートは5434", "ポートは5434"},
		{"覚えておいてください。私は大阪に住んでいます。", "私は大阪に住んでいます。"},
		{"メモ：会議は木曜日の10時", "会議は木曜日の10時。"},
		{"私が左利きだということを覚えておいてほしい", "私が左利きだ。"},
		{"コーヒーは飲まないと覚えておいてくれますか？", "コーヒーは飲まない。"},
		{"犬の名前はレックスって覚えておいてね", "犬の名前はレックス。"},
		{"予算は2000ユーロです、覚えておいて", "予算は2000ユーロです。"},
		{"私は卵アレルギーです。忘れないでください。", "私は卵アレルギーです。"},
		{"お茶が好きなことを記憶しておいて", "お茶が好きな。"},
	},
	"fr": {
		{"Souviens-toi que je suis allergique aux arachides.", "Je suis allergique aux arachides."},
		{"N'oublie pas que j'habite à Lyon", "J'habite à Lyon."},
		{"Retiens que ma sœur s'appelle Anna, merci !", "Ma sœur s'appelle Anna."},
		{"Notez : le port est 5434", "Le port est 5434"},
		{"Je déteste la coriandre, retiens-le.", "Je déteste la coriandre."},
	},
	"pt": {
		{"Lembre-se de que sou alérgico a amendoim.", "Sou alérgico a amendoim."},
		{"Não esqueça que moro no Porto", "Moro no Porto."},
		{"Anote: a reunião é às 9:30", "A reunião é às 9:30"},
		{"Minha irmã se chama Ana, não se esqueça disso.", "Minha irmã se chama Ana."},
	},
	"ko": {
		{"나는 땅콩 알레르기가 있다고 기억해 줘", "나는 땅콩 알레르기가 있다."},
		{"내 생일은 5월 5일이야. 기억해 줘", "내 생일은 5월 5일이야"},
		{"기억해줘: 포트는 5434", "포트는 5434"},
	},
	"it": {
		{"Ricorda che la mia barca è rossa.", "La mia barca è rossa."},
		{"Ricordati che mi chiamo Luca", "Mi chiamo Luca."},
		{"Puoi ricordare che preferisco il tè?", "Preferisco il tè."},
		{"Per favore, tieni a mente che Bruno è vegetariano. Grazie!", "Bruno è vegetariano."},
		{"Memorizza: la porta è la 5434", "La porta è la 5434"},
		{"Il mio compleanno è il 5 maggio, non dimenticarlo", "Il mio compleanno è il 5 maggio."},
	},
	"ru": {
		{"Запомни, что моя лодка красная.", "Моя лодка красная."},
		{"Запомни: порт 5434", "Порт 5434"},
		{"Можешь запомнить, что я люблю чай?", "Я люблю чай."},
		{"Пожалуйста, имейте в виду, что офис закрывается в шесть. Спасибо!", "Офис закрывается в шесть."},
		{"Мой день рождения 5 мая, запомни это", "Мой день рождения 5 мая."},
	},
	"ar": {
		{"تذكر أن قاربي أحمر", "قاربي أحمر."},
		{"تذكّر أنني أحب الشاي", "أحب الشاي."},
		{"احفظ: المنفذ هو 5434", "المنفذ هو 5434"},
		{"هل يمكنك أن تتذكر أن اسمي سامي؟", "اسمي سامي."},
		{"عيد ميلادي 5 مايو، لا تنس هذا", "عيد ميلادي 5 مايو."},
	},
}

// others lists messages that ask for something else, or for nothing.
var others = []string{
	// Questions, memories and tasks in Italian, Russian and Arabic.
	"Ricordi che mi piace il tè?", "Ti ricordi il mio compleanno?", "Ricorda quando siamo andati a Porto?",
	"Non dimenticare di comprare il pane.",
	"Che cosa ricordi di me?", "Помнишь, что я люблю чай?", "Запомнил, что я сказал?", "Не забудь купить хлеб.", "Помни меня",
	"Что ты запомнил обо мне?", "هل تتذكر أن قاربي أحمر؟", "تتذكر أن قاربي أحمر؟", "لا تنس شراء الخبز", "ماذا تتذكر عني؟",
	// Questions.
	"Do you remember that I like tea?", "do you remember my birthday?", "Remember when we went to Porto?",
	"Remember that time we got lost?",
	"Can you remember what I said yesterday?", "What do you remember about me?", "Remember me?", "You remember that I like tea, right?",
	"Did you remember to save the file?", "Remember the song from last summer?", "Why can't I remember names?",
	"The movie was great, remember that?",
	"你还记得我喜欢什么吗？", "记得我们上次说的吗？", "你记住了吗？", "还记得那次旅行吗", "你记得我的生日吗？", "记住了吗", "我的生日是几号，记得吗？",
	"Bạn có nhớ tôi thích gì không?", "Bạn còn nhớ tên tôi không?", "Nhớ lần đó không?", "Bạn nhớ gì về tôi?",
	"¿Recuerdas que me gusta el té?", "¿Te acuerdas de mi cumpleaños?", "¿Qué recuerdas de mí?", "Recuerdas cuando fuimos a Oporto",
	"Erinnerst du dich, dass ich Tee mag?", "Weißt du noch, wie mein Hund heißt?", "Hast du dir gemerkt, wo ich wohne?",
	"Was hast du dir gemerkt?",
	"私の誕生日を覚えていますか？", "覚えてる？", "前に言ったこと覚えてる？", "私の名前を覚えてますか",
	"Te souviens-tu de mon anniversaire ?", "Você se lembra do meu nome?", "내 생일 기억해?",
	// Reminders, and orders to the assistant.
	"Remember to call mum tomorrow", "remember to answer in French", "Please remember to water the plants.", "Don't forget to buy milk",
	"Remind me to pay the rent on Friday",
	"Make a note to call the dentist.", "记得买牛奶", "别忘了明天带伞", "记住要按时吃药", "提醒我明天开会", "记得提醒我交房租",
	"Nhớ mua sữa nhé", "Nhắc tôi gọi cho mẹ", "Hãy nhớ tắt đèn", "Recuerda comprar leche", "Recuérdame llamar a mamá",
	"No olvides comprar pan", "No te olvides de llamar a Ana",
	"Vergiss nicht, Milch zu kaufen", "Erinnere mich an den Zahnarzt", "Denk daran, die Blumen zu gießen",
	"Denk bitte daran, Mama anzurufen", "牛乳を買うのを忘れないで", "明日起こしてね", "薬を飲むのを忘れないでください",
	"N'oublie pas d'acheter du pain", "Não esqueça de comprar leite",
	// Not to be remembered.
	"Don't remember this: I like tea.", "You don't have to remember that I like tea.", "Please don't keep that in mind.",
	"My pin is 1234. Don't remember that.", "No need to remember my address is 5 Oak Street",
	"Forget that I like tea.", "Please forget my birthday.", "Forget everything about me", "Stop remembering that I smoke",
	"不用记住我的地址", "别记住这个", "不要记我的生日是5月5日", "忘记我喜欢茶", "忘了我的地址吧", "Đừng nhớ điều này", "Quên tên tôi đi", "Không cần nhớ rằng tôi thích trà",
	"No recuerdes esto: vivo en Lisboa", "Olvida que vivo en Lisboa", "No hace falta que recuerdes que vivo en Lisboa",
	"Merk dir das nicht", "Vergiss, dass ich in Bremen wohne", "Du musst dir nicht merken, dass ich Tee mag",
	"覚えないで", "私の住所は忘れてください", "それは覚えなくていいです",
	// Quotations, stories, talk about remembering.
	`"Remember that I love you" is a great line.`, "He said: remember that the door is locked.", "I remember that we met in Porto.",
	"I'll remember that my flight is at 7.", "My wife told me to remember that the shop closes at six.",
	"> Remember that the port is 5434", "How do you say 'remember that I like tea' in Spanish?", "Translate: remember that I like tea",
	"I always remember that summer in Braga.", "Remember the Alamo!", "Remember me", "remember the milk",
	"Remember, practice makes perfect", "Remember yourself as a child", "I can't remember my password",
	"She remembers that it is Monday.",
	"Write a poem that begins with: Remember that I was young",
	"“记住，我爱你”是电影里的台词", "他让我记住密码是1234", "我记得你说过喜欢茶", "我记住了你的名字", "Tôi nhớ bạn", "Nhớ anh quá", "Tôi nhớ rằng hôm qua trời mưa",
	"Recuerdo que era lunes", "Ella recuerda que es lunes", "Ich erinnere mich, dass es Montag war", "Ich merke mir, dass du Tee magst",
	"Er sagte: merk dir, dass die Tür zu ist", "彼の名前を覚えています", "覚えておくべきことは何ですか？",
	// Nothing to keep, or the text to keep is elsewhere.
	"Remember this", "remember that", "Please remember this.", "remember", "Remember:", "remember it", "Keep that in mind",
	"Don't forget!",
	"记住", "记住：", "请记住这个", "Nhớ nhé", "Recuerda esto", "Merk dir das", "覚えておいて", "remember: true", "Remember this for later",
	"请记一下", "记住我",
	"recuerda", "Merk dir das bitte.",
	// Code.
	"```\nremember that x = 1\n```", "remember(that)", "Remember that this is the config:\n```yaml\nport: 1\n```",
	"note the function returns an error", "remember_me = True",
	// A request followed by another one.
	"Remember that I like tea. Can you recommend some?", "Remember that I like tea. Now write a poem about it.",
	"Remember that I'm vegan and suggest a dinner for me", "My port is 5434, remember that. What was the old one?",
	"Remember that I live in Oslo. What's the weather?", "记住我喜欢茶，然后推荐一款", "请记住我吃素。帮我推荐一家餐厅", "记住我住在杭州，今天天气怎么样？",
	"Recuerda que soy vegano. ¿Qué ceno hoy?", "Recuerda que me gusta el té y dame una receta",
	"Merk dir, dass ich vegan bin. Was soll ich kochen?", "Nhớ rằng tôi ăn chay. Gợi ý cho tôi món tối", "私は菜食です。覚えておいて。レシピを教えて",
	// Other messages.
	"", "   ", "Hi", "What is the capital of Portugal?", "I like tea.", "My dog is called Rex.", "Note the difference between the two.",
	"你好", "我喜欢喝茶", "Hola, ¿qué tal?", "Guten Morgen", "こんにちは", "The memory of this machine is 16 GB",
	"Is it important to remember names?",
	"anotamos tres goles ayer", "Nota: 7/10",
}

func TestParse(t *testing.T) {
	t.Parallel()
	n := 0
	for language, list := range requests {
		for _, c := range list {
			n++
			got, ok := Parse(c[0])
			if !ok || got.Text != c[1] || got.Language != language {
				t.Errorf("%q: %v %+v, want %s %q", c[0], ok, got, language, c[1])
			}
		}
	}
	for _, message := range others {
		n++
		if got, ok := Parse(message); ok {
			t.Errorf("%q is taken for a request: %+v", message, got)
		}
	}
	if n < 150 {
		t.Errorf("only %d messages", n)
	}
}

// Case, space around a message and a full stop at its end do not change the request.
func TestParseIsAboutWords(t *testing.T) {
	t.Parallel()
	for _, list := range requests {
		for _, c := range list {
			want, _ := Parse(c[0])
			for _, message := range []string{
				"  " + c[0] + " \n", "\u200b" + c[0], strings.ReplaceAll(c[0], "\n", "\r\n"),
				capitalised(c[0]),
			} {
				if got, _ := Parse(message); !strings.EqualFold(got.Text, want.Text) {
					t.Errorf("%q: %q, want %q", message, got.Text, want.Text)
				}
			}
		}
	}
}

// A statement that is parsed again stays the same, whatever ends it.
func TestStatementsOfStatements(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"note:tea.": "Note:tea", "tea.": "Tea.", "a.b.": "a.b", "my key: is X!": "My key: is X.", "iPhone 5.": "iPhone 5", "喝茶！": "喝茶。",
	} {
		if got := statement(said); got != want || statement(got) != got {
			t.Errorf("%q: %q, and again %q, want %q", said, got, statement(got), want)
		}
	}
}

// The kept text is never more than the message, and is within the limits.
func TestParseAnything(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom([]string{
		"remember", "that", "this:", "please", "I", "like", "tea", ".", ",", "?", "\n", "- ", "记住", "：",
		"我喜欢茶", "nhớ rằng", "recuerda que", "merk dir", "dass", "を覚えておいて", "is", "5434", "```", "<!--", "|", "# ", "\u200b", "é", "😀",
	})
	rapid.Check(t, func(t *rapid.T) {
		message := strings.Join(rapid.SliceOfN(words, 0, 14).Draw(t, "words"), rapid.SampledFrom([]string{" ", ""}).Draw(t, "space"))
		got, ok := Parse(message)
		if !ok {
			return
		}
		if got.Text == "" || got.Language == "" ||
			utf8.RuneCountInString(got.Text) > 2*utf8.RuneCountInString(message)*utf8.RuneCountInString(message)+8 {
			t.Fatalf("%q: %+v", message, got)
		}
		for line := range strings.SplitSeq(got.Text, "\n") {
			if again := statement(line); again != line {
				t.Fatalf("%q: the line %q is %q by itself", message, line, again)
			}
		}
	})
}
