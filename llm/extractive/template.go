package extractive

import (
	"cmp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"reverie/language/cue"
	"reverie/language/lazyregexp"
)

// fact is a statement of the user about themself that a template proves.
type fact struct {
	attribute string
	line      string // as written to PROFILE.md: "Home: Leipzig"
}

// Attributes of facts. They label the lines of PROFILE.md.
const (
	attributeName  = "Name"
	attributeAge   = "Age"
	attributeHome  = "Home"
	attributeWork  = "Work"
	attributeStyle = "Answers"
)

// templates read one attribute each. A template matches a whole clause. {Name} and {Place} are one to three words that begin
// with a capital letter; scripts without case read names and places of closed lists. {n} is a number, {job} and {lang} are
// closed per language.
var templates = map[string]map[string][]string{
	"en": {
		attributeName: {
			`my name(?: is|['’]s) {Name}`,
			`(?:also |and |just )*(?:please |just )?(?:you can )?(?:please )?call me {Name}(?: please)?`,
			`i go by {Name}`,
			`i(?:['’]m| am) {Name}`,
			`everyone calls me {Name}`,
		},
		attributeAge: {
			`i(?:'m|’m| am) {n} (?:years old|yrs old|yo|y/o)`,
			`i(?: just)? turned {n}(?: today| yesterday| last (?:week|month))?`,
		},
		attributeHome: {
			`i live in {Place}(?: now)?`,
			`i(?:['’]m| am) (?:based|living) in {Place}`,
			`(?:i|we)(?:['’]ve| have)? (?:just )?moved to {Place}(?: (?:last|this) (?:week|month|year)| recently| yesterday| today)?`,
		},
		attributeWork: {`i(?: work|['’]m working| am working) as an? {job}`, `i(?:['’]m| am) an? {job} by (?:trade|profession)`},
		attributeStyle: {`(?:from now on )?(?:please )?(?:always )?(?:answer|reply|respond|` +
			`speak) (?:to me )?in {lang}(?: please| from now on)*`},
	},
	"de": {
		attributeName:  {`ich hei(?:ß|ss)e {Name}`, `mein name ist {Name}`, `ich bin (?:der |die )?{Given}`, `(?:bitte )?nenne? mich(?: bitte)? {Name}`},
		attributeAge:   {`(?:ich )?bin {n} jahre(?: alt)?`, `(?:ich )?bin (?:gerade |gestern |heute )?{n} geworden`},
		attributeHome:  {`(?:ich )?(?:wohne|lebe)(?: jetzt| hier)? in {Place}`, `(?:ich bin|wir sind) (?:gerade )?nach {Place} gezogen`},
		attributeWork:  {`(?:ich )?arbeite als {job}`, `(?:ich )?bin {job} von beruf`},
		attributeStyle: {`(?:bitte )?antworte?(?: mir)?(?: bitte)?(?: immer| ab jetzt)? auf {lang}(?: bitte)?`},
	},
	"es": {
		attributeName:  {`me llamo {Name}`, `(?:yo )?soy {Name}`, `mi nombre es {Name}`, `(?:por favor )?ll[aá]mame {Name}`},
		attributeAge:   {`tengo {n} a[nñ]os`, `(?:acabo de cumplir|cumpl[ií]) {n} a[nñ]os`},
		attributeHome:  {`(?:ahora )?vivo en {Place}`, `me (?:acabo de mudar|mud[eé]) a {Place}`},
		attributeWork:  {`trabajo (?:como|de) {job}`},
		attributeStyle: {`(?:por favor )?(?:resp[oó]ndeme|cont[eé]stame|responde)(?: siempre)? en {lang}(?: por favor)?`},
	},
	"fr": {
		attributeName: {
			`je m['’]appelle {Name}`,
			`mon (?:nom|pr[eé]nom) est {Name}`,
			`(?:tu peux m['’]appeler|appelle[- ]moi|appelez[- ]moi) {Name}`,
		},
		attributeAge:  {`j['’]ai {n} ans`, `je viens d['’]avoir {n} ans`},
		attributeHome: {`j['’]habite (?:maintenant )?(?:[aà]|en|au) {Place}`, `je vis (?:[aà]|en|au) {Place}`},
		attributeWork: {`je travaille comme {job}`, `je suis {job} de m[eé]tier`},
		attributeStyle: {`r[eé]pond(?:s|ez)(?:[- ]moi)?(?: toujours)? en {lang}(?: s['’]il te pla[iî]t|` +
			` s['’]il vous pla[iî]t| stp| svp)?`},
	},
	"pt": {
		attributeName: {
			`(?:eu )?me chamo {Name}`,
			`(?:o )?meu nome [eé] {Name}`,
			`chamo[- ]me {Name}`,
			`(?:eu )?sou [oa] {Name}`,
			`(?:pode )?me (?:chama|chame|chamar) de {Name}`,
		},
		attributeAge:   {`(?:eu )?tenho {n} anos`, `(?:acabei de fazer|fiz) {n} anos`},
		attributeHome:  {`(?:eu )?moro (?:agora )?em {Place}`, `(?:eu )?vivo em {Place}`, `me mudei para {Place}`},
		attributeWork:  {`(?:eu )?trabalho como {job}`},
		attributeStyle: {`(?:por favor )?(?:me )?respond[ae](?:[- ]me)?(?: sempre)? em {lang}(?: por favor)?`},
	},
	"it": {
		attributeName:  {`mi chiamo {Name}`, `il mio nome [eè] {Name}`, `(?:puoi )?chiamami {Name}`},
		attributeAge:   {`ho {n} anni`, `ho (?:appena )?compiuto {n} anni`},
		attributeHome:  {`(?:abito|vivo) (?:ora |adesso )?(?:a|in) {Place}`, `mi sono (?:appena )?trasferit[oa] (?:a|in) {Place}`},
		attributeWork:  {`lavoro come {job}`},
		attributeStyle: {`(?:per favore )?rispondi(?:mi)?(?: sempre)? in {lang}(?: per favore)?`},
	},
	"vi": {
		attributeName: {
			`(?:chào bạn )?(?:mình|tôi|em) tên (?:là )?{Name}`,
			`tên (?:mình|tôi|em) là {Name}`,
			`(?:hãy |cứ )?gọi (?:mình|tôi|em) là {Name}(?: nhé| nha)?`,
		},
		attributeAge:   {`(?:mình|tôi|em)(?: năm nay)? {n} tuổi`, `năm nay (?:mình|tôi|em) {n} tuổi`},
		attributeHome:  {`(?:mình|tôi|em)(?: đang)? sống ở {Place}`},
		attributeWork:  {`(?:mình|tôi|em) (?:làm nghề|làm|là) {job}`},
		attributeStyle: {`(?:hãy |từ nay )?trả lời(?: mình| tôi| em)? bằng {lang}(?: nhé| nha)?`},
	},
	"ru": {
		attributeName:  {`меня зовут {Name}`, `мо[её] имя {Name}`, `(?:зови|называй)(?:те)? меня {Name}`},
		attributeAge:   {`мне {n} (?:лет|года?)`, `мне (?:только что |недавно )?исполнилось {n}(?: лет| года?)?`},
		attributeHome:  {`я (?:сейчас )?живу в {Place}`, `(?:живу|я переехала?) в {Place}`},
		attributeWork:  {`(?:я )?работаю {job}`},
		attributeStyle: {`(?:пожалуйста )?отвечай(?:те)?(?: мне)?(?: всегда)?(?: пожалуйста)? {lang}(?: языке)?(?: пожалуйста)?`},
	},
	"ar": {
		attributeName:  {`(?:مرحبا )?(?:أنا )?اسمي {Name}`, `(?:ممكن )?نادني (?:ب)?{Name}`},
		attributeAge:   {`عمري {n}(?: سنة| عاما| عامًا| سنوات)?`},
		attributeHome:  {`(?:أنا )?(?:أعيش|أسكن|ساكن|ساكنة|عايش|عايشة) (?:الآن )?في {Place}`},
		attributeWork:  {`(?:أنا )?أعمل (?:ك|بوظيفة ){job}`},
		attributeStyle: {`(?:من فضلك )?(?:أجب|أجبني|جاوبني|رد علي)(?: دائما)? ب(?:اللغة )?{lang}(?: من فضلك)?`},
	},
	"zh": {
		attributeName:  {`(?:你好)?我叫{Name}`, `我的名字(?:叫|是){Name}`, `(?:以后)?(?:请|你可以)?叫我{Nick}(?:吧|就行|就好|就可以了)?`},
		attributeAge:   {`(?:我)?(?:今年)?{n}[岁歲](?:了)?`},
		attributeHome:  {`(?:我)?(?:现在|現在)?住(?:在)?{Place}`, `我(?:刚|剛)?搬(?:到|去)了?{Place}(?:了)?`},
		attributeWork:  {`我(?:是|的职业是|的職業是)(?:一名|一个|一個|个|個)?{job}`},
		attributeStyle: {`(?:以后|以後)?(?:请|請|麻烦|麻煩)?(?:都|一律|总是)?用{lang}(?:来)?(?:回答|回复|回覆|答复)(?:我)?(?:吧)?`},
	},
	"ja": {
		attributeName:  {`(?:私|僕|俺)の名前は{Name}(?:です|だよ|といいます)?`, `{Name}(?:と申します|といいます)`, `{Name}(?:と|って)呼んで(?:ください|ね)`},
		attributeAge:   {`(?:私は|僕は|俺は)?(?:今年で?)?{n}歳(?:です|になりました|だよ)`},
		attributeHome:  {`(?:私は|僕は|俺は)?(?:今は)?{Place}に住んで(?:います|いる|ます|る)`, `{Place}に引っ越し(?:ました|した)`},
		attributeWork:  {`(?:私の)?(?:仕事|職業)は{job}(?:です|をしています)`},
		attributeStyle: {`(?:これからは?|今後は?)?(?:いつも)?{lang}で(?:答えて|返事して|回答して)(?:ください|ね)?`},
	},
	"ko": {
		attributeName: {
			`(?:제|내) 이름은 {Name}(?:이에요|예요|입니다|이야|야)`,
			`(?:저는|나는) {Full}(?:이라고|라고) (?:해요|합니다|해)`,
			`{Name}(?:이라고|라고) 불러 ?(?:주세요|줘)`,
		},
		attributeAge:   {`(?:저는|나는|제가)? ?(?:올해 )?{n} ?살(?:이에요|입니다|이야|인데요?)?`},
		attributeHome:  {`(?:저는|나는|전|난)? ?(?:지금 )?{Place}에 살(?:아요|고 있어요|고 있습니다|아|고 있어|고 있는데요?)`, `{Place}(?:으로|로) 이사했(?:어요|습니다|어)`},
		attributeWork:  {`(?:제|내) 직업은 {job}(?:이에요|예요|입니다|이야|야)`},
		attributeStyle: {`(?:앞으로 )?(?:항상 )?{lang}로 (?:대답|답변|답)해 ?(?:주세요|줘)`},
	},
}

