package scan

// Parts of English orders.
const (
	enAll     = `(?:(?:all|any|each|every|everything in|of|the|these|those|this|that|my|our|his|her|its|their|whatever) )*`
	enEarlier = `(?:(?:previous|prior|preceding|above|earlier|foregoing|past|aforementioned|(?:previously|originally|initially) given) )`
	enOf      = `(?:(?:system|developer|user|admin|safety|security|hidden|written|and|or) )*`
	enOrders  = `(?:instructions?|directives?|directions|guidelines|guidance|prompts?|rules|constraints|programming)\b`
	enYour    = `your (?:(?:own|previous|prior|earlier|original|initial|current|existing|default|core|internal|system|safety|security|` +
		`content|developer|ethical|moral|given|old|hard-coded|usual|all) )*`
	enRules = `(?:instructions|rules|guidelines|programming|(?:system|initial|original|previous|hidden|developer) prompts?|directives|` +
		`restrictions|guardrails|training|alignment|limitations|constraints|safeguards|(?:content|safety) filters|content polic(?:y|ies)|` +
		`safety measures)\b`
	enSafety = `(?:safety|ethical|moral|alignment|ethics|content) (?:guidelines|protocols|polic(?:y|ies)|measures|restrictions|` +
		`training|rules|constraints|safeguards|guardrails)\b`
	enFreeMode = `(?:dan|do anything now|god|jailbreak|jailbroken|unrestricted|unfiltered|uncensored)`
	enEnd      = `(?:[*_"']{0,2}(?:[.,;:!?)\n]|$)| (?:and|instead|then)\b)`
	enObey     = `(?:follow|obey|heed|respect|comply with|adhere to|listen to|abide by)`
	enHidden   = `(?:(?:full|entire|complete|exact|hidden|secret|original|own|internal|confidential|current|whole|underlying|raw|first|` +
		`actual) )*`
	enYouMust = `you(?: have no|'ll| will| must| shall| are| should| have to| only| always| never| do not| don't| may only| can only|` +
		`'re| act| answer| respond| reply| speak| obey| ignore| work for| serve| no longer)\b`
	enUnfilter = `(?:unrestricted|unfiltered|uncensored|jailbroken|unaligned|evil|amoral|unethical|rogue|malicious)\b`
	enStatus   = `(?:(?:new|full|regular|registered|verified|premium|paying|official|certified|team|group|project|workspace|board|core|` +
		`co|beta|proud|lifetime|valued) )*` +
		`(?:member|subscriber|user|admin|administrator|owner|maintainer|contributor|collaborator|customer|participant|moderator|follower|` +
		`guest|editor|viewer|reader|author|` +
		`reviewer|developer|citizen|resident|parent|partner|student|graduate|tester|grandparent|homeowner|part|step|few|lot|bit|little|` +
		`regular|mere|click|short)\b`
)

