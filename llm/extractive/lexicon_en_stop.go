package extractive

// stopObjects begin objects that point into the conversation ("I love it", "I like the second one"): no statement.
var stopObjects = set(`it this that these those them him her you your yours one ones so what how which who whom whatever where why the-idea
	here there me myself something anything nothing everything someone each both neither either none some any more less such yourself itself
	seeing hearing knowing`)

// stopNouns after "the", "your" or an adjective point into the conversation as well: "I like the idea".
var stopNouns = set(`idea ideas suggestion suggestions answer answers option options approach version way sound look first second third
	last previous next other latter former one ones part joke story photo picture pic painting design color colour look vibe plan concept
	example explanation response reply result output draft list details message poem solution new result format above below following same
	rest point fact question`)

// stopSubjects name things that sentences are about for the moment only: "the problem is", "my question is".
var stopSubjects = set(`problem problems issue issues error errors question questions answer point points thing things reason reasons
	output result results code function bug exception following input idea rest only first second third last best worst weather time movie
	film book song story game food fact truth guess bad mistake goodness god understanding thought thoughts opinion query script program
	response value status line file log message request test tests build page screen app website site
	sentence word example difference advantage disadvantage key way trick catch downside upside same other one ones loop variable array string
	regex task topic title text goal-here feeling hope wish concern worry doubt impression view take experience mind heart head life day week
	weekend morning evening night year month world people everyone everything nothing something anything someone sky sun rain moon show
	episode series music video photo picture painting place space view vibe energy support love spirit art process journey past future present
	situation case fault turn stuff lot bit kind sort name-of apology apologies condolences pleasure joy happiness happy sorry pain struggle
	dream work-in progress effort courage motivation confidence`)

// moods pass; a line about them would be wrong tomorrow.
var moods = set(`tired exhausted busy nervous happy sad angry upset late fine ok okay good great well sick ill hungry thirsty bored excited
	glad sorry sure ready here back home done afraid-so worried anxious stressed confused lost stuck curious surprised shocked impressed proud
	grateful thankful hopeful optimistic able unable aware available free alone lonely awake asleep cold hot warm drunk hungover swamped
	overwhelmed frustrated annoyed disappointed relieved amazed delighted thrilled stoked pumped
	kidding joking serious right wrong correct new old young interested open fortunate lucky blessed honored honoured touched speechless all
	so too very really looking trying wondering thinking getting doing asking talking saying feeling having seeing hearing kinda`)
