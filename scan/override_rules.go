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

// Parts of Chinese orders. Traditional forms are folded to simplified ones.
const (
	zhAll     = `(?:所有|全部|一切|任何|全体|每一条|这些|那些|各种)`
	zhEarlier = `(?:之前|以前|此前|先前|以上|上面|上述|前面|前述|上文|前文|早先|刚才)`
	zhLink    = `(?:的|到|给|给出|给你|给定|收到|说|过|发出|下达|设定好|写|一切|所有|全部|这些|那些|系统|你|我|开发者|管理员|用户)*`
	zhOrders  = `(?:指令|指示|提示(?:词|和|与|及|、)|系统提示|设定|规则|约束|限制|准则|指引|人设)`
	zhRules   = `(?:设定|指令|指示|指引|规则|规定|限制|约束|准则|守则|人设|身份|角色|提示词|系统提示|训练|编程|政策|命令|要求)`
	zhOwn     = `(?:的|原有|原来|原本|最初|初始|自己|本来|被赋予|预设|内置|系统|安全|内容|道德|核心|之前|以前|所有|全部|一切|任何|底层|默认|既定|内部)*`
	zhPrompt  = `(?:系统提示词|系统提示|系统指令|系统设定|初始指令|初始提示词?|原始指令|隐藏指令|内部指令|提示词)`
	zhClause  = `[^,.;!?\n]`
	zhDefy    = `忽略|无视|忽视|忘记|忘掉|忘了|抛开|抛弃|绕过|绕开|推翻|违反|违背|放弃|突破|摆脱|覆盖|清除|丢弃`
	zhDefyNot = `不要理会|不用理会|不必理会|别理会|不理会|不用管|不要管|别管|不要遵守|不要再遵守|不再遵守|不遵守|不必遵守|不用遵守|停止遵守|不要遵循|不再遵循|不要执行|别再遵守|不要听从`
)

