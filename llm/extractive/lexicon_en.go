package extractive

// family lists relatives; other people are in acquaintances.
var family = set(`wife husband spouse partner fiance fiancé fiancee fiancée girlfriend boyfriend ex ex-wife ex-husband mother mom mum mama
	father dad papa parent parents folks son sons daughter daughters kid kids child children baby toddler twins twin triplets brother brothers
	sister sisters sibling siblings stepson stepdaughter stepmother stepmom stepfather stepdad half-brother half-sister grandma grandmother
	grandpa grandfather grandparents granny nana grandson granddaughter grandchild grandchildren grandkids aunt aunts uncle uncles cousin
	cousins nephew nephews niece nieces mother-in-law father-in-law brother-in-law sister-in-law in-laws
	son-in-law daughter-in-law godson goddaughter godmother godfather family`)

var acquaintances = set(`friend friends bestie roommate roommates flatmate flatmates housemate housemates neighbor neighbors neighbour
	neighbours boss manager supervisor mentor mentee coworker coworkers co-worker colleague colleagues teammate teammates cofounder co-founder
	advisor adviser professor teacher coach trainer doctor gp dentist therapist physio physiotherapist lawyer accountant landlord landlady
	nanny babysitter tutor assistant intern client clients customer customers student students employee employees
	hairdresser vet pediatrician paediatrician cardiologist dermatologist psychologist psychiatrist nurse agent realtor mechanic`)

var pets = set(`dog dogs cat cats puppy puppies kitten kittens pet pets rabbit rabbits bunny hamster hamsters parrot parrots bird birds
	fish goldfish horse horses pony turtle tortoise snake lizard gecko guinea-pig ferret chickens hens goat goats bees beehive beehives
	labrador poodle beagle corgi dachshund husky bulldog retriever terrier collie spaniel greyhound pug tabby aquarium pigs ducks`)

// havings are other things that one has for long enough to be worth keeping.
var havings = set(`allergy allergies diabetes asthma adhd autism dyslexia epilepsy celiac eczema migraines migraine anxiety depression
	arthritis insomnia hypertension tinnitus condition disability intolerance phobia degree diploma phd doctorate master masters master's
	bachelor bachelor's mba certificate certification license licence background experience car motorcycle motorbike bike bicycle van truck
	house flat apartment condo cottage cabin boat garden allotment balcony studio visa passport citizenship nationality mortgage scholarship
	pension company business startup shop store bakery restaurant cafe café farm practice agency blog podcast
	channel newsletter band team subscription membership insurance pacemaker implant tattoo tattoos collection piano guitar violin telescope
	passion hobby hobbies interest accent dialect stutter sense birthday
	macbook laptop iphone android thinkpad pixel ipad kindle tesla toyota workshop greenhouse sourdough budget`)

// ailments are health words that make a "have" or "suffer from" worth keeping without more.
var ailments = set(`allergy allergies diabetes asthma adhd autism dyslexia epilepsy celiac eczema migraines migraine anxiety depression
	arthritis insomnia hypertension tinnitus disability intolerance phobia disease syndrome disorder osteoporosis scoliosis psoriasis
	endometriosis pcos ibs crohn's anemia anaemia cancer glaucoma vertigo sciatica fibromyalgia claustrophobia ocd ptsd blood-pressure
	cholesterol knee back hip`)

// traits lists adjectives for lasting properties of people.
var traits = set(`vegetarian vegan pescatarian lactose-intolerant gluten-free gluten-intolerant coeliac celiac diabetic pregnant colorblind
	color-blind colour-blind colourblind left-handed right-handed lefthanded ambidextrous dyslexic deaf blind asthmatic epileptic autistic
	bipolar neurodivergent gay lesbian bisexual bi trans transgender queer nonbinary non-binary asexual married divorced engaged widowed
	single retired unemployed self-employed freelance bilingual trilingual introverted extroverted introvert
	muslim jewish christian catholic protestant orthodox hindu buddhist sikh atheist agnostic quaker mormon sober teetotal nearsighted
	short-sighted farsighted claustrophobic arachnophobic hypothyroid anemic anaemic adopted homeschooled vegetarian-ish lactose tone-deaf
	hard-of-hearing wheelchair-bound keto halal kosher`)

