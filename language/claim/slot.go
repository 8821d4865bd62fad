package claim

import (
	"slices"
	"strconv"
	"strings"

	"reverie/language/lazyregexp"
)

// slot is one attribute of one subject with its value: {user, home, "Berlin"}.
type slot struct {
	key     string // subject, attribute and kind of the value
	kind    kind
	value   string
	words   Content // of the value
	single  bool    // it has one value at a time, so that two of them contradict one another
	changed bool    // the sentence marks the value as new
}

// about returns the keys of the subject and of the attribute.
func (s slot) about() (subject, attribute string) {
	subject, rest, _ := strings.Cut(s.key, "\x00")
	attribute, _, _ = strings.Cut(rest, "\x00")
	return subject, attribute
}

// kind is the type of a slot's value. Values of different kinds do not exclude one another: a meeting is on Tuesday and
// at five.
type kind string

const (
	kindTime    kind = "time"
	kindWeekday kind = "weekday"
	kindDate    kind = "date"
	kindNumber  kind = "number"
	kindName    kind = "name"
	kindWord    kind = "word"
)

// month is a pattern for the names of months.
const month = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|` +
	`oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?`

var (
	timeValue = lazyregexp.New(`(?i)^(?:at |around |about |by )*(?:\d{1,2}[:.]\d{2}(?: ?[ap]\.?m\.?)?|` +
		`\d{1,2} ?[ap]\.?m\b|noon\b|midnight\b|\d{1,2} ?o'clock)|^(?:早上|上午|中午|下午|晚上|凌晨)?[\d一二两三四五六七八九十]{1,3}(?:点|时|[:：]\d{2})`)
	weekdayValue = lazyregexp.New(`(?i)^(?:on |next |this |every |the )*(?:mon|tues?|wednes|thurs?|fri|satur|sun)days?\b|` +
		`^(?:每|下|这)?(?:个)?(?:周|星期|礼拜)[一二三四五六日天]`)
	dateValue = lazyregexp.New(`(?i)^(?:on |the |next |in )*(?:\d{4}-\d\d(?:-\d\d)?|\d{1,2}(?:st|nd|rd|th)?` +
		`(?: of)? ` + month + `|` + month + `(?: \d{1,4}(?:st|nd|rd|th)?)?\b|\d{1,2}[./]\d{1,2}[./]\d{2,4})|` +
		`^(?:\d{4}年)?[\d一二三四五六七八九十]{1,3}月(?:[\d一二三四五六七八九十]{1,3}[日号])?`)
	numberValue  = lazyregexp.New(`^(?:about |around |exactly |only |over )*[$€£¥#+]?\s?\d[\d.,]*`)
	nameValue    = lazyregexp.New(`^(?:the )?\p{Lu}[\p{L}\p{N}'&.+-]*(?: (?:of|de|van|von|and|&)? ?\p{Lu}[\p{L}\p{N}'&.-]*){0,3}$`)
	unitOfNumber = lazyregexp.New(`^[$€£¥#+]?\s?\d[\d.,]*\s*([\p{L}%°/]+)?`)
)

func kindOf(value string) kind {
	switch {
	case timeValue.MatchString(value):
		return kindTime
	case weekdayValue.MatchString(value):
		return kindWeekday
	case dateValue.MatchString(value):
		return kindDate
	case numberValue.MatchString(value):
		return kindNumber
	case nameValue.MatchString(value):
		return kindName
	}
	return kindWord
}

// slotOf returns a slot whose values have one kind. It is empty if the value has no content.
func slotOf(subject, attribute, value string) slot {
	value = strings.Trim(strings.TrimSpace(value), `"'“”。，,.`)
	k := kindOf(value)
	key := subject + "\x00" + attribute + "\x00" + string(k)
	if k == kindNumber {
		if m := unitOfNumber.FindStringSubmatch(value); m != nil {
			key += "\x00" + strings.TrimSuffix(strings.ToLower(m[1]), "s")
		}
	}
	if attribute == attributeHome {
		return slot{key: key, kind: k, value: value, words: ContentOf(Claim{Value: value}.Town())}
	}
	return slot{key: key, kind: k, value: value, words: valueOf(k, value)}
}