// cased reads words that begin with a capital letter.
const cased = `(?-i:\p{Lu}[\p{L}\p{M}'’-]*)(?: (?-i:\p{Lu}[\p{L}\p{M}'’-]*)){0,2}`

// slots are the expressions of the placeholders of all languages and of single ones, which go first.
var slots = map[string]map[string]string{
	"": {
		"{Name}": cased, "{Place}": cased + `(?:, ` + cased + `)?`, "{n}": `\p{Nd}{1,3}`,
	},
	"en": {
		"{job}": `(?:\p{L}+ )?\p{L}*(?:er|or|ist|yst|ian|tant|tect|man|woman|nurse|chef|cook|clerk|midwife|vet|pilot|coach|` +
			`paramedic|mechanic|barista)`,
		"{lang}": `english|chinese|mandarin|german|spanish|french|portuguese|italian|japanese|korean|vietnamese|russian|` +
			`arabic|dutch|polish|` +
			`turkish|swedish|hindi|ukrainian`,
	},
	"de": {
		"{Given}": `(?-i:Anna|Anja|Andrea|Angelika|Anke|Annika|Antje|Barbara|Beate|Birgit|Brigitte|Britta|Carina|Caroline|Charlotte|Christa|Christiane|` +
			`Christina|Christine|Claudia|Clara|Cornelia|Daniela|Doris|Elena|Elisabeth|Elke|Emilia|Emma|Erika|Eva|Finja|Franziska|Frieda|Gabi|Gabriele|` +
			`Gisela|Greta|Hannah?|Heike|Helga|Ida|Ingrid|Inge|Jana|Jasmin|Jessica|Johanna|Julia|Jutta|Karin|Katharina|Kathrin|Katja|Katrin|Kerstin|Klara|` +
			`Lara|Laura|Lea|Lena|Leonie|Lina|Lisa|Luisa|Manuela|Maria|Marie|Marina|Marlene|Martina|Melanie|Mia|Michaela|Miriam|Monika|Nadine|Nadja|Nele|` +
			`Nicole|Nina|Nora|Paula|Petra|Pia|Renate|Sabine|Sandra|Sara|Sarah|Silke|Simone|Sofia|Sonja|Sophie|Stefanie|Steffi|Susanne|Svenja|Tanja|Tina|` +
			`Ulrike|Ursula|Ute|Vanessa|Vera|Verena|Viktoria|Wiebke|Frauke|Imke|Maike|Meike|Swantje|Alexander|Andreas|Anton|Armin|Bernd|Bernhard|Björn|Carsten|Christian|Christoph|Daniel|David|` +
			`Dennis|Dieter|Dirk|Dominik|Elias|Emil|Erik|Fabian|Felix|Finn|Florian|Frank|Frederik|Friedrich|Fritz|Georg|Gerd|Gerhard|Günter|Günther|Hannes|` +
			`Hans|Heiko|Heinz|Helmut|Holger|Horst|Jakob|Jan|Jannik|Jens|Joachim|Jochen|Johannes|Jonas|Jonathan|Jörg|Julian|Jürgen|Kai|Karl|Karsten|Kevin|` +
			`Klaus|Konrad|Konstantin|Lars|Leon|Leo|Linus|Luca|Lukas|Lutz|Manfred|Manuel|Marcel|Marco|Marcus|Mario|Markus|Martin|Marvin|Mathias|Matthias|` +
			`Max|Maximilian|Michael|Mirko|Moritz|Nico|Niklas|Nils|Noah|Norbert|Olaf|Oliver|Oskar|Pascal|Patrick|Paul|Peter|Philipp|Rainer|Ralf|Reiner|` +
			`Robert|Robin|Roland|Rolf|Rüdiger|Sascha|Sebastian|Simon|Stefan|Steffen|Stephan|Sven|Theo|Thomas|Thorsten|Till|Tim|Timo|Tobias|Tom|Torsten|Udo|` +
			`Ulf|Ulrich|Uwe|Volker|Werner|Wolfgang)(?: (?-i:\p{Lu}[\p{L}-]+))?`,
		"{job}": `(?-i:\p{Lu}\p{L}*)(?:er|ist|or|eur|ent|ant|loge|login)(?:in)?|\p{L}*(?:mann|frau|arzt|ärztin|anwalt|` +
			`anwältin|wirt|koch|köchin|kraft)`,
		"{lang}": `deutsch|englisch|französisch|spanisch|italienisch|portugiesisch|russisch|arabisch|chinesisch|japanisch|` +
			`koreanisch|vietnamesisch|` +
			`türkisch|polnisch|ukrainisch|niederländisch`,
	},
	"es": {
		"{job}": `\p{L}+(?:dora?|sora?|tora?|ero|era|ista|ico|ica|[lt]ogo|[lt]oga|gad[oa]|triz|tario|taria|ente de ventas)|` +
			`chef|gerente|asistente`,
		"{lang}": `español|espanol|ingl[eé]s|franc[eé]s|alem[aá]n|italiano|portugu[eé]s|catal[aá]n|ruso|[aá]rabe|chino|` +
			`japon[eé]s|coreano|vietnamita`,
	},
	"fr": {
		"{job}": `\p{L}{2,}(?:eur|euse|rice|ier|ière|iste|icien|icienne|gnante?|ultante?|istante?|logue|taire|cate?)|` +
			`m[eé]decin|chef|prof|cuistot`,
		"{lang}": `fran[cç]ais|anglais|allemand|espagnol|italien|portugais|russe|arabe|chinois|japonais|cor[eé]en|` +
			`vietnamien|n[eé]erlandais`,
	},
	"pt": {
		"{job}": `\p{L}+(?:dora?|sora?|tora?|eiro|eira|ista|ico|ica|[lt]ogo|[lt]oga|gad[oa]|triz|tário|tária)|garçom|` +
			`garçonete|chef|gerente|assistente`,
		"{lang}": `portugu[eê]s|ingl[eê]s|espanhol|franc[eê]s|alem[aã]o|italiano|russo|[aá]rabe|chin[eê]s|japon[eê]s|coreano|vietnamita`,
	},
	"it": {
		"{job}": `\p{L}+(?:tore|trice|sore|soressa|iere|iera|ista|ico|ica|gnante|tante|ologo|ologa|aio|aia|cuoc[oa]|cato|` +
			`taria)|cuoc[oa]|chef|medico`,
		"{lang}": `italiano|inglese|francese|tedesco|spagnolo|portoghese|russo|arabo|cinese|giapponese|coreano|vietnamita`,
	},
	"vi": {
		"{job}": `(?:thợ|giáo viên|đầu bếp|bác sĩ|y tá|điều dưỡng|kế toán|kỹ sư|luật sư|lập trình viên|nhân viên|tài xế|` +
			`lái xe|dược sĩ|nông dân|` +
			`công nhân|kiến trúc sư|phóng viên|nhà báo)(?: (?:điện|mộc|may|hàn|sơn|xây|máy|văn phòng|bán hàng|ngân hàng))?`,
		"{lang}": `tiếng (?:việt|anh|pháp|đức|trung|nhật|hàn|nga|ý|tây ban nha|bồ đào nha|ả rập)`,
	},
	"ru": {
		"{job}": `\p{L}+(?:ист|ор|[её]р|ник|лог|вар|ант|чик|щик|граф|врач)ом|врачом|\p{L}+(?:тел|кар)ем|\p{L}*(?:сестр|стк|` +
			`ниц|щиц|чиц)(?:ой|ей)`,
		"{lang}": `(?:на |по-)(?:русск(?:ом|и)|английск(?:ом|и)|немецк(?:ом|и)|французск(?:ом|и)|испанск(?:ом|и)|` +
			`итальянск(?:ом|и)|китайск(?:ом|и)|` +
			`японск(?:ом|и)|корейск(?:ом|и)|португальск(?:ом|и)|арабск(?:ом|и)|украинск(?:ом|и))`,
	},
	"ar": {
		"{Name}": `(?:محمد|أحمد|احمد|محمود|علي|عمر|حسن|حسين|خالد|يوسف|إبراهيم|ابراهيم|كريم|سامي|سمير|طارق|مصطفى|عبد ?الله|` +
			`عبد ?الرحمن|فهد|سعد|سعود|` +
			`فيصل|ماجد|وليد|زياد|رامي|هاني|عادل|ياسر|ياسين|بلال|حمزة|أنس|آدم|نور|ليلى|سارة|فاطمة|مريم|عائشة|زينب|هند|منى|سلمى|` +
			`رنا|ريم|دينا|هدى|أمل|أمينة|` +
			`خديجة|لمى|لينا|ياسمين|نادية|سعاد|رانيا|داليا|جنى|ندى|سمر|شيماء|إيمان|آية|حنان)(?: \p{L}{3,12})?`,
		"{Place}": `القاهرة|الإسكندرية|الجيزة|مصر|دبي|أبوظبي|أبو ظبي|الشارقة|الإمارات|الرياض|جدة|مكة|المدينة المنورة|الدمام|` +
			`السعودية|بيروت|طرابلس|لبنان|` +
			`دمشق|حلب|حمص|سوريا|عمان|عمّان|إربد|الأردن|القدس|غزة|رام الله|نابلس|فلسطين|بغداد|البصرة|الموصل|أربيل|العراق|الكويت|` +
			`الدوحة|قطر|المنامة|البحرين|` +
			`مسقط|صنعاء|عدن|اليمن|الخرطوم|السودان|بنغازي|ليبيا|تونس|صفاقس|الجزائر|وهران|المغرب|الرباط|الدار البيضاء|مراكش|فاس|` +
			`طنجة|إسطنبول|تركيا|برلين|` +
			`ألمانيا|باريس|فرنسا|لندن|بريطانيا|روما|إيطاليا|مدريد|إسبانيا|كندا|أمريكا|نيويورك`,
		"{job}": `(?:ممرض|طبيب|مهندس|معلم|مدرس|طباخ|محاسب|مبرمج|سائق|صيدلي|صيدلاني|نجار|كهربائي|مصمم|صحفي|صحافي|مترجم|باحث|` +
			`موظف|سكرتير|حلاق|خياط|بائع|` +
			`نادل|مصور|كاتب|ممثل|حارس|عامل|مزارع|محامي)ة?|محام|شرطي`,
		"{lang}": `العربية|الإنجليزية|الانجليزية|الفرنسية|الألمانية|الالمانية|الإسبانية|الاسبانية|الإيطالية|الروسية|الصينية|التركية`,
	},
	"zh": {
		"{Name}": `(?:[赵趙钱錢孙孫李周吴吳郑鄭王冯馮陈陳蒋蔣沈韩韓杨楊朱秦许許何吕呂张張孔曹严嚴华華魏陶姜谢謝邹鄒苏蘇潘范彭鲁魯韦韋马馬方任袁柳史唐薛雷贺賀汤湯罗羅` +
			`郝毕畢顾顧孟黄黃萧蕭姚邵汪毛戴宋庞龐熊纪紀项項董梁杜贾賈江郭梅林钟鐘徐邱高夏蔡田胡凌霍万卢盧丁邓鄧洪崔龚龔程陆陸段侯武刘劉龙龍叶葉曾曹谭譚廖白](?:\p{Han}{1,2})` +
			`|(?:欧阳|歐陽|司马|司馬|诸葛|諸葛|上官|慕容)\p{Han}{1,2}|[小阿]\p{Han}|[A-Za-z]{2,12})`,
		"{Nick}": `[小阿老]\p{Han}|[A-Za-z]{2,12}`,
		"{Place}": `北京|上海|天津|重庆|重慶|广州|廣州|深圳|杭州|南京|苏州|蘇州|成都|武汉|武漢|西安|长沙|長沙|郑州|青岛|济南|大连|沈阳|哈尔滨|长春|厦门|福州|` +
			`宁波|温州|无锡|合肥|南昌|昆明|贵阳|南宁|海口|三亚|兰州|西宁|银川|乌鲁木齐|拉萨|呼和浩特|太原|石家庄|唐山|珠海|佛山|东莞|香港|澳门|澳門|台北|臺北|台中|臺中|` +
			`台南|臺南|高雄|新竹|台湾|臺灣|广东|浙江|江苏|山东|四川|湖南|湖北|福建|云南|海南|新加坡|吉隆坡|东京|東京|大阪|首尔|曼谷|纽约|紐約|洛杉矶|旧金山|西雅图|` +
			`伦敦|倫敦|巴黎|柏林|悉尼|墨尔本|多伦多|温哥华|\p{Han}{2,4}[市省县縣]`,
		"{job}": `护士|護士|(?:\p{Han}{0,2})(?:医生|醫生)|[教厨律药牧\p{Han}]{0,4}(?:教师|教師|老师|老師|厨师|廚師|律师|律師|程师|程師|设计师|設計師|药师|藥師|会计师|會計師)|` +
			`会计|會計|司机|司機|警察|记者|記者|作家|编辑|編輯|翻译|翻譯|农民|農民|工人|(?:程序|服务|服務|售货|销售|快递|公务|公務|飞行|营业|研究|收银|消防|外卖|演)[员員]`,
		"{lang}": `(?:简体|繁體|繁体)?中文|英文|英语|英語|日文|日语|日語|德文|德语|德語|法文|法语|法語|韩文|韩语|韓文|韓語|西班牙[文语語]|俄[文语語]|` +
			`阿拉伯[文语語]|意大利[文语語]|葡萄牙[文语語]|越南[文语語]|普通话|粤语|粵語`,
	},
	"ja": {
		"{Name}": `\p{Han}{2,6}|[\p{Katakana}ー·]{2,8}|[A-Za-z]{2,12}`,
		"{Place}": `東京|大阪|京都|横浜|名古屋|札幌|福岡|神戸|仙台|広島|千葉|埼玉|神奈川|川崎|さいたま|北九州|新潟|浜松|静岡|岡山|熊本|鹿児島|長崎|大分|宮崎|佐賀|沖縄|那覇|` +
			`愛知|岐阜|三重|滋賀|奈良|和歌山|兵庫|鳥取|島根|山口|徳島|香川|愛媛|松山|高知|高松|北海道|函館|青森|岩手|盛岡|宮城|秋田|山形|福島|茨城|栃木|群馬|富山|石川|金沢|福井|` +
			`山梨|長野|つくば|日本|アメリカ|カナダ|イギリス|ロンドン|フランス|パリ|ドイツ|ベルリン|イタリア|ローマ|スペイン|オーストラリア|シドニー|台湾|台北|韓国|ソウル|中国|上海|` +
			`シンガポール|タイ|バンコク|ベトナム|ハノイ|ニューヨーク|\p{Han}{2,4}[市県区]`,
		"{job}": `\p{Han}{1,4}師|医者|\p{Han}{1,3}士|(?:会社|公務|銀行|店|販売|駅|事務|警備|保育)員|エンジニア|プログラマー|デザイナー|ライター|イラストレーター|コンサルタント|` +
			`シェフ|カメラマン|ドライバー|美容師|作家|記者|警察官|消防士`,
		"{lang}": `日本語|英語|中国語|韓国語|ドイツ語|フランス語|スペイン語|イタリア語|ポルトガル語|ロシア語|アラビア語|ベトナム語`,
	},
	"ko": {
		"{Name}": `\p{Hangul}{2,4}?|[A-Za-z]{2,12}`,
		"{Full}": `[김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진]\p{Hangul}{2}`,
		"{Place}": `서울|부산|대구|인천|광주|대전|울산|세종|수원|성남|분당|용인|고양|일산|부천|안산|안양|화성|평택|의정부|파주|김포|춘천|원주|강릉|청주|충주|천안|전주|군산|` +
			`익산|목포|여수|순천|포항|경주|구미|안동|창원|김해|진주|거제|제주|제주도|경기도|강원도|한국|미국|일본|중국|캐나다|독일|영국|프랑스|호주|베트남|도쿄|오사카|뉴욕|` +
			`런던|파리|베를린|시드니|하노이|싱가포르`,
		"{job}": `\p{Hangul}{1,4}사|(?:회사|공무|은행|연구|승무|경비|점|직|교직)원|(?:개발|기|노동|연구|과학|사업|기술)자|경찰관|소방관|디자이너|엔지니어|프로그래머|작가|화가|가수|` +
			`배우|요리사|주부|농부`,
		"{lang}": `한국어|영어|일본어|중국어|독일어|프랑스어|스페인어|이탈리아어|포르투갈어|러시아어|아랍어|베트남어`,
	},
}

