package config

// Bounds of the settings of searches.
const (
	maxRecallResults = 50
	minHalfLifeDays  = 0.01
	maxHalfLifeDays  = 36500
)

// checkRecall checks the settings of searches.
func (c Config) checkRecall(bad func(key, format string, args ...any)) {
	if c.RecallMaxResults < 1 || c.RecallMaxResults > maxRecallResults {
		bad("RECALL_MAX_RESULTS", "%d must be from 1 to %d", c.RecallMaxResults, maxRecallResults)
	}
	for key, share := range map[string]float64{
		"RECALL_MIN_SCORE": c.RecallMinScore, "RECALL_VECTOR_WEIGHT": c.RecallVectorWeight,
		"RECALL_TEXT_WEIGHT": c.RecallTextWeight, "RECALL_MMR_LAMBDA": c.RecallMMRLambda,
	} {
		if !(share >= 0 && share <= 1) {
			bad(key, "%v must be from 0 to 1", share)
		}
	}
	if days := c.RecallDecayHalfLifeDays; !(days >= minHalfLifeDays && days <= maxHalfLifeDays) {
		bad("RECALL_DECAY_HALF_LIFE_DAYS", "%v must be from %v to %d", days, minHalfLifeDays, maxHalfLifeDays)
	}
}
