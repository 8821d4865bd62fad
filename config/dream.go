package config

import (
	"slices"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// Bounds of the settings of dreams.
const (
	maxDreamDays       = 90
	maxDreamPromotions = 100
	maxDreamJitter     = 6 * time.Hour
	maxDreamBoost      = 0.5
)

// checkDream checks the settings of dreams.
func (c Config) checkDream(bad func(key, format string, args ...any)) {
	// The parser would take a time zone as well; agents have their own.
	if _, err := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow).Parse(c.DreamCron); err != nil || strings.Contains(c.DreamCron, "=") {
		bad("DREAM_CRON", "%q: write five fields, minute hour day-of-month month day-of-week (0 to 6, Sunday is 0), such as 0 2 * * *", c.DreamCron)
	}
	if c.DreamJitter < 0 || c.DreamJitter > maxDreamJitter {
		bad("DREAM_JITTER", "%s must be from 0s to %s", c.DreamJitter, maxDreamJitter)
	}
	for _, count := range []struct {
		key                string
		value, least, most int
	}{
		{"DREAM_PARALLEL", c.DreamParallel, 1, 64},
		{"DREAM_DAYS", c.DreamDays, 1, maxDreamDays},
		{"DREAM_MIN_SIGNALS", c.DreamMinSignals, 1, 100},
		{"DREAM_MIN_DIVERSITY", c.DreamMinDiversity, 1, 100},
		{"DREAM_MAX_PROMOTIONS", c.DreamMaxPromotions, 0, maxDreamPromotions},
		{"DREAM_MAX_CANDIDATES", c.DreamMaxCandidates, 1, 5000},
		{"DREAM_DIARY_MAX_CHARS", c.DreamDiaryMaxChars, 2000, 200_000},
		{"DREAM_NOTES_MAX_CHARS", c.DreamNotesMaxChars, 1000, 1_000_000},
	} {
		if count.value < count.least || count.value > count.most {
			bad(count.key, "%d must be from %d to %d", count.value, count.least, count.most)
		}
	}
	weights := []number{
		{"DREAM_WEIGHT_FREQUENCY", c.DreamWeightFrequency, 1},
		{"DREAM_WEIGHT_RELEVANCE", c.DreamWeightRelevance, 1},
		{"DREAM_WEIGHT_DIVERSITY", c.DreamWeightDiversity, 1},
		{"DREAM_WEIGHT_RECENCY", c.DreamWeightRecency, 1},
		{"DREAM_WEIGHT_CONSOLIDATION", c.DreamWeightConsolidation, 1},
		{"DREAM_WEIGHT_CONCEPTUAL", c.DreamWeightConceptual, 1},
	}
	for _, n := range slices.Concat(weights, []number{
		{"DREAM_LIGHT_BOOST", c.DreamLightBoost, maxDreamBoost},
		{"DREAM_REM_BOOST", c.DreamREMBoost, maxDreamBoost},
		{"DREAM_MIN_SCORE", c.DreamMinScore, 1},
		{"DREAM_MAX_RETIRED_SHARE", c.DreamMaxRetiredShare, 1},
	}) {
		if !(n.value >= 0 && n.value <= n.most) {
			bad(n.key, "%v must be from 0 to %v", n.value, n.most)
		}
	}
	if !slices.ContainsFunc(weights, func(n number) bool { return n.value > 0 }) {
		bad("DREAM_WEIGHT_FREQUENCY", "one of the weights must be above 0")
	}
	if days := c.DreamHalfLifeDays; !(days >= minHalfLifeDays && days <= maxHalfLifeDays) {
		bad("DREAM_HALF_LIFE_DAYS", "%v must be from %v to %d", days, minHalfLifeDays, maxHalfLifeDays)
	}
}

// number is a setting from 0 to most.
type number struct {
	key         string
	value, most float64
}