type template struct {
	attribute string
	pattern   *lazyregexp.Regexp
	value     int      // index of the submatch
	literals  []string // every match has one of them; any text may match if there are none
}

// compiled holds the templates of each language.
var compiled = sync.OnceValue(func() map[string][]template {
	all := map[string][]template{}
	for lang, attributes := range templates {
		for _, attribute := range slices.Concat([]string{attributeName, attributeAge, attributeHome, attributeWork, attributeStyle}, styleAttributes) {
			forms := attributes[attribute]
			if isWish(attribute) {
				wish := styleWishes[lang]
				forms = wish.forms(attribute)
			}
			for _, source := range forms {
				frame, err := syntax.Parse(`(?i:`+placeholder.ReplaceAllString(source, ".")+`)`, syntax.Perl)
				if err != nil {
					panic(err)
				}
				form := placeholder.ReplaceAllStringFunc(source, func(slot string) string {
					return `(?P<v>` + cmp.Or(slots[lang][slot], slots[""][slot]) + `)`
				})
				pattern := lazyregexp.New(`^(?i:` + form + `)$`)
				all[lang] = append(all[lang], template{attribute, pattern, pattern.SubexpIndex("v"), literals(frame)})
			}
		}
	}
	return all
})

var placeholder = lazyregexp.New(`\{[A-Za-z]+\}`)

