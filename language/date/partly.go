package date

import "reverie/language/lazyregexp"

// partly matches words for part of the time: one lives at two places by turns.
var partly = lazyregexp.New(`(?i)\b(?:during the week|on weekdays|(?:on|at|over) (?:the )?weekends?|in (?:the )?(?:summer|winter)s?|` +
	`half (?:of )?the (?:year|time)|part of the (?:year|time)|unter der woche|wochentags|am wochenende|` +
	`an (?:den )?wochenenden|im (?:sommer|winter)|en semaine|` +
	`le week-?end|les week-?ends|en (?:hiver|été|verano|invierno)|entre semana|(?:los )?fin(?:es)? de semana)\b|en été|平时|工作日|周末|夏天|冬天`)

// moves match a change of the place, which happens once: "moved over the weekend".
var moves = lazyregexp.New(`(?i)\b(?:moved|relocated|joined|started|gezogen|umgezogen|zog|gewechselt|déménag|emménag|` +
	`mud(?:é|ó|amos|ado))|搬|入职|跳槽`)

// HoldsPartly reports whether a clause holds only part of the time: on weekends, in summer.
func HoldsPartly(clause string) bool { return partly.MatchString(clause) && !moves.MatchString(clause) }
