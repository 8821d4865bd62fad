package extractive

import "strings"

// form is the grammatical form of a verb.
type form int

const (
	formBase       form = iota + 1 // work
	formThird                      // works
	formPast                       // worked
	formParticiple                 // worked, been, written
	formIng                        // working
)

// verbForm is a reading of an inflected word.
type verbForm struct {
	lemma string
	form  form
	// same is true if past and participle are the same word.
	same bool
}

// irregularVerbs are lemma, third person, past, participle, -ing.
const irregularVerbs = `
have has had had having
do does did done doing
go goes went gone going
come comes came come coming
get gets got gotten getting
grow grows grew grown growing
know knows knew known knowing
speak speaks spoke spoken speaking
drive drives drove driven driving
ride rides rode ridden riding
eat eats ate eaten eating
drink drinks drank drunk drinking
take takes took taken taking
wear wears wore worn wearing
write writes wrote written writing
run runs ran run running
make makes made made making
buy buys bought bought buying
bring brings brought brought bringing
teach teaches taught taught teaching
think thinks thought thought thinking
catch catches caught caught catching
sing sings sang sung singing
swim swims swam swum swimming
begin begins began begun beginning
sell sells sold sold selling
tell tells told told telling
say says said said saying
find finds found found finding
lead leads led led leading
leave leaves left left leaving
lose loses lost lost losing
meet meets met met meeting
pay pays paid paid paying
read reads read read reading
see sees saw seen seeing
send sends sent sent sending
sleep sleeps slept slept sleeping
spend spends spent spent spending
win wins won won winning
choose chooses chose chosen choosing
build builds built built building
become becomes became become becoming
give gives gave given giving
hold holds held held holding
keep keeps kept kept keeping
fall falls fell fallen falling
feel feels felt felt feeling
fly flies flew flown flying
break breaks broke broken breaking
tear tears tore torn tearing
wake wakes woke woken waking
sit sits sat sat sitting
stand stands stood stood standing
understand understands understood understood understanding
draw draws drew drawn drawing
knit knits knit knit knitting
quit quits quit quit quitting
set sets set set setting
put puts put put putting
cut cuts cut cut cutting
hit hits hit hit hitting
let lets let let letting
hurt hurts hurt hurt hurting
cost costs cost cost costing
split splits split split splitting
lie lies lied lied lying
die dies died died dying
dye dyes dyed dyed dyeing
study studies studied studied studying
marry marries married married marrying
carry carries carried carried carrying
try tries tried tried trying
play plays played played playing
enjoy enjoys enjoyed enjoyed enjoying
stay stays stayed stayed staying
prefer prefers preferred preferred preferring
plan plans planned planned planning
ship ships shipped shipped shipping
drop drops dropped dropped dropping
swap swaps swapped swapped swapping
adopt adopts adopted adopted adopting
opt opts opted opted opting
travel travels travelled traveled travelling
jog jogs jogged jogged jogging
ski skis skied skied skiing
box boxes boxed boxed boxing
program programs programmed programmed programming
code codes coded coded coding
own owns owned owned owning
train trains trained trained training
commit commits committed committed committing
owe owes owed owed owing
dance dances danced danced dancing
agree agrees agreed agreed agreeing
see sees saw seen seeing
fight fights fought fought fighting
bake bakes baked baked baking
camp camps camped camped camping
babysit babysits babysat babysat babysitting
hate hates hated hated hating
stick sticks stuck stuck sticking
bear bears bore borne bearing
feed feeds fed fed feeding
forget forgets forgot forgotten forgetting
hide hides hid hidden hiding
shoot shoots shot shot shooting
shut shuts shut shut shutting
swear swears swore sworn swearing
throw throws threw thrown throwing
bind binds bound bound binding
breed breeds bred bred breeding
blow blows blew blown blowing
upset upsets upset upset upsetting
rebuild rebuilds rebuilt rebuilt rebuilding
rewrite rewrites rewrote rewritten rewriting
mow mows mowed mown mowing
show shows showed shown showing
wind winds wound wound winding
withdraw withdraws withdrew withdrawn withdrawing
overcome overcomes overcame overcome overcoming
`