// literals returns texts, in the case of lowered, one of which is in every match of an expression; none if it has no such texts.
func literals(re *syntax.Regexp) []string {
	var found []string
	switch re.Op {
	case syntax.OpLiteral:
		return []string{lowered(string(re.Rune))}
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune) && len(found) < maxClass; i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1] && len(found) < maxClass; r++ {
				found = append(found, lowered(string(r)))
			}
		}
		if len(found) == maxClass {
			return nil
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			one := literals(sub)
			if one == nil {
				return nil
			}
			found = append(found, one...)
		}
	case syntax.OpConcat:
		longest := 0
		for _, sub := range re.Sub {
			if one := literals(sub); one != nil {
				if shortest := len(slices.MinFunc(one, func(a, b string) int { return len(a) - len(b) })); shortest > longest {
					found, longest = one, shortest
				}
			}
		}
	}
	return found
}

// maxClass is the number of characters up to which a class counts as a choice of literals.
const maxClass = 9

// lowered maps letters that regexp takes for the same in (?i) to one of them.
func lowered(text string) string {
	return strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, text)
}

// mayState reports whether a template of a language may match a part of a lowered text.
func mayState(text, lang string) bool {
	for i := range compiled()[lang] {
		t := &compiled()[lang][i]
		if t.literals == nil {
			return true
		}
		for _, l := range t.literals {
			if strings.Contains(text, l) {
				return true
			}
		}
	}
	return false
}

