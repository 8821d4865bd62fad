package language

import (
	"strings"

	"reverie/language/fold"
)

// FunctionWords maps a word to the languages in which it is a function word: an article, pronoun, preposition,
// conjunction, auxiliary, question word or common adverb. The lists are short on purpose: such words indicate the
// language of a text and are irrelevant in a question; all other words are weighted by frequency.
var FunctionWords = func() map[string]Set {
	words := make(map[string]Set, 2048)
	for lang, list := range functionWordLists {
		for word := range strings.FieldsSeq(list) {
			words[fold.Text(word)] |= 1 << lang
		}
	}
	return words
}()

// homographs are function words of one language that are ordinary words, or names, in another. A single one is weak
// evidence for the language of a text.
var homographs = func() map[string]bool {
	words := make(map[string]bool)
	for word := range strings.FieldsSeq(`war die man hat den font car plus tout son pour sin con todo era come dove fare per
		door want hoe van hen bent mag men hans bare dine most volt care sale tale dan ada go hay pro ben don meg ali
		mine sei mes ton ha ho sue dia em ta sub sen her dar mam dos sobre under over on of my`) {
		words[word] = true
	}
	return words
}()

// functionWordLists holds the lists by language.
var functionWordLists = map[Language]string{
	English: `a an the this that these those i me my mine myself you your yours yourself he him his himself she her hers
		herself it its itself we us our ours ourselves they them their theirs themselves who whom whose which what when
		where why how is am are was were be been being do does did done doing have has had having will would shall should
		can could may might must and or but nor if then than because as until while of at by for with about against
		between into through during before after above below to from up down in out on off over under again further
		here there all any both each few more most other some such no not only own same so too very just also ever
		never don't doesn't didn't isn't aren't wasn't weren't won't wouldn't can't couldn't shouldn't haven't
		hasn't hadn't ain't cannot dont doesnt didnt isnt wasnt wont cant im ive let upon whether though although since without
		within among many much every
		whatever whichever whoever yet still else another either neither however therefore`,
	German: `der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner ich du er sie es wir
		ihr mich dich sich uns euch mir dir ihm ihn ihnen mein meine meinen meinem meiner dein deine deinen deinem deiner
		sein seine seinen seinem seiner ihre ihren ihrem ihrer unser unsere unseren euer eure und oder aber denn weil dass
		daß ob wenn als wie wo wann warum wer wen wem wessen was welche welcher welches welchen welchem woher wohin wozu
		wieso weshalb bin bist ist sind seid war warst waren wart wäre wären habe hast hat haben habt hatte hatten hätte
		hätten werde wirst wird werden wurde wurden würde würden worden geworden kann kannst können könnt konnte konnten
		könnte muss musst müssen musste mussten soll sollst sollen sollte will willst wollen wollte darf dürfen mag möchte
		möchten nicht nichts auch nur noch schon sehr so zu zum zur im in ins an am ans auf aus bei beim mit nach seit von
		vom vor über unter zwischen durch für gegen ohne um bis hinter neben während wegen dann da dort hier doch mal ja
		nein man jede jeder jedes jeden alle allen aller alles viel viele mehr etwas dieser diese dieses diesen diesem
		jener jene damit dafür daran darauf darüber davon dazu immer wieder gerade eben bereits zuletzt`,
	French: `le la les l t un une des du de d au aux ce cet cette ces ça cela celui celle ceux je tu il elle on nous vous ils
		elles me te se lui leur leurs mon ma mes ton ta tes son sa ses notre nos votre vos y en et ou mais donc or ni car
		que qui quoi dont où quand comment pourquoi combien quel quelle quels quelles lequel laquelle est suis es sommes
		êtes sont était étais étaient étions sera seront serait été être ai as a avons avez ont avais avait avaient avoir
		aura aurait eu fait fais font faire pas ne plus jamais rien aussi très bien si comme dans sur sous avec sans pour
		par entre vers chez depuis pendant avant après contre peut peux peuvent doit dois faut tout toute tous toutes même
		encore déjà alors puis lors ici là quelque quelques chaque autre autres`,
	Spanish: `el la los las lo un una unos unas de del al a en con sin por para sobre entre desde hasta hacia según tras
		durante y e o u pero sino porque que si cuando como donde quien quienes cual cuales cuyo qué quién quiénes cuál
		cuáles cuándo cómo dónde cuánto cuántos cuánta cuántas adónde yo tú él ella ello nosotros vosotros ellos ellas
		usted ustedes me te se nos os le les mi mis tu tus su sus nuestro nuestra nuestros vuestro mío este esta estos
		estas ese esa esos esas aquel aquella eso esto aquello es soy eres somos son era eran fue fueron ser sido siendo
		estoy está estás están estaba estaban estuvo estar he has ha hemos han había habían haber hay hubo tengo tiene
		tienen tenía hace hizo no ni sí también tampoco muy más menos ya aún todavía siempre nunca algo nada alguien
		nadie todo toda todos todas otro otra otros otras mismo misma cada mucho muchos muchas poco así ahora entonces
		aquí allí puede puedo pueden`,
	Italian: `il lo la i gli le un uno una di del dello della dei degli delle a al allo alla ai agli alle da dal dallo dalla
		dai dagli dalle in nel nello nella nei negli nelle con col su sul sullo sulla sui sugli sulle per tra fra e ed o
		od ma però perché che chi cui se quando come dove quale quali quanto quanti quanta quante cosa io tu lui lei noi
		voi loro mi ti ci vi si ne lo li me te sé mio mia miei mie tuo tua tuoi tue suo sua suoi sue nostro nostra nostri
		vostro vostra questo questa questi queste quello quella quelli quelle è sono sei siamo siete era ero erano eravamo
		fu furono essere stato stata stati state ho hai ha abbiamo avete hanno aveva avevo avevano avere avuto sarà
		sarebbe faccio fa fanno fatto fare non anche più meno molto molti molta molte già ancora sempre mai poi qui lì là
		ogni tutto tutta tutti tutte altro altra altri altre stesso così allora quindi può posso possono`,
	Portuguese: `o a os as um uma uns umas de do da dos das em no na nos nas ao aos à às por pelo pela pelos pelas para com
		sem sob sobre entre desde até e ou mas porque que se quando como onde quem qual quais quanto quantos quanta quantas
		eu tu ele ela nós vós eles elas você vocês me te lhe lhes nos vos meu minha meus minhas teu tua seu sua seus suas
		nosso nossa nossos este esta estes estas esse essa esses essas aquele aquela isso isto aquilo é sou és somos são
		era eram foi foram fui ser sido sendo estou está estás estão estava estavam esteve estar tenho tem têm tinha
		tinham teve ter há havia haver faz fez não nem sim também muito muitos muita muitas mais menos já ainda sempre
		nunca algo nada alguém ninguém tudo todo toda todos todas outro outra outros outras mesmo cada pouco assim agora
		então aqui ali lá pode posso podem qué`,
	Dutch: `de het een der den des ik jij je u hij zij ze wij we jullie mij me jou hem haar ons hun hen mijn jouw uw zijn
		onze dit dat deze die en of maar want omdat dat als toen wanneer waar wie wat welke welk hoe waarom waarheen is
		ben bent zijn was waren geweest heb hebt heeft hebben had hadden gehad word wordt worden werd werden geworden zal
		zult zullen zou zouden kan kunt kunnen kon konden moet moeten moest mag mogen wil willen wilde niet niets geen ook
		nog al zeer zo te in op aan met van voor uit bij naar over onder tussen door tegen zonder om tot sinds na er daar
		hier dan toch alleen alle alles veel meer iets iemand niemand elke elk ieder altijd nooit weer`,
	Swedish: `en ett den det de dem jag du han hon vi ni mig dig sig oss er honom henne min mitt mina din ditt dina sin sitt
		sina hans hennes vår vårt våra deras och eller men för att om när då där var vem vad vilken vilket vilka hur varför
		är var varit vara har hade haft ha blir blev blivit bli ska skall skulle kan kunde måste får fick vill ville inte
		ingen inget inga också bara ännu redan mycket många så till i på av med från vid efter under över mellan genom mot
		utan sedan som än denna detta dessa här alla allt mer något någon några varje alltid aldrig igen`,
	Norwegian: `en ei et den det de dem jeg eg du han hun vi dere meg deg seg oss henne min mitt mi mine din ditt di dine sin
		sitt si sine hans hennes vår vårt våre deres og eller men for at om når da der hvor hvem hva hvilken hvilket hvilke
		hvordan hvorfor er var vært være har hadde hatt ha blir ble blitt bli skal skulle kan kunne må måtte får fikk vil
		ville ikke ingen intet også bare ennå allerede mye mange så til i på av med fra ved etter under over mellom gjennom
		mot uten siden som enn denne dette disse her alle alt mer noe noen hver alltid aldri igjen`,
	Danish: `en et den det de dem jeg du han hun vi i mig dig sig os jer ham hende min mit mine din dit dine sin sit sine hans
		hendes vor vores deres og eller men for at om når da der hvor hvem hvad hvilken hvilket hvilke hvordan hvorfor er
		var været være har havde haft have bliver blev blevet blive skal skulle kan kunne må måtte får fik vil ville ikke
		ingen intet også kun endnu allerede meget mange så til på af med fra ved efter under over mellem gennem mod uden
		siden som end denne dette disse her alle alt mere noget nogen hver altid aldrig igen`,
	Finnish: `minä sinä hän me te he minun sinun hänen meidän teidän heidän minut sinut hänet minua sinua häntä se ne tämä tuo
		nämä nuo sen tämän tuon niiden siitä tästä siinä tässä siellä täällä ja tai vai mutta koska että jos kun kuin niin
		kuka mikä mitä missä mistä mihin milloin miten miksi kenen ketä kumpi montako on olen olet olemme olette ovat oli
		olin olit olivat ollut olla olisi ei en et emme ette eivät älä voi voin voit saa pitää täytyy myös vain vielä jo
		hyvin paljon sitten nyt aina kaikki joka jotka jonka jotain joku ilman kanssa ennen jälkeen yli ali`,
	Hungarian: `a az egy és vagy de hogy ha mert mint nem is csak már még meg el ki be fel le én te ő mi ti ők engem téged őt
		minket titeket őket ez azt ezt ezek azok ebben abban ennek annak erre arra itt ott ki mit kit hol mikor miért
		hogyan milyen melyik mennyi hány honnan hova van vannak volt voltak lesz lenne lett volna vagyok vagy vagyunk
		kell lehet tud sem semmi minden mindig soha nagyon sok több kevés után előtt alatt között nélkül szerint olyan
		ilyen így úgy akkor most majd aki ami amely`,
	Romanian: `un o unui unei al ai ale lui ei lor cel cea cei cele eu tu el ea noi voi ei ele mă te se ne vă îl îi le îmi îți
		meu mea mei mele tău ta tăi tale său sa săi sale nostru noastră acest această acești aceste acel acea acela aceea
		și sau dar iar că să dacă când cum unde cine ce care cât câte câți de la în din pe cu fără pentru prin între spre
		până după înainte sub despre este e ești sunt suntem era erau fost fi am ai are avem aveți au avea aveam va vor
		voi ar nu nici da și mai foarte doar încă deja tot toate toți mult mulți aici acolo acum atunci`,
	Turkish: `bir bu şu o ben sen biz siz onlar bana sana ona bize size onlara beni seni onu bizi sizi onları benim senin onun
		bizim sizin onların ve veya ya ile ama fakat çünkü ki da de mi mı mu mü için gibi kadar göre sonra önce ne kim
		kime kimin nerede nereye nereden nasıl neden niçin niye hangi kaç var yok değil idi ise olan olarak oldu olduğu
		olur çok daha en az her hiç hep bazı tüm bütün şey şimdi burada orada`,
	Irish: `an na agus nó ach mar go gur nach ní níl is tá bhí bhfuil beidh raibh sé sí siad muid mé tú sibh mo do ár bhur
		seo sin siúd cé cad cá conas cathain nuair ag ar as chuig de faoi le ó roimh thar trí um don sa san`,
	Russian: `и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее её мне было вот от
		меня еще ещё нет о об из ему теперь когда даже ну ли если уже или ни быть был была были него до вас нибудь опять уж
		вам ведь там потом себя ничего ей может они тут где есть надо ней для мы тебя их чем сам чтоб чтобы без будто
		чего раз тоже себе под будет ж тогда кто этот того потому этого какой какая какие каком ним здесь этом мой моя
		мои твой тем чтобы сейчас куда откуда зачем почему сколько всех при об после над через про них эта эти эту это`,
	Arabic: `في من على إلى الى عن مع هذا هذه ذلك تلك هو هي هم هن أنا انا نحن أنت انت أنتم كان كانت يكون تكون ليس ما ماذا
		متى أين اين كيف لماذا من هل أي اي كم التي الذي الذين و أو او ثم لكن لأن ان أن إن إذا اذا قد لم لن لا كل بعض غير
		بين بعد قبل عند منذ حتى فقط أيضا هناك هنا لقد`,
	Tamil: `ஒரு என்று மற்றும் இந்த இது அந்த அது என்ன எப்போது எங்கே யார் ஏன் எப்படி நான் நீ நீங்கள் அவர் அவள் அவன் அவர்கள்
		உள்ளது இல்லை ஆனால் கொண்ட வேண்டும் என`,
	Vietnamese: `là và của có không cho với được trong một các những này đó khi gì nào ai đâu sao thế như thì mà ở tại từ
		đến để về tôi bạn anh chị em nó họ chúng ta mình đã đang sẽ cũng rất nhưng hay hoặc vì nếu bởi theo vào ra lên
		xuống bao nhiêu mấy hãy nên phải cần`,
	Indonesian: `yang dan di ke dari untuk dengan pada adalah ini itu saya aku kamu anda dia ia kami kita mereka tidak bukan
		apa siapa kapan dimana mana mengapa kenapa bagaimana berapa akan sudah telah sedang bisa dapat harus atau tetapi
		tapi karena jika kalau oleh juga saja lebih sangat ada sebagai dalam seperti`,
	Polish: `i w we z ze na do od po o u za przed przez dla bez pod nad przy jest są był była było byli być będzie będą nie
		tak co kto kiedy gdzie jak dlaczego czemu który która które którzy czyj ile jaki jaka jakie ja ty on ona ono my wy
		oni one mnie mi ciebie ci go mu jej jego ich im się to ten ta te tego tej tym tych że żeby a ale lub albo czy bo
		więc też także już jeszcze tylko bardzo może mam ma mają miał miała`,
	Czech: `a i v ve z ze na do od po o u za před pro bez pod nad při je jsou byl byla bylo byli být bude budou není ne ano co
		kdo kdy kde jak proč který která které kteří čí kolik jaký jaká jaké já ty on ona ono my vy oni mě mi tě ti ho mu
		jí jeho její jejich jim se si to ten ta tento tato že aby ale nebo či protože tak také už ještě jen velmi může
		mám má mají měl měla jsem jsi jsme jste`,
	Greek: `ο η το οι τα του της των τον την στο στη στην στον στα στις και ή αλλά να θα δεν μην με σε από για προς κατά μετά
		πριν χωρίς που πού πότε πώς πως γιατί ποιος ποια ποιο ποιοι τι πόσο είναι ήταν είμαι είσαι έχω έχει έχουν είχε
		εγώ εσύ αυτός αυτή αυτό εμείς εσείς αυτοί μου σου μας σας τους ένα ένας μια μία όταν αν όπως πολύ πιο`,
	Ukrainian: `і й та в у на з із зі до від по за про для без під над при через не ні що хто коли де як чому навіщо який яка
		яке які скільки куди звідки це цей ця ці той та те ті я ти він вона воно ми ви вони мене мені тебе його йому її їх
		їм нас нам вас вам себе свій мій твій наш ваш є був була було були бути буде будуть а але або чи бо якщо щоб вже ще
		тільки також дуже може`,
	Hindi: `का के की को में से पर और है हैं था थे थी हो यह वह ये वे मैं हम तुम आप मेरा मेरी आपका उसका उसकी इस उस ने भी ही
		नहीं क्या कब कहाँ कौन क्यों कैसे कितना कितने किस एक या लेकिन तो जो कि लिए साथ`,
	Hebrew: `של את על עם אל מן לא כן כי אם או גם רק זה זאת זו אלה הוא היא הם הן אני אתה את אנחנו אתם מה מי מתי איפה היכן
		איך למה מדוע כמה איזה היה הייתה היו יש אין כל עוד אבל אשר ב ל ה ו`,
	Persian: `و در به از که این آن را با است برای بود شد شده می های ها یک تا بر یا اما اگر هم نیز چه کی کجا چرا چگونه
		چطور کدام چند من تو او ما شما آنها ایشان هست نیست بودند دارد داشت خواهد باید هر`,
}