// valueOf returns the comparable form of a value.
func valueOf(k kind, value string) Content {
	switch k {
	case kindTime:
		if m := clockValue.FindStringSubmatch(value); m != nil {
			hour, _ := strconv.Atoi(m[1])
			minute, _ := strconv.Atoi(m[2])
			if strings.EqualFold(m[3], "p") && hour < noon {
				hour += noon
			}
			return Content{strconv.Itoa(hour*60 + minute): true}
		}
	case kindNumber:
		return Content{strings.TrimRight(strings.ReplaceAll(numberAlone.FindString(value), ",", ""), "."): true}
	case kindDate:
		return dateParts(strings.ToLower(value))
	}
	return ContentOf(value)
}

var (
	clockValue  = lazyregexp.New(`(?i)(\d{1,2})(?:[:.：](\d{2}))?\s*([ap])?`)
	numberAlone = lazyregexp.New(`\d[\d.,]*`)
	isoDate     = lazyregexp.New(`(\d{4})-(\d\d)(?:-(\d\d))?`)
	// datePart matches a part of a date: 5, 5月, may, 2026.
	datePart = lazyregexp.New(`([\d一二三四五六七八九十]+)([年月日号]?)|\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)`)
)

// differs reports whether two values of one slot exclude one another. A value that only adds or omits words does not
// differ.
func (s slot) differs(o slot) bool {
	if len(s.words) == 0 || len(o.words) == 0 {
		return false
	}
	return !s.words.Within(o.words) && !o.words.Within(s.words)
}

// dateParts returns the year, month and day of a date, as far as given: y2026, m5, d1.
func dateParts(value string) Content {
	parts := Content{}
	put := func(what, digits string) {
		if digits = strings.TrimLeft(digits, "0"); digits != "" {
			parts[what+digits] = true
		}
	}
	if m := isoDate.FindStringSubmatch(value); m != nil {
		put("y", m[1])
		put("m", m[2])
		put("d", m[3])
		return parts
	}
	for _, m := range datePart.FindAllStringSubmatch(value, -1) {
		switch {
		case m[3] != "":
			put("m", strconv.Itoa(strings.Index(monthNames, m[3])/len(m[3])+1))
		case m[2] == "月":
			put("m", m[1])
		case m[2] == "年", len(m[1]) == 4 && m[2] == "":
			put("y", m[1])
		default:
			put("d", m[1])
		}
	}
	return parts
}

// monthNames holds the first three letters of each month.
const monthNames = "janfebmaraprmayjunjulaugsepoctnovdec"

// grows reports whether the value of o follows naturally from s: people get older, and marry after an engagement.
func (s slot) grows(o slot) bool {
	if strings.Contains(s.key, "\x00"+attributeStatus+"\x00") {
		return strings.Index(statuses, strings.ToLower(s.value)) < strings.Index(statuses, strings.ToLower(o.value))
	}
	if !strings.Contains(s.key, "\x00"+attributeAge+"\x00") {
		return false
	}
	was, err1 := strconv.Atoi(s.value)
	is, err2 := strconv.Atoi(o.value)
	return err1 == nil && err2 == nil && is > was
}

// statuses are relationship statuses in their usual order.
const statuses = "single engaged married separated divorced widowed"

// Attributes of persons.
const (
	attributeHome     = "home"
	attributeEmployer = "employer"
	attributeJob      = "job"
	attributeAge      = "age"
	attributeBirthday = "birthday"
	attributeStatus   = "status"
	attributeDiet     = "diet"
	attributeIs       = "is"
	attributeName     = "name"
)

// add keeps a slot if its value has content.
func (r *Reading) add(s slot) {
	if len(s.words) > 0 && !r.isRow {
		s.single = s.single && !ofSeveral.MatchString(s.key)
		r.slots = append(r.slots, s)
	}
}

// ofSeveral matches subjects that people have several of: different names for two of them are not a contradiction.
var ofSeveral = lazyregexp.New(`^[^\x00]*(?:daughter|sister|brother|cousin|niece|nephew|uncle|aunt|friend|colleagu|` +
	`=child|\bson\b|en~son\b|en~cat\b|en~dog\b|en~pet\b|en~twin|女儿|儿子|孩子|姐姐|妹妹|哥哥|弟弟|朋友|同事)`)

// nounKey returns a key for a thing, its words in alphabetical order, so that "deadline for Alpha" and "Alpha's
// deadline" are equal.
func nounKey(noun string) string {
	words := ContentOf(noun)
	out := make([]string, 0, len(words))
	for w := range words {
		out = append(out, w)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// noon is the hour after which "p.m." no longer adds twelve.
const noon = 12