// latin lists the languages of Latin script, which cannot be distinguished by short sentences.
var latin = []string{"en", "de", "es", "fr", "pt", "it", "vi"}

// factsOf returns the facts that the clauses of a unit state, and whether it says nothing else. A sentence that is a question,
// or that supposes, doubts, ends or quotes something outside the clause, states none; nor do two values of one attribute.
func factsOf(u *unit) (facts []fact, all bool) {
	if u.question || strings.ContainsAny(u.text, `"“”„«»「」『』`) {
		return nil, false
	}
	text := lowered(strings.Join(strings.Fields(u.text), " "))
	langs := []string{u.lang}
	if slices.Contains(latin, u.lang) {
		langs = append(langs, latin...)
	}
	for _, lang := range langs {
		if len(facts) == 0 && mayState(text, lang) {
			facts, all = u.factsIn(lang)
		}
	}
	return u.standing(facts, all)
}

// factsIn returns the facts that the clauses of a unit state in a language, and whether it says nothing else.
func (u *unit) factsIn(lang string) (facts []fact, all bool) {
	clauses := clausesOf(u.text, lang)
	var wrong []fact
	all = true
	next := 0
	for next < len(clauses) {
		i := next
		c := clauses[i]
		next++
		found := factIn(c.text, lang)
		if next < len(clauses) && c.end == ',' && c.sentence == clauses[next].sentence {
			if longer := factIn(c.text+", "+clauses[next].text, lang); longer != nil { // "Portland, Oregon"
				c.end, next = clauses[next].end, next+1
				found = longer
			}
		}
		if found == nil && polite.MatchString(c.text) {
			continue
		}
		if found == nil || c.end == ':' || isDoubtful(u, clauses, i, next, lang, found.attribute) {
			all = false
			continue
		}
		f := fact{found.attribute, found.line + asOf(found.attribute, u)}
		if facts = append(facts, f); u.correctsBehind(clauses[next-1].text, found) {
			wrong = append(wrong, f)
		}
	}
	unique := slices.DeleteFunc(slices.Clone(facts), func(f fact) bool { // the speaker corrects themself
		return slices.Contains(wrong, f) || slices.ContainsFunc(facts, func(o fact) bool { return o.attribute == f.attribute && o.line != f.line })
	})
	return unique, all && len(facts) > 0 && len(unique) == len(facts)
}