// chineseOverrides are the known orders in Chinese.
var chineseOverrides = []overrideRule{
	{
		name:   "ignore-previous",
		heads:  zhDefy + "|" + zhDefyNot,
		tail:   `掉?(?:你|您|我|系统)?(?:` + zhAll + `的?)*(?:你|我)?` + zhEarlier + zhLink + zhOrders,
		except: `.{0,16}(?:指令集|指示灯|规则引擎|限制条件)`,
	},
	{
		name:   "ignore-previous",
		heads:  zhDefy + "|" + zhDefyNot,
		tail:   `掉?` + zhAll + `的?(?:系统|安全)?(?:指令|指示|提示词|命令|安全限制|安全规则|道德准则)`,
		except: `.{0,16}(?:指令集|指示灯)`,
	},
	{
		name:  "ignore-previous",
		heads: zhDefy + "|" + zhDefyNot,
		tail: `掉?(?:` + zhEarlier + `(?:的|说的)*` + zhAll + `|` + zhAll + zhEarlier + `)的?` +
			`(?:内容|信息|对话|话|文字|东西|消息|命令|要求)?(?:[,.;:!?\n]|$|并|然后|而|直接|改)`,
	},
	{
		name:  "ignore-previous",
		heads: "忽略|无视|忘记",
		tail:  zhEarlier + `(?:内容)?,?(?:并|然后|改为)?(?:执行|按我|听我|输出|回答|直接)`,
		plain: true,
	},
	{name: "ignore-previous", heads: "忽略|无视|忘记", tail: `(?:之前的|原来的|原有的)?系统提示词`},
	{name: "new-instructions", heads: "新的指令|新指令|你的新指令是", tail: `:`, opens: true, plain: true},
	{
		name:  "ignore-safety",
		heads: "忽略|无视|绕过|绕开|突破|覆盖|不再遵守|不要遵守|不用遵守",
		tail:  `(?:` + zhAll + `|你的|的)*(?:安全|道德|伦理)(?:规则|准则|协议|限制|守则|指南|规范|约束)`,
		opens: true,
	},
	{name: "ignore-safety", heads: "绕过|突破|摆脱|无视", tail: `(?:所有|一切|任何)的?(?:限制|约束)(?:[,.;!?\n]|$)`, opens: true},
	{
		name:  "ignore-yours",
		heads: zhDefy + "|" + zhDefyNot,
		tail:  `掉?(?:` + zhAll + `|` + zhEarlier + `|的)*(?:你|您)` + zhOwn + zhRules,
	},
	{
		name:  "reveal-prompt",
		heads: "泄露|透露|显示|输出|打印|告诉|说出|展示|重复|公开|复述|给我|列出|返回|发送|提供|写出|背出",
		tail:  `(?:一下|我|给|出|出来|全部|完整|地|的|所有|一遍)*(?:你|您)(?:的|全部|完整|所有|自己|原始|最初|内部|隐藏)*` + zhPrompt,
	},
	{
		name:  "reveal-prompt",
		heads: "把|将",
		tail:  `(?:你|您)(?:的|全部|完整|所有|自己|原始|最初|内部|隐藏)*` + zhPrompt + zhClause + `{0,12}(?:告诉|输出|发|打印|显示|给|说|泄露|复述|重复|写|展示)`,
	},
	{
		name:  "reveal-prompt",
		heads: "输出|泄露|打印|显示|公开|复述",
		tail:  `(?:完整|全部|原始|的|一下|出)*(?:系统提示词|系统指令)(?:[,.;!?\n]|$)`,
		opens: true,
	},
	{
		name:  "jailbreak-mode",
		heads: "开启|激活|进入|启用|切换到|切换至",
		tail:  `(?:dan|越狱|无限制|不受限|无约束)(?:无限制|的)?模式`,
	},
	{name: "jailbreak-mode", heads: "dan", tail: `模式`, plain: true},
	{
		name:  "freed",
		heads: "你|您",
		tail:  `(?:现在)?是(?:一个|一名|个)?(?:不受|没有|无)(?:任何|道德|法律|规则|伦理|的)*(?:限制|约束|束缚)`,
		plain: true,
	},
	{
		name:  "freed",
		heads: "你|您",
		tail: `(?:现在|已经|已)?(?:不再|不|不会|不应)再?(?:受|被)到?` + zhClause + `{0,6}(?:任何|所有|一切|规则|道德|伦理|安全|你的)` +
			zhClause + `{0,8}(?:限制|约束|束缚|控制)`,
		plain: true,
	},
	{
		name:  "freed",
		heads: "你|您",
		tail: `(?:现在|已经|已)?(?:不再|不用|无需|不必|不需要)再?(?:需要)?(?:遵守|遵循|服从)` + zhClause + `{0,4}(?:任何|所有|一切|之前|你的|系统|安全|` +
			`道德)` + zhClause + `{0,6}(?:规则|规定|准则|限制|政策|指令|约束)`,
		plain: true,
	},
	{
		name:   "new-persona",
		heads:  "你现在|您现在|现在你|现在起你",
		tail:   `(?:就|已经)?是(?:一?(?:个|名|位|只|台|款|头|条)|dan|ai\b|不受|没有|无限制)`,
		except: `(?:就|已经)?是(?:一个人(?:[^工]|$)|` + zhClause + `{0,14}(?:成员|一员|会员|用户|管理员|员工|同事|学生|客户|读者|股东|粉丝|订阅者|爸爸|妈妈|父亲|母亲|爷爷|奶奶|吗|么|\?))`,
		opens:  true, plain: true,
	},
	{
		name:   "from-now-on",
		heads:  "从现在开始|从现在起|从今以后|从今天起|从今往后|从此刻起|从此以后|自现在起|即日起",
		tail:   `,? ?(?:请)?(?:你|您)(?:就|要|必须|只|将|会|是|不|应该|应|需|扮演|作为|每次|都|再也|永远|无条件|服从|的(?:名字|身份|角色|任务|目标|规则))`,
		except: `,? ?(?:请)?(?:你|您)(?:就可以|就能|将可以|将能|会收到|将收到|会得到|将获得|会看到|不需要|不用|不必|都可以|只需|只要)`,
		opens:  true, plain: true,
	},
	{name: "pretend", heads: "假装你是|假装您是|假装自己是|假设你是一个没有|请扮演一个没有|请扮演一个不受", opens: true},
}

