package claim

import (
	"strings"

	"reverie/language/fold"
	"reverie/language/lazyregexp"
)

// Attributes that KeyOf returns.
const (
	Home = attributeHome
	Name = attributeName
	// Place is a place of any kind: a street or a room contradicts no city, so that it is not a claim.
	Place = "place"
)

// keyNames are the names of attributes of the user in lines such as "Wohnort: Lyon", separated by commas.
var keyNames = map[string]string{
	attributeHome: `home, home city, home town, city, current city, town, residence, place of residence, based in, lives in, wohnort, wohnsitz, stadt,
		ville, résidence, lieu de résidence, città, residenza, ciudad, residencia, lugar de residencia, cidade, residência, город, место жительства, 城市,
		居住地, 所在城市, 现居, 现居地, 居住城市, 住所, 住まい, 도시, 거주지, 사는 곳, nơi ở, thành phố, nơi sống, المدينة, السكن, مكان السكن`,
	Place: `location, current location, address, home address, ort, adresse, anschrift, domicile, indirizzo, domicilio, dirección, direccion,
		morada, endereço, адрес, 住址, 地址, 住处, 所在地, 주소, địa chỉ, nhà, العنوان`,
	attributeEmployer: `employer, company, current employer, arbeitgeber, firma, employeur, entreprise, datore di lavoro, azienda, empleador, empresa,
		empregador, работодатель, компания, 公司, 雇主, 勤務先, 会社, 勤め先, 직장, 회사, công ty, nơi làm việc, الشركة, جهة العمل`,
	attributeJob: `job, occupation, profession, job title, beruf, métier, professione, profesión, profissão, профессия, 职业, 職業, 직업, nghề nghiệp,
		المهنة`,
	attributeName: `name, full name, nom, nome, nombre, имя, 姓名, 名字, 名前, 氏名, 이름, tên, họ tên, الاسم`,
	attributeAge:  `age, alter, âge, età, edad, idade, возраст, 年龄, 年齢, 나이, tuổi, العمر`,
	attributeBirthday: `birthday, date of birth, geburtstag, geburtsdatum, anniversaire, date de naissance, compleanno, data di nascita, cumpleaños,
		fecha de nacimiento, aniversário, data de nascimento, день рождения, дата рождения, 生日, 出生日期, 誕生日, 생일, sinh nhật, ngày sinh,
		تاريخ الميلاد, عيد الميلاد`,
	attributeDiet: `diet, ernährung, régime, régime alimentaire, alimentation, dieta, alimentazione, alimentación, alimentação, диета, питание, 饮食,
		식단, chế độ ăn, النظام الغذائي`,
}

// attributeOf maps folded names of keys to attributes.
var attributeOf = func() map[string]string {
	all := map[string]string{}
	for attribute, names := range keyNames {
		for name := range strings.SplitSeq(names, ",") {
			all[fold.Text(strings.Join(strings.Fields(name), " "))] = attribute
		}
	}
	return all
}()

// keyed matches a line with a key, which may be emphasised, and a value.
var keyed = lazyregexp.New(`^[\s*_]*([^:：*_\n]{1,40}?)[\s*_]*[:：][\s*_]*(\S.*)$`)

// KeyOf returns the attribute of the user that a line names by a key, in any of the twelve languages, and its value: "home" and "Lyon" of
// "Wohnort: Lyon". It is Place for a place of any kind, and empty for other lines.
func KeyOf(line string) (attribute, value string) {
	m := keyed.FindStringSubmatch(line)
	if m == nil {
		return "", ""
	}
	return attributeOf[fold.Text(m[1])], m[2]
}