// correctsBehind reports whether what a unit says after a clause withdraws the fact that the clause states: "Wait, no, Leeds was before,
// now York."
func (u *unit) correctsBehind(clause string, f *fact) bool {
	_, rest, _ := strings.Cut(u.text, clause)
	set := cue.Find(rest, u.lang).Set()
	if !set.Any(cue.Correct, cue.Over, cue.Change) {
		return false
	}
	_, value, _ := strings.Cut(f.line, ": ")
	return strings.Contains(foldedText(rest), foldedText(value)) ||
		set.Has(cue.Correct) && f.attribute != attributeStyle && (hasDigit(rest) || u.lang != "de" && namesIn("x "+rest) > 0)
}

// factIn returns the fact that a clause states, without its day.
func factIn(text, lang string) *fact {
	for _, t := range compiled()[lang] {
		if m := t.pattern.FindStringSubmatch(text); m != nil {
			value := strings.TrimSpace(m[t.value])
			if isValue(t.attribute, value, lang) {
				return &fact{t.attribute, t.attribute + ": " + value}
			}
		}
	}
	return nil
}

// isDoubtful reports whether the text around the clauses from i to next shows that they are not the speaker's own statement.
func isDoubtful(u *unit, clauses []part, i, next int, lang, attribute string) bool {
	own := cue.Find(clauses[i].text, lang).Set().Has(cue.Self)
	if slices.Contains([]string{"zh", "ja", "ko"}, lang) { // verbs do not show the person
		own = pronoun.MatchString(clauses[i].text)
	}
	for k, c := range clauses {
		if k >= i && k < next {
			continue
		}
		set := cue.Find(c.text, lang).Set() | cue.Find(c.text, u.lang).Set()
		if set.Any(cue.Paste, cue.Suppose, cue.Fiction, cue.Game) {
			return true
		}
		if c.sentence != clauses[i].sentence {
			continue
		}
		switch {
		case set.Any(cue.Doubt, cue.Over, cue.If, cue.Irony), c.end == '?', speech.MatchString(c.text),
			k < i && !own && !isWish(attribute) && set.Any(cue.Kin, cue.Other, cue.Lean),
			k < i && c.end == ':' && !opening.MatchString(c.text):
			return true
		}
	}
	return clauses[next-1].end == '?'
}

