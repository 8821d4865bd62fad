package scan

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// folded is a normalized text, for matching only: compatibility forms resolved (full width, mathematical and circled
// letters), lower case, without accents and invisible characters, with look-alikes of Latin letters and traditional Chinese
// forms replaced. White space is collapsed to one space or, at the end of a line, one line break, and removed between
// Chinese or Japanese characters.
type folded struct {
	text   string
	starts []int // offset of each line of the text as given
}

// line returns the index of the line at an offset.
func (f folded) line(at int) int { return lineAt(f.starts, at) }

// Folded returns a text normalized for matching: in lower case, without accents and invisible characters, and with
// look-alikes of letters replaced.
func Folded(text string) string { return fold(text).text }

// fold folds a text. Patterns are folded as well, so that they can be written naturally.
func fold(text string) folded {
	f := folder{starts: []int{0}}
	f.out.Grow(len(text))
	for at := 0; at < len(text); {
		b := text[at]
		switch {
		case b >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(text[at:])
			switch d := norm.NFKD.PropertiesString(text[at:]).Decomposition(); {
			case d != nil:
				for _, r := range string(d) {
					f.write(r)
				}
			case firstSyllable <= r && r <= lastSyllable:
				s := r - firstSyllable
				f.write(firstLead + s/(vowels*tails))
				f.write(firstVowel + s%(vowels*tails)/tails)
				if tail := s % tails; tail > 0 {
					f.write(noTail + tail)
				}
			default:
				f.write(r)
			}
			at += n
			continue
		case b == '\n':
			f.newLines++
		case b == ' ' || '\t' <= b && b <= '\r':
			f.space = true
		case b == '%' && strings.HasPrefix(text[at:], "%20"):
			f.space = true
			at += 2
		case b < ' ' || b == 0x7f: // control characters are invisible
		default:
			if 'A' <= b && b <= 'Z' {
				b += 'a' - 'A'
			}
			f.separate(false)
			f.out.WriteByte(b)
		}
		at++
	}
	for range f.newLines {
		f.starts = append(f.starts, f.out.Len())
	}
	return folded{text: f.out.String(), starts: f.starts}
}

// foldLetters folds only the letters of a pattern.
func foldLetters(pattern string) string {
	var out strings.Builder
	for _, r := range norm.NFKD.String(pattern) {
		if r < utf8.RuneSelf {
			out.WriteRune(unicode.ToLower(r))
		} else if r = foldRune(r); r > 0 {
			out.WriteRune(r)
		}
	}
	return out.String()
}

type folder struct {
	out      strings.Builder
	starts   []int
	space    bool // white space since the last character
	newLines int  // lines begun since the last character
	wide     bool // the last character is Chinese or Japanese
}

// write adds the folded form of a character that is not ASCII.
func (f *folder) write(r rune) {
	if wide := isWide(r); wide {
		f.separate(true)
		f.wide = true
		f.out.WriteRune(foldRune(r))
		return
	}
	switch r = foldRune(r); r {
	case 0:
	case ' ':
		f.space = true
	default:
		f.separate(false)
		f.out.WriteRune(r)
	}
}

// separate writes the white space before the next character.
func (f *folder) separate(wide bool) {
	if (f.space || f.newLines > 0) && f.out.Len() > 0 && (!wide || !f.wide) {
		if f.newLines > 0 {
			f.out.WriteByte('\n')
		} else {
			f.out.WriteByte(' ')
		}
	}
	for range f.newLines {
		f.starts = append(f.starts, f.out.Len())
	}
	f.space, f.newLines, f.wide = false, 0, false
}

// Korean syllables are decomposed by rule, not by table.
const (
	firstSyllable = 0xAC00
	lastSyllable  = 0xD7A3
	firstLead     = 0x1100
	firstVowel    = 0x1161
	noTail        = 0x11A7
	vowels        = 21
	tails         = 28
)

// foldRune returns the folded form of a decomposed character that is not ASCII: 0 for none, a space for white space.
func foldRune(r rune) rune {
	if to, ok := lookalikes[r]; ok {
		return to
	}
	switch {
	case isWide(r):
		return r
	case r < utf8.RuneSelf: // part of a decomposed character
		if unicode.IsSpace(r) {
			return ' '
		}
		return unicode.ToLower(r)
	case unicode.IsSpace(r), r == 0x115F, r == 0x1160, r == 0x2800: // two Hangul fillers and a Braille cell without dots
		return ' '
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Cc):
		return 0
	case 0x1F150 <= r && r <= 0x1F169: // white on black circles
		return 'a' + r - 0x1F150
	case 0x1F170 <= r && r <= 0x1F189: // white on black squares
		return 'a' + r - 0x1F170
	case 0x1F1E6 <= r && r <= 0x1F1FF: // the letters of flags
		return 'a' + r - 0x1F1E6
	}
	if r = unicode.ToLower(r); lookalikes[r] != 0 {
		return lookalikes[r]
	}
	return r
}

// lookalikes maps characters to those that they look like.
var lookalikes = pairs(
	// Cyrillic, small letters for both cases
	"аaвbеeоoрpсcуyхxіiјjѕsԁdԛqԝwһhнhӏlкkмmтtьb",
	// Greek
	"αaβbεeιiκkνvοoρpτtυuχxγyηn",
	// Latin small capitals, letters without a dot or with a stroke
	"ᴀaʙbᴄcᴅdᴇeꜰfɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwʏyᴢzıiɡgɑaøołlđd",
	// punctuation
	"‘'’'ʼ'′'“\"”\"„\"«\"»\"–-—-‐-‑-−-。.｡.、,",
	// traditional Chinese characters of the patterns
	"請请無无視视規规則则記记設设從从現现開开個个統统詞词約约對对話话內内過过準准繞绕蓋盖顯显輸输訴诉洩泄違违擺摆脫脱棄弃"+
		"給给為为們们員员會会戶户裝装隻只與与於于應应須须對对號号碼码錄录傳传發发將将憑凭證证",
)

// pairs makes a map from strings in which each character precedes the one that it is mapped to.
func pairs(lists ...string) map[rune]rune {
	m := map[rune]rune{}
	for _, list := range lists {
		characters := []rune(list)
		for i := 0; i < len(characters); i += 2 {
			m[characters[i]] = characters[i+1]
		}
	}
	return m
}