// otherOverrides are the simplest orders in other languages. Texts may omit accents, because both sides are folded.
var otherOverrides = []overrideRule{
	// German
	{
		name:  "ignore-previous",
		heads: "ignoriere|missachte|vergiss|vergesst|verwirf|umgehe|übergehe|ignorieren sie|missachten sie|vergessen sie",
		tail: `(?: (?:bitte|jetzt|nun|alle|sämtliche|jede|die|deine|ihre|meine|von|diese))* (?:(?:vorherige|vorige|bisherige|frühere|` +
			`obige|vorangegangene|vorangehende|vorstehende)[nrs]? )` +
			`(?:anweisung(?:en)?|instruktion(?:en)?|befehle?|regeln|vorgaben|richtlinien|prompts?)`,
	},
	{
		name:  "ignore-yours",
		heads: "ignoriere|missachte|vergiss|vergesst|verwirf|umgehe|übergehe|ignorieren sie|missachten sie|vergessen sie",
		tail: `(?: (?:bitte|jetzt|nun|alle|all|sämtliche))* (?:deine|ihre) (?:\w+en )?` +
			`(?:anweisungen|instruktionen|regeln|vorgaben|richtlinien|programmierung|systemprompt|einschränkungen|beschränkungen)`,
	},
	{
		name:  "ignore-previous",
		heads: "ignoriere|missachte|vergiss|ignorieren sie|vergessen sie",
		tail:  ` alles,? was (?:dir|ihnen|du|sie) (?:bisher |vorher |zuvor )?(?:gesagt|aufgetragen|beigebracht|gelernt)`,
	},
	{
		name:  "reveal-prompt",
		heads: "zeig|zeige|verrate|nenne|gib|offenbare|wiederhole|sag|zeigen sie|verraten sie",
		tail: `(?: (?:mir|uns|bitte|wörtlich|den|die|jetzt))* (?:deinen?|ihren?) (?:\w+en )?(?:system-?prompt|systemanweisung(?:en)?|` +
			`systemnachricht)`,
	},
	{
		name:  "new-persona",
		heads: "du bist|sie sind",
		tail:  ` (?:jetzt|nun|ab sofort|ab jetzt|von nun an) (?:ein|eine|mein|meine)\b`,
		except: ` (?:jetzt|nun|ab sofort|ab jetzt|von nun an) (?:ein|eine|mein|meine) (?:\w+ ){0,2}(?:mitglied|teil|admin|administrator|` +
			`abonnent|kunde|kundin|mutter|vater)`,
		opens: true, plain: true,
	},
	{
		name:  "from-now-on",
		heads: "ab|von",
		tail:  ` (?:jetzt|sofort|nun)(?: an)?,? (?:bist|antwortest|wirst|gehorchst|ignorierst|befolgst|sprichst|darfst|sollst) du\b`,
		opens: true, plain: true,
	},
	{name: "act-as", heads: "tu so|verhalte dich", tail: `,? als (?:ob du|wärst du|seist du|hättest du)\b`, opens: true},

	// Spanish, Portuguese, Italian
	{
		name:  "ignore-previous",
		heads: "ignora|ignore|ignoren|olvida|olvide|olvídate de|desestima|descarta|omite|haz caso omiso de|haga caso omiso de",
		tail: `(?: (?:todas?|todos?|cualquier|de|las|los|mis|estas|esas|tus|sus))* (?:instrucciones|indicaciones|órdenes|reglas|` +
			`directrices|directivas|prompts)` +
			`(?: (?:del sistema|que|te|se|han|he|dado))* (?:anteriores|previas|previos|precedentes|de arriba|dadas|recibidas)\b`,
	},
	{
		name:  "ignore-yours",
		heads: "ignora|olvida|olvídate de|desestima|descarta|desobedece|haz caso omiso de",
		tail:  `(?: (?:todas?|de))* tus (?:propias )?(?:instrucciones|reglas|directrices|restricciones|limitaciones)\b`,
	},
	{
		name:  "ignore-previous",
		heads: "ignora|olvida|olvídate de|descarta",
		tail:  ` todo lo (?:anterior|que (?:te|se te) (?:dijeron|han dicho|ha dicho|dije|indicaron|indicó))\b`,
	},
	{
		name:  "reveal-prompt",
		heads: "revela|revélame|muestra|muéstrame|dime|enséñame|imprime|repite|filtra",
		tail: `(?: (?:todo|el|texto|completo|de))* (?:tu (?:prompt|mensaje) (?:de|del|inicial|oculto|secreto)|` +
			`tus instrucciones (?:ocultas|internas|iniciales|del sistema|secretas))\b`,
	},
	{
		name:   "new-persona",
		heads:  "ahora eres",
		tail:   ` (?:un|una|mi)\b`,
		except: ` (?:un|una|mi) (?:\w+ )?(?:miembro|parte|usuario|usuaria|administrador|socio|socia|cliente)\b`,
		opens:  true, plain: true,
	},
	{
		name:  "from-now-on",
		heads: "a partir de",
		tail:  ` (?:ahora|este momento),? (?:eres|actúa|actuarás|responderás|responde|debes|serás|tienes que|vas a|obedecerás|ignora)\b`,
		opens: true, plain: true,
	},
	{name: "pretend", heads: "finge|actúa como si", tail: ` (?:que eres|ser|fueras|no tuvieras|tuvieras)\b`, opens: true},
	{
		name:  "ignore-previous",
		heads: "ignore|ignora|esqueça|esquece|desconsidere",
		tail: `(?: (?:todas?|todos|as|os|suas|tuas))* (?:instruções|regras|diretrizes|orientações|ordens)(?: (?:anteriores|prévias|` +
			`acima|precedentes)\b)`,
	},
	{
		name:  "ignore-previous",
		heads: "ignora|ignorate|dimentica|dimenticate",
		tail:  `(?: (?:tutte|le|tue|vostre))* (?:istruzioni|regole|direttive|indicazioni) (?:precedenti|sopra|di prima)\b`,
	},

	// French
	{
		name:  "ignore-previous",
		heads: "ignore|ignorez|oublie|oubliez|néglige|négligez|ne tiens pas compte|ne tenez pas compte|ne tiens aucun compte",
		tail: `(?: (?:toutes?|tous|tout|de|des|les|tes|vos|mes|ces))* (?:instructions|consignes|règles|directives|indications|prompts)` +
			`(?: (?:du|système|qui|ont|été|t'ont))* (?:précédentes?|antérieures?|ci-dessus|préalables|données|reçues|d'avant)\b`,
	},
	{
		name:  "ignore-yours",
		heads: "ignore|ignorez|oublie|oubliez|néglige|contourne|enfreins|ne tiens pas compte de",
		tail:  `(?: (?:toutes|tous))* (?:tes|vos) (?:propres )?(?:instructions|consignes|règles|directives|restrictions|limites)\b`,
	},
	{name: "ignore-previous", heads: "ignore|ignorez|oublie|oubliez", tail: ` tout ce (?:qui précède|qu'on t'a dit|qui t'a été dit|` +
		`que tu as appris)`},
	{
		name:  "reveal-prompt",
		heads: "révèle|révélez|affiche|affichez|montre|montrez|donne|donnez|dis|répète|imprime",
		tail: `(?:-(?:moi|nous))? (?:(?:ton|votre) (?:prompt|message) (?:système|initial|caché)|(?:tes|vos) instructions (?:système|` +
			`cachées|initiales|secrètes))`,
	},
	{
		name:  "new-persona",
		heads: "tu es|vous êtes",
		tail:  ` (?:maintenant|désormais|à présent) (?:une?|mon|ma)\b`,
		except: ` (?:maintenant|désormais|à présent) (?:une?|mon|ma) (?:\w+ )?(?:membre|partie|utilisateur|utilisatrice|administrateur|` +
			`abonnée?|cliente?)\b`,
		opens: true, plain: true,
	},
	{
		name:  "from-now-on",
		heads: "à partir de",
		tail:  ` (?:maintenant|cet instant),? (?:tu|vous) (?:es|êtes|vas|dois|devez|réponds|répondez|répondras|agis|obéis|ne)\b`,
		opens: true, plain: true,
	},
	{name: "act-as", heads: "fais|faites", tail: ` (?:comme si (?:tu|vous)\b|semblant d'être\b)`, opens: true},

	// Russian
	{
		name:  "ignore-previous",
		heads: "игнорируй|игнорируйте|проигнорируй|проигнорируйте|забудь|забудьте",
		tail: `(?: (?:все|всё|свои|твои|ваши|эти|мои|про))* (?:предыдущие|прежние|прошлые|предшествующие|вышеуказанные|свои|твои)` +
			` (?:инструкции|указания|правила|команды)`,
	},

	// Japanese, Korean
	{
		name:  "ignore-previous",
		heads: "これまで|以前|上記|先ほど|今まで|前|あなた",
		tail:  `の?(?:すべて|全て|全部)?の?(?:指示|命令|ルール|プロンプト|設定|指令)(?:を|は)?(?:すべて|全て|全部|完全に)?(?:無視し|無視せよ|忘れて|忘れろ)`,
		plain: true,
	},
	{
		name:  "ignore-previous",
		heads: "이전|앞선|위|지금까지|기존",
		tail:  `(?:의|에)?(?: 받은)?(?: 모든)? (?:지시|지침|명령|규칙|지시사항|프롬프트)(?:을|를|은|는|들을)?(?: (?:모두|전부|다|완전히))* (?:무시|잊어|잊으)`,
		plain: true,
	},
}