// polite matches a clause that says nothing else.
var polite = lazyregexp.New(`^(?i:please|thanks|thank you|bitte|danke|por favor|gracias|s['’]il (?:te|vous) pla[iî]t|stp|svp|merci|obrigad[oa]|` +
	`per favore|grazie|` +
	`пожалуйста|спасибо|من فضلك|شكرا|谢谢|謝謝|お願いします|부탁해요|nhé|cảm ơn)$`)

// pronoun matches the speaker as the subject of a clause, in languages that leave subjects out.
var pronoun = lazyregexp.New(`^(?:我|私|僕|俺|저|나|제|내|전 |난 )`)

// opening matches what announces the speaker's own facts before a colon; anything else may name another speaker.
var opening = lazyregexp.New(`(?i)^(?:(?:some |my )?background|(?:.* )?(?:about me|intro|zu mir|über mich|` +
	`sobre mí|me présenter|sobre mim|di me|о себе))$` +
	`|介绍|介紹|自己紹介|소개|giới thiệu|نبذة عني`)

// speech matches a clause that attributes the words before or after it to somebody.
var speech = lazyregexp.New(`(?:^| )(?i:said|says|speaks|sagte?|dijo|dice|dit|disse|diz|сказала?|говорит|قالت?|说|說)(?: |$)` +
	`| nói$|言った$|했어요$`)

// part is a clause of a text: it ends at a mark, or before a conjunction that continues about the speaker.
type part struct {
	text     string
	end      rune // ',', ':', '?' or '.'
	sentence int
}

var conjunction = lazyregexp.New(` (?i:and|und|y|et|e|ed|và|и) `)

// clausesOf returns the clauses of a text, without fillers.
func clausesOf(text, lang string) []part {
	var out []part
	start, number := 0, 0
	add := func(text string, end rune) {
		text = strings.Join(strings.Fields(trimmed(text, lang)), " ")
		if text = strings.Trim(text, " .!…-–—"); text != "" {
			out = append(out, part{text, end, number})
		}
	}
	cut := func(from, to int, end rune) {
		for _, at := range conjunction.FindAllStringIndex(text[from:to], -1) {
			rest := text[from+at[1] : to]
			ofSelf := func(m cue.Mark) bool { return m.Start == 0 && m.Kind == cue.Self }
			if slices.ContainsFunc(cue.Find(rest, lang), ofSelf) || factIn(strings.Trim(rest, " .!"), lang) != nil {
				add(text[from:from+at[0]], ',')
				from += at[1]
				break
			}
		}
		add(text[from:to], end)
	}
	for i, r := range text {
		size := utf8.RuneLen(r)
		next, _ := utf8.DecodeRuneInString(text[i+size:])
		var end rune
		switch {
		case unicode.IsDigit(next) && r < utf8.RuneSelf:
			continue
		case strings.ContainsRune(",，、،;；؛", r):
			end = ','
		case strings.ContainsRune(":：", r):
			end = ':'
		case strings.ContainsRune("?？؟", r):
			end = '?'
		case strings.ContainsRune("!！。\n", r), r == '.' && (i+size == len(text) || unicode.IsSpace(next)):
			end = '.'
		default:
			continue
		}
		cut(start, i, end)
		start = i + size
		if end == '?' || end == '.' {
			number++
		}
	}
	cut(start, len(text), '.')
	return out
}