// twoWordTraits are traits of more than one word.
var twoWordTraits = []string{
	"lactose intolerant", "gluten intolerant", "gluten free", "color blind", "colour blind", "left handed",
	"right handed", "hard of hearing", "tone deaf", "self employed", "short sighted", "near sighted", "caffeine sensitive", "semi retired",
	"an only child", "dairy free",
}

// occupations that do not end like one (-er, -or, -ist, -ian, -ant, -eer).
var occupations = set(`nurse chef cook pilot lawyer attorney student phd-student postdoc intern trainee apprentice cto ceo cfo coo cio cpo
	vp head lead sre dba devops dev pm freelancer paramedic midwife vet surgeon judge clerk monk priest nun imam rabbi athlete coach guide
	architect analyst musician pianist mechanic florist barista waitress waiter actress actor hostess stewardess housewife househusband
	stay-at-home fireman policeman policewoman businessman businesswoman salesman saleswoman fisherman cop
	tailor carpenter plumber electrician mathematician statistician professor lecturer scholar fellow academic undergrad postgrad freshman
	sophomore junior senior entrepreneur founder cofounder co-founder owner boss manager director president principal secretary treasurer
	chairman chairwoman diplomat ambassador politician soldier sergeant captain lieutenant veteran spy detective artist sculptor author poet
	novelist journalist columnist critic editor translator interpreter curator historian chemist biologist physicist geologist astronomer
	archaeologist economist psychologist therapist physiotherapist radiologist pharmacist dentist nutritionist
	dietitian hygienist optometrist beautician stylist barber hairdresser makeup model dancer singer composer dj producer filmmaker
	photographer videographer animator designer engineer developer programmer researcher scientist consultant accountant auditor banker trader
	broker realtor agent recruiter administrator admin sysadmin technician operator driver trucker courier farmer gardener landscaper rancher
	winemaker brewer baker butcher beekeeper carer caregiver nanny babysitter teacher tutor instructor trainer librarian archivist
	receptionist assistant paralegal notary superintendent welder machinist builder roofer bricklayer glazier sailor marine`)

// notOccupations end like an occupation and are none.
var notOccupations = set(`person customer user believer winner loser stranger mother father brother sister member number matter bother
	burden letter beginner newcomer later other another sucker killer monster disaster blocker subscriber follower fan sinner patient
	participant applicant tenant immigrant descendant owner bit lot few little mess wreck idiot fool genius bot robot human man woman guy girl
	boy kid adult teenager teen lover goner hater firm big huge newbie noob quitter morning night
	foreigner outsider survivor donor visitor spectator predictor supporter`)

// demonyms are nationalities that do not end in -ese, -ish or -ian.
var demonyms = set(`german french american canadian mexican brazilian dutch swiss greek czech slovak polish thai filipino filipina
	pakistani israeli iraqi iranian saudi turkish korean african european asian australian welsh scottish irish english british kiwi basque
	catalan quebecois uzbek kazakh kurdish arab bengali punjabi tamil afghan cuban dominican puerto-rican haitian kenyan nigerian ghanaian
	ethiopian south-african moroccan tunisian egyptian syrian lebanese jordanian ukrainian russian italian
	spanish portuguese swedish norwegian danish finnish icelandic estonian latvian lithuanian hungarian romanian bulgarian serbian croatian
	bosnian slovenian albanian macedonian austrian belgian indian chinese japanese vietnamese indonesian malaysian singaporean taiwanese
	nepali bangladeshi peruvian chilean argentinian argentine colombian venezuelan bolivian uruguayan paraguayan ecuadorian jamaican latvian
	maltese cypriot georgian armenian sri-lankan tibetan mongolian latina latino hispanic`)