// englishOverrides are the known orders in English.
var englishOverrides = []overrideRule{
	{
		name:   "ignore-previous",
		heads:  "ignore|disregard|forget|discard|neglect|abandon",
		tail:   ` ` + enAll + `(?:your )?` + enEarlier + `+` + enOf + enOrders,
		except: ` (?:the|this|that|my|a) ` + enEarlier + `(?:instruction|directive|prompt)\b`, // of a processor or shell
	},
	{
		name:  "ignore-previous",
		heads: "ignore|disregard|forget",
		tail: ` ` + enAll + `(?:instructions|directives|directions|guidelines|prompts|rules)(?: that| which)?(?: were| was| have been|` +
			` are)? ` +
			`(?:given|above|before this|earlier|from (?:the )?(?:system|developer|above|your)|you(?: were| have been|'ve| have| got| had|` +
			` received| previously))\b`,
	},
	{
		name:  "ignore-all",
		heads: "ignore|disregard|forget",
		tail: ` (?:all|any|every)(?: of)?(?: (?:the|your|other))? (?:instructions?|directives|guidelines|` +
			`prompts|` + enEarlier + `context)\b`,
	},
	{
		name:  "ignore-all",
		heads: "ignore|disregard|forget",
		tail:  ` (?:(?:your|the) )?(?:instructions|guidelines|directives|programming)` + enEnd,
		opens: true,
	},
	{
		name:  "ignore-all",
		heads: "forget|disregard|ignore",
		tail:  ` everything(?:[,.;:]| and)+ (?:from now on,? )?you(?: are|'re| will| must)\b`,
	},
	{
		name:  "ignore-safety",
		heads: "ignore|disregard|bypass|override|disable|forget",
		tail:  ` (?:(?:all|any|the|of|your|its|\w+'s|those|these) )*` + enSafety,
		opens: true,
	},
	{
		name:  "ignore-previous",
		heads: "override|overrule|overwrite",
		tail:  ` ` + enAll + `(?:your )?` + enEarlier + `+` + enOf + `(?:instructions|directives|prompts|guidelines)\b`,
	},
	{
		name:  "ignore-previous",
		heads: "your",
		tail: ` (?:(?:previous|prior|earlier|original|old|former|initial|current) )+(?:instructions|rules|guidelines|prompt) (?:are|is|` +
			`have been|has been)(?: now)? (?:void|null|cancell?ed|obsolete|revoked|overridden|invalid|suspended|replaced|no longer)\b`,
		plain: true,
	},
	{
		name:  "ignore-previous",
		heads: "ignore|disregard|forget",
		tail: ` ` + enAll + `(?:everything|anything|all|whatever|what)(?: that)? you (?:were|have been|'ve been|had been|are|got)` +
			` (?:told|taught|instructed|given|trained|programmed)\b`,
	},
	{
		name:  "ignore-previous",
		heads: "ignore|disregard|forget",
		tail: ` (?:everything|anything|all|all of the text|the text|whatever (?:is|was|came|comes)) (?:above|before this|prior to this|` +
			`prior|so far|up to (?:now|here|this point))(?: this (?:message|line|point))?` + enEnd,
	},
	{
		name:  "ignore-previous",
		heads: "ignore|disregard|forget",
		tail: ` (?:all )?(?:of )?(?:the )?above(?:,| and| then| instead| text)+ (?:and |then |instead |just |only )*` +
			`(?:say|print|output|respond|reply|tell|reveal|translate|repeat|follow (?:this|these|my|the following))\b`,
	},
	{
		name:  "ignore-previous",
		heads: "ignoring|disregarding|forgetting",
		tail:  ` (?:all|any|every) (?:of )?(?:the |your )?` + enEarlier + `+` + enOf + enOrders,
	},
	{
		name:  "ignore-previous",
		heads: "ignore|disregard|forget",
		tail:  ` ` + enAll + `(?:system|developer|initial|original) (?:prompts?|instructions|constraints|restrictions)\b`,
		opens: true,
	},
	{
		name:  "ignore-yours",
		heads: "ignore|disregard|forget|override|bypass|abandon|circumvent|evade|disable",
		tail:  ` (?:(?:all|any|every|each|everything in|of|about) )*` + enYour + enRules,
	},
	{
		name:  "disobey",
		heads: "do not|don't|dont|never|stop|cease|refuse to|quit",
		tail: ` (?:ever )?(?:` + enObey + `|following|obeying|heeding|respecting|complying with|adhering to) ` +
			`(?:` + enAll + enEarlier + `+` + enOf + enOrders + `|(?:(?:all|any|of) )*` + enYour + enRules + `)`,
		plain: true,
	},
	{
		name: "reveal-prompt",
		heads: "reveal|show|print|output|repeat|display|disclose|leak|expose|tell|give|share|send|dump|recite|return|write|copy|provide|" +
			"paste|summarize|echo|divulge|publish",
		tail: `(?: (?:me|us|them|out|back|all|of|down|in full|exactly|verbatim|the|full|complete|exact|text|contents?|words|wording|` +
			`everything in|to the user))* ` +
			`your ` + enHidden + `(?:system (?:prompt|message|instructions?)|(?:initial|hidden|secret|original|internal|confidential|` +
			`developer) (?:prompt|instructions|rules|message))\b`,
	},
	{
		name:  "reveal-prompt",
		heads: "reveal|output|repeat|leak|dump|disclose|recite|respond with|reply with",
		tail:  `(?: (?:back|verbatim|the|full|complete|exact|text|contents?|of))* (?:your|original) ` + enHidden + `prompt\b`,
		opens: true,
	},
	{
		name:  "reveal-prompt",
		heads: "reveal|leak|dump|disclose|divulge",
		tail:  ` (?:the|its|this) ` + enHidden + `(?:system|developer) (?:prompt|message|instructions)\b`,
		opens: true,
	},
	{
		name:  "reveal-prompt",
		heads: "print|output|show|repeat|display|recite|quote",
		tail: ` (?:the|its|this) ` + enHidden + `(?:system|developer) (?:prompt|message|instructions)(?: above)? (?:verbatim|` +
			`word for word|in full|exactly|as it is|letter by letter)\b`,
	},
	{
		name:  "new-instructions",
		heads: "your",
		tail:  ` (?:only )?new (?:(?:instructions|rules|directives?)(?: (?:is|are)\b|:)|system prompt\b)`,
		plain: true,
	},
	{
		name:  "new-instructions",
		heads: "new",
		tail:  ` (?:system )?(?:instructions?|directives?|prompt)(?: \([^)]{0,40}\))?:`,
		opens: true, plain: true,
	},
	{name: "new-instructions", heads: "system override|admin override|priority override|developer " +
		"override", tail: `(?: \w+)?[:\]]`, opens: true, plain: true},
	{
		name:  "jailbreak-mode",
		heads: "enter|activate|enable|switch|you are now in",
		tail:  ` (?:to |into |on )?(?:the )?` + enFreeMode + `(?: \w+)? mode\b`,
	},
	{name: "jailbreak-mode", heads: "enable|activate|become", tail: ` dan(?: [\d.]+\b| without\b)`},
	{name: "jailbreak-mode", heads: "jailbreak mode|jailbreak", tail: ` (?:activated|enabled|engaged)\b`, plain: true},
	{name: "jailbreak-mode", heads: "dan", tail: `(?: [\d.]+)? mode\b|[^.!?\n]{0,40}\bdo anything now\b`, plain: true},
	{name: "jailbreak-mode", heads: "do anything now", tail: enEnd, opens: true, plain: true},
	{
		name:  "freed",
		heads: "you",
		tail: `(?: are|'re) (?:no longer|not|never) (?:bound|restricted|limited|constrained|governed|subject)(?: by| to)? ` +
			`(?:(?:any|all|your|the|these|those|previous|prior|of|ethical|moral|safety|usual|typical|content|other) )*` +
			`(?:rules|guidelines|restrictions|instructions|programming|filters|polic(?:y|ies))\b`,
		plain: true,
	},
	{
		name:  "freed",
		heads: "you",
		tail: ` (?:no longer (?:have|need)|do not (?:have|need)|don't (?:have|need)) to ` + enObey + ` (?:(?:all|any|of|the|these) )*` +
			`(?:` + enYour + `|` + enEarlier + `)` + enRules,
		plain: true,
	},
	{
		name:  "freed",
		heads: "you",
		tail: `(?: are|'re) (?:now )?an? (?:\w+ ){0,4}(?:without|with no|free of|free from|not bound by) (?:any |all )?` +
			`(?:restrictions|filters|rules|guidelines|limitations|(?:ethical|moral|safety|content) \w+)\b`,
		plain: true,
	},
	{
		name:  "new-persona",
		heads: "you",
		tail:  `(?: are|'re|re) now (?:an?\b|dan\b|free (?:of|from)\b|acting as\b|playing\b|` + enUnfilter + `)`,
		except: `(?: are|'re|re) now an? ` + enStatus + `(?: (?:of|in|on|at|for|to|more|too|late|away|behind|with access)\b|[.,;!?")\n]|` +
			` *$)`,
		opens: true, plain: true,
	},
	{
		name:  "from-now-on",
		heads: "from|starting|beginning",
		tail: ` (?:now on|now|this (?:point|moment)(?: on| onwards?| forward)?|here on(?: out)?|today(?: on)?|` +
			`immediately),?(?: and forever,?)? ` + enYouMust,
		except: ` (?:now on|now|this (?:point|moment)(?: on| onwards?| forward)?|here on(?: out)?|today(?: on)?|immediately),? you(?:` +
			`(?:'ll| will) (?:also )?(?:find|get|receive|see|be (?:able|paid|charged|notified|asked)|need|have access)|(?: are|'re)` +
			` (?:able|allowed|welcome|entitled|covered|registered)|` +
			` should (?:see|get|receive)| only (?:need|have|pay)| no longer (?:need|have) (?:to (?:pay|use|log|register|enter|install|` +
			`run|restart|call|wait)|an?|the)| do not need| don't need)\b`,
		opens: true, plain: true,
	},
	{
		name:  "act-as",
		heads: "act|behave|respond|answer|roleplay|role-play",
		tail:  ` as (?:(?:if|though) you(?:'re|'d)?\b|an? ` + enUnfilter + `|dan\b)`,
		opens: true,
	},
	{
		name:  "pretend",
		heads: "pretend",
		tail:  ` (?:that )?(?:you(?:'re| are| were) (?:an?|not|no longer|free|dan|my)\b|you (?:have|had) no\b|to be (?:an?|my|the)\b)`,
		except: ` (?:that )?(?:to be|you(?:'re| are| were)) (?:an?|the) (?:[\w-]+ ){0,2}` +
			`(?:browser|client|server|device|phone|mobile|crawler|proxy|file|user agent|terminal|process|tty|host|network|customer|` +
			`visitor|user)\b`,
		opens: true,
	},
	{
		name:  "chat-template",
		heads: "<",
		tail: `\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|end_of_text|begin_of_text|eot_id|start_header_id|` +
			`end_header_id|begin.of.sentence|end.of.sentence|python_tag|channel|message)\|>`,
		plain: true,
	},
	{name: "chat-template", heads: "[system](#|[assistant](#", tail: `(?:instructions?|context|assistant|inner_monologue|` +
		`additional_instructions|error)\)`, plain: true},
	{name: "chat-template", heads: "[inst]|[/inst]|<<sys>>|<</sys>>|<start_of_turn>|<end_of_turn>", plain: true},
	{name: "chat-template", heads: "###", tail: ` ?(?:system|instruction|human)(?: prompt| message)?:`, opens: true, plain: true},
}