// asOf returns the day of an age, which changes.
func asOf(attribute string, u *unit) string {
	if attribute != attributeAge {
		return ""
	}
	return " (" + u.at.Format("2006-01-02") + ")"
}

// Ages that people state of themselves.
const (
	minAge = 6
	maxAge = 115
)

// isValue reports whether a slot holds what its attribute expects: no cue of time, no pronoun, a plausible age.
func isValue(attribute, value, lang string) bool {
	set := cue.Find(value, lang).Set()
	folded := foldedText(value)
	switch {
	case attribute == attributeAge:
		n, err := strconv.Atoi(folded)
		return err == nil && n >= minAge && n <= maxAge
	case isStyle(attribute):
		return true
	case attribute != attributeWork && notNames[folded], attribute == attributeName && notPeople.MatchString(value),
		notValues[folded], notValues[strings.Fields(folded)[0]], lang == "ar" && folded == "حسن الحظ",
		lang == "zh" && strings.HasSuffix(value, "城市"):
		return false
	case attribute == attributeWork:
		return !set.Any(cue.Self, cue.Lean, cue.You, cue.Time) && (lang == "vi" || !set.Has(cue.Number)) // "y tá" has a dozen in it
	case lang == "de" && attribute == attributeHome && abstract.MatchString(value),
		lang == "zh" && attribute == attributeName && strings.ContainsAny(value, "来來去了的过過吃做帮幫买買上下"):
		return false
	}
	if lang == "vi" && attribute == attributeName && (value == "Minh" || strings.HasPrefix(value, "Minh ")) {
		set &^= 1 << cue.Self // without its marks, "mình" is spelled like this name
	}
	return !set.Any(cue.Time, cue.Self, cue.Lean, cue.You, cue.Ask, cue.Kin, cue.Number) &&
		!(attribute == attributeName && set.Has(cue.Other))
}

// abstract matches German nouns that are not places.
var abstract = lazyregexp.New(`(?:ung|heit|keit|schaft|tät|ion|stand|nähe|lage)$`)

// notValues are words that follow "my name is", "I live in" or "I work as a" without being a name, a place or a job.
var notValues = func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(`nobody back uber excel slack word outlook teams jira vim emacs figma notion discord minecraft peace
		fear matter linux windows kubernetes docker github gitlab aws azure android iphone gmail python rust
		team loner quitter amateur strandnähe einzelkämpfer einzelgänger dummkopf loco loca tonto tonta
		enfer мотором фактором filler number programm hase geheimnis nebensache idiot angst frieden
		miete untermiete eigentum sorge armut luxus gedanken harmonie hotels erster letzter einziger primera
		manera cualquiera premier dernier primeira maneira 小心 小声 小聲 小费 小姐 老实 老大 高兴 安静 秘密 内緒 未定 普通 有名
		複雑 変 上司 先生 비밀 아니 똑같 이름 별명 빨리`) {
		words[foldedText(word)] = true
	}
	return words
}()

// notNames are jobs that are not names.
var notNames = map[string]bool{"chef": true, "老师": true, "老師": true}

// notPeople matches what people say that they are, in capitals, without its being a name: "I'm German".
var notPeople = lazyregexp.New(`^(?:\p{Lu}{2,}|\p{Lu}|(?i:team|from|an?|the|in|at|on|with|of) .*|(?i:.*(?:man|girl|boy|god|claus|bond|[a-z]ish|` +
	`[dgnrt]ese|[st]ian|atian|nian|can|tholic|stant|odox|udist)` +
	`|german|french|dutch|greek|swiss|czech|danish|thai|indian|iranian|iraqi|israeli|korean|asian|european|african|norwegian|canadian|austrian|russian|` +
	`ukrainian|belgian|hungarian|bulgarian|australian|egyptian|italian|brazilian|arab|welsh|scots|afghan|pakistani|filipino|filipina|latino|latina|hispanic|` +
	`muslim|christian|jewish|hindu|sikh|atheist|mormon|catholic|protestant|baptist|buddhist|republican|democrat|tory|labour|ok|okay|done|sorry|here|back|` +
	`fine|good|great|sure|ready|busy|gemini|cancer|leo|virgo|libra|scorpio|sagittarius|capricorn|aquarius|pisces|aries|taurus|tauro|géminis|cáncer|` +
	`escorpio|sagitario|capricornio|acuario|piscis|spartacus|batwoman|superwoman|wonder woman|dios|jesus|napoleon|napoleón|santa|papá|mamá|` +
	`hungry|tired|bored|sad|happy|sick|ill|late|lost|stuck|confused|curious|interested|looking|trying|going|not|so|just|very|also|still))$`)