// regularVerbs lists verbs that take -s, -ed and -ing by the usual spelling rules.
const regularVerbs = `live work reside relocate move like love adore dislike detest loathe despise favor favour avoid want need like
	use practice practise learn major minor graduate attend research specialize specialise volunteer serve intern smoke collect garden
	suffer paint cook hike surf cycle climb sew meditate maintain manage direct supervise handle oversee develop create launch start finish
	complete join sign enroll enrol register apply retire divorce separate adopt celebrate visit return order book schedule call phone
	email submit file renew cancel clean fix prepare deliver present attend organize organise pack water feed deploy release migrate rotate
	update upgrade publish decide settle pick select finalize finalise approve switch standardize standardise ditch expect train coach mentor
	host perform compete race walk wash expire depart arrive close open land leave happen end include support require contain listen depend
	bathe stop follow own intend aim hope promise review talk chat discuss plan study marry turn name rename scale track monitor
	commute freelance subscribe donate foster rescue raise earn save invest rent lease share own watch play stream blog vlog podcast design
	illustrate photograph sculpt craft brew roast forage fish hunt sail row kayak skate snowboard wrestle stretch lift exercise
	crash fail miss forget remember note mind care tend belong report consult represent own inherit injure sprain fracture recover
	diagnose prescribe treat heal vaccinate delay postpone extend push shift change cover merge archive document test hire fire interview
	onboard promote transfer resign relax rely drop add remove install configure host store back allow charge cost weigh measure
	contact invite confirm accept reject decline propose suggest recommend ask answer reply respond explore check enter pass scale
	post share spell label tag ping merge squash format lint log deduct bill invoice translate summarize summarise
	resume continue renew rotate vote prep strive brunch illustrate
	replace repair assemble paint decorate renovate furnish bake explain look arrange`

// verbForms finds an inflected word, thirdOf conjugates a lemma.
var verbForms, thirdOf = conjugate()

func conjugate() (forms map[string]verbForm, thirds map[string]string) {
	forms, thirds = map[string]verbForm{}, map[string]string{}
	add := func(lemma, third, past, participle, ing string) {
		put := func(w string, f form, same bool) {
			if _, taken := forms[w]; !taken {
				forms[w] = verbForm{lemma, f, same}
			}
		}
		put(lemma, formBase, false)
		put(third, formThird, false)
		put(past, formPast, past == participle)
		put(participle, formParticiple, false)
		put(ing, formIng, false)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(irregularVerbs), "\n") {
		p := strings.Fields(line)
		add(p[0], p[1], p[2], p[3], p[4])
		thirds[p[0]] = p[1]
	}
	for lemma := range strings.FieldsSeq(regularVerbs) {
		if _, ok := thirds[lemma]; ok {
			continue
		}
		third := regularThird(lemma)
		add(lemma, third, regularPast(lemma), regularPast(lemma), regularIng(lemma))
		thirds[lemma] = third
	}
	forms["traveled"] = verbForm{"travel", formPast, true}
	forms["traveling"] = verbForm{"travel", formIng, false}
	return forms, thirds
}

// regularThird writes the third person: works, watches, carries.
func regularThird(v string) string {
	switch {
	case strings.HasSuffix(v, "y") && len(v) > 1 && !strings.ContainsRune("aeiou", rune(v[len(v)-2])):
		return v[:len(v)-1] + "ies"
	case strings.HasSuffix(v, "s"), strings.HasSuffix(v, "x"), strings.HasSuffix(v, "z"), strings.HasSuffix(v, "ch"),
		strings.HasSuffix(v, "sh"), strings.HasSuffix(v, "o"):
		return v + "es"
	}
	return v + "s"
}

// doubling lists regular verbs whose last consonant is doubled.
var doubling = set(`stop plan drop chat ship ban pin refer transfer submit fit rub hug pet`)

func regularPast(v string) string {
	switch {
	case strings.HasSuffix(v, "e"):
		return v + "d"
	case strings.HasSuffix(v, "y") && !strings.ContainsRune("aeiou", rune(v[len(v)-2])):
		return v[:len(v)-1] + "ied"
	case doubling[v]:
		return v + v[len(v)-1:] + "ed"
	}
	return v + "ed"
}

func regularIng(v string) string {
	switch {
	case strings.HasSuffix(v, "ee"):
	case strings.HasSuffix(v, "e"):
		return v[:len(v)-1] + "ing"
	case doubling[v]:
		return v + v[len(v)-1:] + "ing"
	}
	return v + "ing"
}

// third conjugates a base form: known verbs by table, others by rule.
func third(lemma string) string {
	if t, ok := thirdOf[lemma]; ok {
		return t
	}
	switch lemma {
	case "be", "am", "are":
		return "is"
	case "can", "could", "may", "might", "must", "should", "will", "would", "cannot":
		return lemma
	}
	return regularThird(lemma)
}

// isPastForm reports whether low is the past of a known verb and not also its base ("read", "put").
func isPastForm(low string) bool {
	f, ok := verbForms[low]
	return ok && f.form == formPast && f.lemma != low
}
