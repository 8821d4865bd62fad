package remember

import (
	"reverie/language/lazyregexp"
)

// Parts of the English patterns.
const (
	politeEN = `(?:(?:(?:hi|hello|hey)(?: \p{L}+)?|okay?|so|and|also|oh|well|yes|yeah|no|now|please|pls|plz|kindly|just|alright|` +
		`great|btw|by the way|one more thing|for (?:future reference|the record|later|next time)|fyi)\s*[,!.:–—-]*\s+)*`
	wantEN = `(?:(?:i|we)(?:['’]d| would)? (?:really )?(?:want|need|like|ask|wish|appreciate it if) you(?: to|['’]d)? |` +
		`you (?:should|must|need to|have to|may|can) |(?:make|be) sure (?:to |that you |you )|` +
		`it(?:['’]s| is) important (?:to |that you )|let['’]s |(?:please |always |also |really |just )+)*`
	askEN  = `(?P<ask>(?:can|could|would|will) you (?:please |kindly |just |also )*)?`
	verbEN = `(?P<verb>remember|memori[sz]e|keep in (?:mind|memory)|bear in mind|don['’]?t (?:ever )?forget|` +
		`do not (?:ever )?forget|never forget|take (?:a )?note|make a (?:mental )?note|(?:note|write|jot) (?:this |that |it )?down|` +
		`(?:please )?note|memo|(?:save|add|store|commit|put|write) (?:(?:this|that|it|the following) )?(?:to|in|into) (?:your |` +
		`the )?(?:long-term )?memory|(?:save|store|record) (?:this|the following))`
	linkEN = `(?P<link>\s+(?:for (?:me|later|next time|the future)|about me)\s*[,:]?\s+that\s+|` +
		`(?:\s+(?:for (?:me|later|next time|the future)|about me|please|down))*\s*[:：]\s*|(?:\s+(?:please))?,?\s+that\s*:?\s+|` +
		`\s+(?:this|that|it|these|those|the following)(?: (?:things?|facts?|points?|details?|one|info(?:rmation)?|please|` +
		`for (?:me|later)|about me))*\s*[:：–—-]\s*|\s*\n|\s+of (?:the fact that|this:)\s+|\s+this\s+|\s*[,–—]\s*|\s+-\s+|\s+)`
	pointEN = `(?:this|that|it|these|those)`
)

var english = &grammar{
	language: "en",
	lead:     lazyregexp.New(`(?is)^` + politeEN + wantEN + askEN + wantEN + verbEN + linkEN + `(?P<kept>.+)$`),
	tail: lazyregexp.New(`(?is)^(?P<kept>.+?)\s*[,;.!–—-]+\s*(?:(?:so|and|but)\s+)?` + askEN +
		`(?:please\s*,?\s*|pls |just |always |also |do )*(?:remember(?: ` + pointEN + `)?|(?:keep|bear) ` + pointEN +
		` in mind|don['’]?t forget(?: ` + pointEN + `| about ` + pointEN + `)?|do not forget(?: ` + pointEN + `)?|(?:note|write|jot) ` +
		pointEN + `(?: down)?|make a note(?: of ` + pointEN + `)?|take note(?: of ` + pointEN + `)?|memori[sz]e ` + pointEN +
		`|(?:save|add|store|commit) ` + pointEN + `(?: (?:to|in|into) (?:your |the )?memory)?)` +
		`(?:\s+for (?:me|later|next time|the future|future reference)|,? please|,? ok(?:ay)?)*[\s.!?]*$`),
	never: lazyregexp.New(`(?is)^(?:the |that |those |this )?(?:time|times|day|days|one|night|morning|evening|week|weekend|` +
		`summer|winter|trip|song|movie|film|guy|girl|man|woman|scene|feeling|moment|episode|show|game)s? (?:when|where|that|we|you|i|` +
		`he|she|they|in|from|at|with|who|of)\b|^(?:this|that|it|these|those|me|us|him|her|them|you|everything|nothing|` +
		`what i (?:said|told))[\s.!]*$|^(?:this|that|it) (?:for|in|when|if|next|as|until)\b|` +
		`^(?:please|later|forever|well|correctly)[\s.!]*$`),
	bare: lazyregexp.New(`(?is)^(?:\S+ )+?(?:to|when|how|what|who|whom|where|why|which|me|him|her|them|us|you|last|if|whether|` +
		`back|being|seeing|going|correctly|not|all|the (?:time|day|good|old)|those|that (?:time|day|one|night))\b|` +
		`^note (?:the|how|a|an|down)\b|^(?:please )?note .*\b(?:function|variable|class|method|code|example|above|below)\b`),
	says: lazyregexp.New(`(?is)(?:^|[^\p{L}])(?:is|are|am|was|were|has|have|had|likes?|loves?|prefers?|hates?|dislikes?|` +
		`enjoys?|lives?|works?|wants?|needs?|uses?|means?|can|can['’]t|cannot|must|should|shall|will|won['’]t|don['’]t|doesn['’]t|` +
		`didn['’]t|isn['’]t|aren['’]t|never|always|speaks?|owns?|drives?|plays?|eats?|drinks?|takes?|goes|starts?|ends?|closes?|` +
		`opens?|arrives?|leaves?|turns?|moved|married|called|named|born|allergic|runs?|expires?|costs?|stands for|belongs?|i['’]m|` +
		`he['’]s|she['’]s|it['’]s|we['’]re|they['’]re|['’]s (?:a|an|the|not|called|named|allergic|on|in|at))(?:[^\p{L}]|$)|` +
		`['’]s (?:a|an|the|not|called|named|allergic) |\d|[:=]`),
	loose: lazyregexp.New(`(?i)that\s*:?\s+$|[:：\n]|(?:this|these|following)[^,]*[–—-]`),
	further: lazyregexp.New(`(?is)[.!;,\n]\s+(?:and |then |also |now |but )*(?:please |then |now )*(?:can you|could you|` +
		`would you|will you|let['’]s|write|give|tell|show|make|create|explain|help|find|search|look up|list|summari[sz]e|translate|` +
		`generate|draft|send|remind|recommend|suggest|what|what['’]s|who|where|when does|why|how|do you|does|did you|answer|compare|` +
		`calculate|fix|check|review|use that|forget|proceed|go on|continue)\b|` +
		`\band (?:then |now |please |also )*(?:write|give|tell|show|create|explain|help|find|search|summari[sz]e|translate|generate|` +
		`draft|send|remind|recommend|suggest|answer|calculate)\b (?:me|us|a|an|the|some|this|it)\b`),
	thanks: lazyregexp.New(`(?i)[\s,.!;–—-]*(?:thanks(?: a lot| so much| in advance)?|` +
		`thank you(?: so much| very much| in advance)?|thx|ty|cheers|will you|ok\??|okay\??|got it\??)[\s.!]*$`),
}
