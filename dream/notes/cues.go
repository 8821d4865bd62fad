package notes

import (
	"regexp"
	"strings"
)

var (
	rememberLead    = regexp.MustCompile(`(?i)^(?:please |always )?(?:remember|do not forget|don't forget)\b[:,]?\s*(\w+)?|^(?:(?:the )?user )?(?:has )?asked (?:me )?(?:to (?:remember|note|keep in mind)|for .{1,60} to be remembered)\b|^(?:请|要求|让我|用户要求)?(?:记住|牢记|别忘了)`)
	rememberHeading = regexp.MustCompile(`(?i)^(?:(?:things )?(?:to )?remember(?:ed)?|asked to remember|remember this)$|^(?:记住|牢记|备忘|备忘录)$`)
	// reminiscing is what follows "remember" when nothing is asked for: "Remember when we met?", and tasks, which are over once
	// they are done: "Remember to buy milk."
	reminiscing = regexp.MustCompile(`(?i)^(?:when|how|to|why|who|where|last|us|me)$`)
)

// asksToRemember reports whether an entry says, or stands under something that says, that a person asked for it to be remembered.
func asksToRemember(heading, under, said string) bool {
	if rememberHeading.MatchString(strings.Trim(titleOf(heading), " :：")) || rememberHeading.MatchString(strings.Trim(under, " :：")) {
		return true
	}
	m := rememberLead.FindStringSubmatch(said)
	return m != nil && !reminiscing.MatchString(m[1]) && !strings.HasSuffix(said, "?") && !strings.HasSuffix(said, "？")
}

var ending = regexp.MustCompile(`(?i)\bno longer\b|\bnot\b.{0,40}\bany ?more\b|\bn't\b.{0,40}\bany ?more\b|\b(?:stopped|quit|gave up|given up|cancelled|canceled)\b|^formerly\b|\bused to\b|\bis over\b|不再|戒了|取消了|已经不|以前是|曾经是|停止了`)

// saysItEnds reports whether a statement says that something no longer holds.
func saysItEnds(said string) bool { return ending.MatchString(said) }

// corrections are how a value is said to be wrong.
var corrections = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^(?:corrected|correction|fixed)\b[^,;]{0,120}[,;] (?:and )?not ([^,;.]{1,60}?)[.!]?$`),
	regexp.MustCompile(`(?i),? \(?not ([\w@:./-]*\d[\w@:./-]*?)\)?[.!]?$`),
	regexp.MustCompile(`(?i)\binstead of ([^,;.]{1,60}?)(?: (?:since|from|as|for|in|on|at|because|when)\b.*)?[.!]?$`),
	regexp.MustCompile(`(?i)\b(?:switched|moved|migrated|changed|renamed)\b.{0,40}\bfrom ([^,;.]{1,60}?) to\b`),
	regexp.MustCompile(`(?:更正|纠正)?[：:，,]?[^，,]{1,60}[，,]\s*(?:而)?不是([^，,。]{1,30})[。！]?$`),
	regexp.MustCompile(`从([^，,。]{1,20})(?:换成|改成|改为|迁移到|迁到|切换到)`),
}

// wrongValue is the value that a statement says is wrong; empty when it names none.
func wrongValue(said string) string {
	for _, c := range corrections {
		if m := c.FindStringSubmatch(said); m != nil {
			return strings.TrimSpace(m[1])
		}
	}
	return ""
}
