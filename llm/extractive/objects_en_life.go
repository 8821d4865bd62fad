package extractive

import "strings"

// The functions here know what follows a verb by what it names: work, games, health.

// isGivenUp wants a habit: "I quit smoking".
func isGivenUp(r []word) bool {
	return len(r) > 0 && len(r) < 10 && (isIng(r[0].low) || r[0].low == "alcohol" || r[0].low == "sugar" || r[0].low == "coffee" ||
		r[0].low == "meat") && !pointsBack(r) && r[0].low != "using" && r[0].low != "working" && r[0].low != "getting"
}

func isJobLeft(r []word) bool {
	return len(r) > 1 && (r[1].low == "job" || r[1].low == "position" || r[1].low == "role")
}

func isAilment(r []word) bool {
	for k, w := range r {
		if k < 4 && ailments[w.low] {
			return true
		}
	}
	return false
}

func isHealthEvent(r []word) bool {
	for k, w := range r {
		if k < 5 && (w.low == "surgery" || w.low == "stroke" || w.low == "cancer" || w.low == "operation" || w.low == "miscarriage" ||
			w.low == "transplant" || w.low == "heart" && k+1 < len(r) && r[k+1].low == "attack") {
			return true
		}
	}
	return isAilment(r)
}

// isNewJob reads "a job at Shopify as a staff engineer".
func isNewJob(r []word) bool {
	for k, w := range r {
		if k < 5 && (w.low == "job" || w.low == "role" || w.low == "position" || w.low == "offer" || w.low == "internship" ||
			w.low == "apprenticeship") {
			return hasLow(r, "at") || hasLow(r, "as") || hasLow(r, "with")
		}
	}
	return false
}

func isCommute(r []word) bool {
	l := lows(r)
	return strings.HasSuffix(l, "to work") || strings.HasSuffix(l, "to school") || strings.HasSuffix(l, "to the office")
}

var businesses = set(`company business startup shop store bakery restaurant cafe café farm practice agency studio salon gym clinic firm bar
	pub hotel hostel bookshop bookstore boutique brand consultancy nonprofit non-profit charity school kindergarten daycare nursery garage
	workshop brewery winery vineyard blog podcast channel newsletter magazine foundation club league theater theatre gallery label garage
	catering dealership pharmacy bed-and-breakfast b&b guesthouse foodtruck truck kiosk team department`)

func isBusiness(r []word) bool {
	return businesses[headNoun(r)]
}

var played = set(`piano guitar violin viola cello bass drums flute clarinet oboe saxophone sax trumpet trombone horn tuba harp organ
	accordion ukulele banjo mandolin harmonica keyboard bagpipes sitar erhu guzheng pipa football soccer basketball baseball volleyball
	handball hockey tennis badminton squash golf rugby cricket chess go poker bridge video videogames games boardgames board softball lacrosse
	darts pool snooker dungeons d&d padel pickleball water in for instruments minecraft zelda ping-pong table`)

func isPlayed(r []word) bool {
	for k, w := range r {
		if k < 5 && played[w.low] {
			return true
		}
	}
	return false
}

var writings = set(`novel novels book books poetry poems memoir blog column newsletter thesis dissertation fiction fantasy sci-fi mysteries
	thrillers screenplay screenplays songs music plays textbook`)

func isWriting(r []word) bool {
	for k, w := range r {
		if k < 5 && writings[w.low] {
			return true
		}
	}
	return false
}

var medicines = set(`insulin medication medicine meds pills statins metformin aspirin ibuprofen antidepressants ssris blood thinners
	supplements vitamins vitamin antihistamines warfarin lisinopril levothyroxine antibiotics iron magnesium melatonin adderall ritalin
	prednisone`)

func isMedicine(r []word) bool {
	for k, w := range r {
		if k < 6 && (medicines[w.low] || strings.HasSuffix(w.low, "mg")) {
			return true
		}
	}
	return false
}

func isWorn(r []word) bool {
	l := " " + lows(r) + " "
	for _, w := range []string{" glasses ", " contacts ", " contact lenses ", " hearing aid", " size ", " hijab ", " braces ", " a brace "} {
		if strings.Contains(l, w) {
			return true
		}
	}
	return false
}

func isDiet(r []word) bool {
	l := lows(r)
	return strings.Contains(l, "diet") || strings.Contains(l, "religion") || strings.Contains(l, "fast")
}

var practices = set(`yoga pilates karate judo taekwondo crossfit ballet gymnastics jiu-jitsu boxing kickboxing meditation pottery ceramics
	carpentry woodworking calligraphy origami photography archery fencing parkour aikido research consulting freelance translations taxes bjj
	improv crosswords puzzles sudoku tai`)

func isPractice(r []word) bool {
	for k, w := range r {
		if k < 4 && practices[w.low] || w.low == "living" && k > 1 {
			return true
		}
	}
	return false
}

func isAnimalOrPerson(r []word) bool {
	for k, w := range r {
		if k < 6 && (pets[w.low] || family[w.low]) {
			return true
		}
	}
	return false
}

func isHaving(r []word) bool {
	for k, w := range r {
		if k < 6 && (havings[w.low] || pets[w.low]) && !codeNouns[w.low] {
			return true
		}
	}
	return false
}

var body = set(`leg arm wrist ankle foot knee hip back shoulder elbow neck finger toe acl meniscus achilles rib ribs collarbone hand tendon
	ligament hamstring nose jaw`)

func isBody(r []word) bool {
	for k, w := range r {
		if k < 6 && body[w.low] {
			return true
		}
	}
	return false
}

func isDegree(r []word) bool {
	l := " " + lows(r) + " "
	for _, w := range []string{
		" degree ", " phd ", " master ", " bachelor ", " mba ", " diploma ", " doctorate ", " certification ",
		" certificate ",
	} {
		if strings.Contains(l, w) {
			return true
		}
	}
	return false
}