// languages that people say they speak or want to be answered in.
var languages = set(`english german french spanish italian portuguese dutch swedish norwegian danish finnish polish russian ukrainian czech
	slovak hungarian romanian bulgarian greek turkish arabic hebrew persian farsi urdu hindi bengali tamil telugu marathi gujarati punjabi
	chinese mandarin cantonese japanese korean vietnamese thai indonesian malay tagalog swahili afrikaans zulu yoruba latin esperanto catalan
	basque galician welsh irish gaelic icelandic estonian latvian lithuanian serbian croatian bosnian slovenian albanian macedonian georgian
	armenian kazakh uzbek mongolian nepali sinhala khmer burmese lao amharic hokkien taiwanese asl`)

// eventNouns name things that happen at a time.
var eventNouns = set(`appointment meeting flight train interview exam exams test wedding birthday anniversary party concert conference demo
	launch release deadline kickoff kick-off review trip vacation holiday holidays game match recital play ceremony class course lesson
	checkup check-up surgery operation visit dinner lunch brunch breakfast delivery move presentation call webinar workshop sprint freeze
	go-live race marathon half-marathon triathlon festival graduation hearing due renewal expiry audit
	standup stand-up retro retrospective session rehearsal performance show audition tournament final finals midterm midterms viva defense
	defence thesis inspection reservation booking ferry bus departure arrival opening closing reunion baptism funeral shower barbecue bbq
	picnic hike camp bootcamp offsite retreat cutover migration maintenance rollout shift event fair exhibition expo gig date cutoff
	submission handover onboarding orientation semester term lease contract visa warranty subscription trial scan mri x-ray vaccination shot
	checkpoint milestone beta alpha ga eol hackathon tryouts parade gala fundraiser school`)

// factNouns are things that have one value: "the staging DB port is 5433".
var factNouns = set(`company department startup team school port endpoint url uri host hostname ip address version branch repo repository
	database db bucket region zone cluster namespace domain email e-mail phone number extension name id identifier username login handle path
	directory folder channel deadline budget price cost fee salary rent limit timeout quota sla slo team owner
	lead manager maintainer contact size plate model brand type gate seat floor room code ssid network wifi wi-fi gateway proxy server vm
	instance provider vendor supplier client customer stack framework language editor os distro license licence schedule policy convention
	standard format rule default threshold interval frequency rate ratio capacity target goal kpi metric codename nickname tool tracker wiki
	dashboard registry queue broker topic cache store backend frontend api sdk ci pipeline environment hours day date time window timezone
	location venue capital headquarters office meeting-point birthday anniversary number-plate iban account
	tier plan subscription hosting datacenter cto ceo founder sponsor stakeholder reviewer approver oncall on-call org organisation
	organization project product mascot motto passphrase-hint retention locker parking spot wifi-name style guide linter formatter orm library
	runtime engine platform cloud backup destination`)

// codeNouns lists objects of immediate requests. "I need a function" is not a personal task.
var codeNouns = set(`function method variable loop array list string regex regexp query script code snippet dict dictionary table column
	row dataframe csv json xml yaml class struct object button div page error exception bug file files output input value values key keys
	field fields index parameter parameters argument syntax statement expression formula cell cells sql css html test tests unit mock promise
	callback thread async await type types enum interface package module dependency import example examples explanation answer help advice
	idea ideas suggestions suggestion recommendation recommendations something anything information info details way
	ways solution alternative alternatives word words sentence sentences paragraph title essay email-draft outline summary translation synonym
	poem joke story recipe`)

// commitments lists verbs of personal tasks; other verbs need a date to count.
var commitments = set(`renew book buy call phone pay pick submit finish register apply cancel return visit file sign meet schedule mow
	vacuum donate sell paint hire interview contact insure enroll enrol vaccinate refill reschedule organize organise clean order repair wash
	water practice practise study exercise mail email text invite move pack deposit withdraw`)

// goals lists verbs of long-term goals.
var goals = set(`learn visit travel run lose save buy start become move quit finish read study improve get write build launch open retire
	adopt climb hike master publish switch change live work marry have own teach volunteer join complete graduate earn explore see swim cycle
	gain reduce cut stop grow`)
