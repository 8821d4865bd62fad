// Package number reads the numerals of Chinese, Japanese and Korean.
package number

// Numerals are the digits of a language and the places that multiply them.
type Numerals struct{ Digits, Places map[rune]float64 }

// Han are the numerals of Chinese and Japanese, Sino those of Korean that come from Chinese.
var (
	Han = Numerals{
		map[rune]float64{
			'〇': 0, '零': 0, '一': 1, '二': 2, '两': 2, '兩': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9,
		},
		map[rune]float64{'十': 10, '百': 100, '千': 1000, '万': 1e4, '萬': 1e4, '亿': 1e8, '億': 1e8},
	}
	Sino = Numerals{
		map[rune]float64{'일': 1, '이': 2, '삼': 3, '사': 4, '오': 5, '육': 6, '칠': 7, '팔': 8, '구': 9},
		map[rune]float64{'십': 10, '백': 100, '천': 1000, '만': 1e4, '억': 1e8},
	}
)

// Place returns the value of a place: 万 is ten thousand.
func Place(r rune) (float64, bool) {
	if v, ok := Han.Places[r]; ok {
		return v, true
	}
	v, ok := Sino.Places[r]
	return v, ok
}

// Small returns the number below 100 that is all of a text in Chinese characters; 0: none. Digits without a place say "two or three" (两三),
// which is no number.
func Small(text string) int {
	runes := []rune(text)
	n, value, places := Han.Read(runes)
	if n < len(runes) || n > 1 && places == 0 || value >= 100 { //nolint:mnd // see above
		return 0
	}
	return int(value)
}

// Read reads the number that runes begin with: digits with places (二十三 and 三万二千), or digit by digit (二〇二六). It returns how many runes
// it takes, its value, and how many of them are places.
func (s Numerals) Read(runes []rune) (n int, value float64, places int) {
	var total, section, digit float64
	count, pending := 0, false
	plain := 0.
	last := 0.
	for _, r := range runes {
		if v, ok := s.Digits[r]; ok {
			digit, pending = v, true
			plain = plain*10 + v
			count++
		} else if p, ok := s.Places[r]; ok {
			places++
			if !pending && (section == 0 || p < 1e4) {
				digit = 1
			}
			switch {
			case p >= 1e4 && section+digit == 0:
				return n, value, places
			case p >= 1e4:
				if !pending {
					digit = 0
				}
				if section+digit == 0 {
					digit = 1
				}
				total += (section + digit) * p
				section = 0
			default:
				section += digit * p
			}
			digit, pending, last = 0, false, p
		} else {
			break
		}
		n++
		value = total + section + digit
		if pending && last >= 100 && digit > 0 && n >= 2 {
			if _, isDigit := s.Digits[runes[n-2]]; !isDigit {
				value = total + section + digit*last/10 // 一百五, 三万二
			}
		}
	}
	if places == 0 && count > 1 {
		value = plain
	}
	return n, value, places
}
