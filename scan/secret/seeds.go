package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/lazyregexp"
	"reverie/scan/match"
)

// telegramToken matches a bot's token after its digits.
var telegramToken = lazyregexp.New(`^:[A-Za-z0-9_-]{35}(?:$|[^A-Za-z0-9_-])`)

// botTokens finds tokens of Telegram's bots: the bot's number, a colon and 35 characters.
func botTokens(text string) []Found {
	const shortest, longest, size = 8, 10, 36 // digits, and bytes from the colon on
	var found []Found
	for at := 0; ; at++ {
		i := strings.IndexByte(text[at:], ':')
		if i < 0 {
			return found
		}
		at += i
		from := at
		for from > 0 && isDigit(text[from-1]) && at-from <= longest {
			from--
		}
		if n := at - from; n < shortest || n > longest || !telegramToken.MatchString(match.Window(text, at, size+1)) {
			continue
		}
		if isRandom(text[at+1 : at+size]) {
			found = append(found, Found{from, at + size, "telegram-token"})
		}
	}
}

var (
	twilioAccount = lazyregexp.New(`^AC[0-9a-f]{32}\b`)
	hexToken      = lazyregexp.New(`\b[0-9a-f]{32}\b`)
)

// twilioTokens finds the auth token near the account that it belongs to. Alone it is like any hash.
func twilioTokens(text string) []Found {
	const near = 160 // bytes before and after
	var found []Found
	end := 0 // of what was searched before
	for at := 0; ; at += 2 {
		i := strings.Index(text[at:], "AC")
		if i < 0 {
			return found
		}
		at += i
		if !twilioAccount.MatchString(match.Window(text, at, 40)) {
			continue
		}
		from := max(end, at-near)
		end = min(at+near, len(text))
		for _, m := range hexToken.FindAllStringIndex(text[from:end], -1) {
			found = append(found, Found{from + m[0], from + m[1], "twilio-key"})
		}
	}
}

// Seeds of one-time passwords in Base32, as authenticators take them: in one piece, or in groups of four.
var (
	otpAddress = lazyregexp.New(`^[^\s"'<>]{0,200}?[?&]secret=([A-Za-z2-7]{8,})`)
	otpSeed    = lazyregexp.New(`(?:^|[^A-Za-z0-9])((?:[A-Z2-7]{4}[ -]?){4,16}|(?:[a-z2-7]{4}[ -]){3,15}[a-z2-7]{4})=*(?:$|` +
		`[^A-Za-z0-9=])`)
)

// otpLabels announce a seed. The seed of a weak label must have digits.
var otpLabels = func() *match.Literals[struct{}] {
	l := &match.Literals[struct{}]{WordStart: true}
	for word := range strings.FieldsSeq("totp otp 2fa mfa authenticator two-factor zwei-faktor secret seed setup otpauth") {
		l.Add(word, struct{}{})
	}
	return l
}()

// oneTimeSeeds finds the seeds of one-time passwords.
func oneTimeSeeds(text, lower string) []Found {
	const size = 120 // bytes after the label that may hold the seed
	var found []Found
	examined := 0
	otpLabels.Each(lower, func(from, to int, _ struct{}) {
		if to < examined {
			return
		}
		var m []int
		if strings.HasPrefix(lower[from:], "otpauth://") {
			m = otpAddress.FindStringSubmatchIndex(match.Window(text, to, 256))
		} else {
			line, _, _ := strings.Cut(match.Window(text, to, size), "\n")
			m = otpSeed.FindStringSubmatchIndex(line)
			if m != nil && !strings.ContainsAny(line[m[2]:m[3]], "234567") {
				return
			}
		}
		if m != nil {
			end := to + len(strings.TrimRight(text[to:to+m[3]], " -"))
			found = append(found, Found{to + m[2], end, "totp-secret"})
			examined = end
		}
	})
	return found
}

// Recovery phrases of wallets (BIP-39): 12 to 24 words.
const (
	shortestPhrase = 12
	longestPhrase  = 27 // with words after the phrase that are not separated from it
	// phraseGap bounds the bytes between label and phrase, phraseWindow those that may hold both.
	phraseGap    = 80
	phraseWindow = 640
)

var phraseLabels = func() *match.Literals[struct{}] {
	l := &match.Literals[struct{}]{}
	for word := range strings.SplitSeq("seed phrase|seed words|seed-phrase|recovery phrase|recovery words|recovery seed|wallet seed|mnemonic|"+
		"secret phrase|backup phrase|bip39|bip-39|12 words|24 words|wiederherstellungsphrase|wiederherstellungswörter|seed-wörter|"+
		"frase semilla|frase de recuperación|frase mnemotécnica|frase de recuperação|frase-semente|phrase de récupération|"+
		"phrase mnémonique|phrase secrète|frase di recupero|frase mnemonica|frase segreta|"+
		"シードフレーズ|リカバリーフレーズ|復元フレーズ|ニーモニック|시드 구문|복구 구문|니모닉|助记词|助記詞|恢复短语|"+
		"сид-фраз|сид фраз|мнемоник|мнемоническ|фраза восстановления|cụm từ khôi phục|cụm từ bí mật|عبارة الاسترداد|العبارة السرية", "|") {
		l.Add(word, struct{}{})
	}
	return l
}()

// phraseless are frequent words of sentences that no word list of BIP-39 contains; words of one or two letters are not in one
// either.
var phraseless = func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(`the and for not are was were has had his her its our your who which from with would could should
		than been but how why where these those never because them him she did does don per und der die das ist ein eine mit nicht auf
		los las por para con que una del les des une dans pour est sur qui che gli nel não uma dos nos`) {
		words[word] = true
	}
	return words
}()

// phraseMarks separate the words of a phrase: white space, commas, quotes, and the marks and numbers of lists.
var phraseMarks = lazyregexp.New("^(?:[\\s,;、|*>\"'`“”«»-]+|\\d{1,2}[.):]?|\\.(?:\\s*\n|\\s*$))+")

// recoveryPhrases finds the words after a label. No word list is needed: twelve words in a row without any of the short words of
// a sentence are not prose.
func recoveryPhrases(text, lower string) []Found {
	var found []Found
	examined := 0
	phraseLabels.Each(lower, func(_, to int, _ struct{}) {
		if to < examined {
			return
		}
		from, end, ok := phraseIn(match.Window(text, to, phraseWindow))
		if ok {
			found = append(found, Found{to + from, to + end, "recovery-phrase"})
		}
		examined = to + end
	})
	return found
}

// phraseIn returns the range of the first run of words that can be a phrase, or of the words that it has looked at.
func phraseIn(rest string) (from, end int, ok bool) {
	words := 0
	for at := 0; at < len(rest) && words <= longestPhrase; {
		at += len(phraseMarks.FindString(rest[at:]))
		size := strings.IndexFunc(rest[at:], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
		if size < 0 {
			size = len(rest) - at
		}
		word := rest[at : at+size]
		n := utf8.RuneCountInString(word)
		if n < 3 || n > 9 || phraseless[strings.ToLower(word)] || strings.ContainsFunc(word, match.IsWide) {
			if words >= shortestPhrase {
				break
			}
			words = 0
			if _, step := utf8.DecodeRuneInString(rest[at:]); size == 0 {
				size = step
			}
			if at += size; at > phraseGap {
				break
			}
			continue
		}
		if words == 0 {
			from = at
		}
		words++
		at += size
		end = at
	}
	return from, end, words >= shortestPhrase && words <= longestPhrase
}
