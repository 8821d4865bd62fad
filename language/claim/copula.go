package claim

import (
	"strings"

	"reverie/language/fold"
	"reverie/language/lazyregexp"
)

// Replaces reports whether a statement gives another value to the subject of an older one, in the languages that Read does not
// cover: Vietnamese, Spanish, German, Japanese, French, Portuguese and Korean. Both have to name the subject in the same words, and
// the subject has to have one value at a time, or both values have to be numbers in the same format.
func Replaces(older, newer string) bool {
	for _, c := range copulas {
		was, ok := c.read(older)
		if !ok {
			continue
		}
		if is, ok := c.read(newer); ok {
			return c.replaces(was, is)
		}
	}
	return false
}

// valued is a subject and its value.
type valued struct{ subject, value string }

// copula describes how a language states the value of a subject.
type copula struct {
	is *lazyregexp.Regexp // subject and value
	// one matches subjects that have one value at a time, several matches subjects that can have more than one.
	one, several *lazyregexp.Regexp
}

// read parses a statement of the form "subject is value", with nothing after it.
func (c copula) read(text string) (valued, bool) {
	m := c.is.FindStringSubmatch(strings.TrimRight(text, " .。!！"))
	if m == nil || strings.ContainsAny(m[2], ",;，；、") {
		return valued{}, false
	}
	return valued{subject: folded(m[1]), value: folded(m[2])}, true
}

// replaces reports whether two values of the same subject exclude each other: it has one value at a time, or both are numbers
// in the same format.
func (c copula) replaces(was, is valued) bool {
	if was.subject != is.subject || was.value == is.value || was.subject == "" || c.several.MatchString(was.subject) ||
		strings.HasPrefix(is.value, was.value+" ") || strings.HasPrefix(was.value, is.value+" ") {
		return false
	}
	if c.one.MatchString(was.subject) {
		return true
	}
	return digits.MatchString(was.value) && digits.ReplaceAllString(was.value, "#") == digits.ReplaceAllString(is.value, "#")
}

var digits = lazyregexp.New(`\d+`)

func folded(text string) string { return strings.Join(strings.Fields(fold.Text(text)), " ") }

// copulas covers the languages that Read does not. Subjects and values are compared folded; people also type
// without diacritics.
var copulas = []copula{
	{ // Vietnamese
		is: lazyregexp.New(`(?i)^(.{2,60}?)\s+(?:tên là|là|tên)\s+(.+)$`),
		one: lazyregexp.New(`nhat$|mat khau|^ma |cong |sinh nhat|dia chi|email|dien thoai|ngan sach|han chot|\bvo\b|` +
			`\bchong\b|\bsep\b|mui gio|^ten |yêu thích nhất|mật khẩu|mã |cổng|sinh nhật|địa chỉ|điện thoại|ngân sách|hạn chót|vợ|` +
			`chồng|sếp|múi giờ|tên `),
		several: lazyregexp.New(`con gái|con trai|\bcon\b|em gái|em trai|anh trai|chị gái|bạn|chó|mèo|con gai|ban |cho |meo`),
	},
	{ // Vietnamese, place of residence or work
		is: lazyregexp.New(`(?i)^((?:tôi|mình|em|anh|toi|minh) (?:đang )?(?:sống|song|làm việc|lam viec) )(?:ở|tại|o|` +
			`tai)\s+(\p{Lu}.+)$`),
		one:     lazyregexp.New(`.`),
		several: never,
	},
	{ // Spanish
		is: lazyregexp.New(`(?i)^(.{2,60}?)\s+(?:es|son|se llama|será)\s+(?:el |la |los |las |de )?(.+)$`),
		one: lazyregexp.New(`favorit|preferid|contrase|codigo|código|puerto|cumplea|direccion|dirección|correo|telefono|` +
			`teléfono|presupuesto|plazo|fecha|nombre|espos|mujer|marido|jef[ea]|editor|talla|ciudad|zona horaria|madre|padre`),
		several: lazyregexp.New(`\bhij|herman|amig|perr|gat[oa]|sobrin|prim[oa]|\bti[oa]|coleg`),
	},
	{ // Spanish, place of residence or work
		is:      lazyregexp.New(`^((?i:(?:yo )?(?:vivo|trabajo)) )en (\p{Lu}.+)$`),
		one:     lazyregexp.New(`.`),
		several: never,
	},
	copulaDE,
	{ // German, place of residence or work, and name
		is:      lazyregexp.New(`^((?i:ich (?:wohne|lebe|arbeite|heiße)) )(?:in |bei )?(\p{Lu}.+)$`),
		one:     lazyregexp.New(`.`),
		several: never,
	},
	{ // Japanese
		is:      lazyregexp.New(`^(.{1,40}?)は(.+?)(?:です|だ|である)?$`),
		one:     lazyregexp.New(`一番好きな|パスワード|コード|ポート|誕生日|住所|メール|電話|予算|締め?切り?|妻|夫|上司|名前|住まい`),
		several: lazyregexp.New(`娘|息子|妹|弟|姉|兄|友|犬|猫|子供|子ども|同僚`),
	},
	{ // French
		is: lazyregexp.New(`(?i)^(.{2,60}?)\s+(?:est|sont|s['’]appelle)\s+(?:le |la |les |à )?(.+)$`),
		one: lazyregexp.New(`prefere|préféré|mot de passe|code|port\b|anniversaire|adresse|mail|telephone|téléphone|budget|` +
			`delai|délai|nom\b|femme|mari\b|chef|ville|mère|père|mere|pere`),
		several: lazyregexp.New(`fille|fils|soeur|sœur|frere|frère|ami|chien|chat|cousin|oncle|tante|collegue|collègue|enfant`),
	},
	{ // Portuguese
		is: lazyregexp.New(`(?i)^(.{2,60}?)\s+(?:é|são|se chama|fica)\s+(?:o |a |os |as |às )?(.+)$`),
		one: lazyregexp.New(`favorit|preferid|senha|codigo|código|porta|aniversario|aniversário|endereço|endereco|email|` +
			`telefone|orçamento|orcamento|prazo|nome|esposa|marido|chefe|cidade|mãe|mae|pai\b`),
		several: lazyregexp.New(`filh|irm|amig|cachorr|gat[oa]|prim[oa]|\bti[oa]|coleg|sobrinh`),
	},
	{ // Korean
		is:      lazyregexp.New(`^(.{1,40}?)(?:은|는)\s+(.+?)(?:이야|야|입니다|이다|예요|이에요)?$`),
		one:     lazyregexp.New(`비밀번호|코드|포트|생일|주소|이메일|전화|예산|마감|아내|남편|상사|이름`),
		several: lazyregexp.New(`딸|아들|누나|언니|동생|오빠|형|친구|강아지|개|고양이`),
	},
}

// copulaDE is the German one.
var copulaDE = copula{
	is: lazyregexp.New(`(?i)^(.{2,60}?)\s+(?:ist|sind|heißt|lautet)\s+(?:der |die |das |am |um )?(.+)$`),
	one: lazyregexp.New(`lieblings|passwort|code|port\b|geburtstag|adresse|mail|telefon|budget|frist|deadline|\bname|` +
		`\bfrau|\bmann\b|chef|stadt|zeitzone|gr(?:ö|o|oe)(?:ß|ss)e|mutter|vater|schließfach|schliessfach`),
	several: lazyregexp.New(`tochter|sohn|schwester|bruder|freund|hund|katze|kater|kind|cousin|tante|onkel|kolleg|nichte|neffe`),
}

var never = lazyregexp.New(`^\x00$`)
