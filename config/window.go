package config

import "time"

// Bounds of the settings of context windows.
const (
	minWindowTokens  = 1024
	maxWindowTokens  = 10_000_000
	maxFlushBytes    = 1 << 30
	maxFlushDeadline = time.Hour
)

// Policies of a flush that the model has not made in time.
const (
	flushFallback = "fallback"
	flushWait     = "wait"
)

// checkWindow checks the settings of context windows, of what is saved before something leaves them, and of chats. The bounds
// are those of an agent's own settings.
func (c Config) checkWindow(bad func(key, format string, args ...any)) {
	for _, count := range []struct {
		key                string
		value, least, most int
	}{
		{"WINDOW_MAX_TOKENS", c.WindowMaxTokens, minWindowTokens, maxWindowTokens},
		{"WINDOW_KEEP_TURNS", c.WindowKeepTurns, 1, 100},
		{"WINDOW_SUMMARY_MAX_TOKENS", c.WindowSummaryMaxTokens, 50, 20_000},
		{"WINDOW_GOAL_MAX_TOKENS", c.WindowGoalMaxTokens, 1, 20_000},
		{"AUTO_INJECT_MAX_TOKENS", c.AutoInjectMaxTokens, 0, 100_000},
		{"FLUSH_SOFT_TOKENS", c.FlushSoftTokens, 0, 1_000_000},
		{"FLUSH_MESSAGES", c.FlushMessages, 1, 100_000},
		{"FLUSH_BYTES", c.FlushBytes, 1024, maxFlushBytes},
		{"CHAT_MAX_TOKENS", c.ChatMaxTokens, 1, 1_000_000},
		{"CHAT_MAX_TOOL_ROUNDS", c.ChatMaxToolRounds, 0, 100},
	} {
		if count.value < count.least || count.value > count.most {
			bad(count.key, "%d must be from %d to %d", count.value, count.least, count.most)
		}
	}
	for key, share := range map[string]float64{"WINDOW_COMPACT_SHARE": c.WindowCompactShare, "FLUSH_SHARE": c.FlushShare} {
		if !(share >= 0.1 && share <= 1) {
			bad(key, "%v must be from 0.1 to 1", share)
		}
	}
	if !(c.AutoInjectThreshold >= 0 && c.AutoInjectThreshold <= 1) {
		bad("AUTO_INJECT_THRESHOLD", "%v must be from 0 to 1", c.AutoInjectThreshold)
	}
	for key, d := range map[string]time.Duration{"WINDOW_SUMMARY_DEADLINE": c.WindowSummaryDeadline, "FLUSH_DEADLINE": c.FlushDeadline} {
		if d < time.Second || d > maxFlushDeadline {
			bad(key, "%s must be from 1s to %s", d, maxFlushDeadline)
		}
	}
	if c.FlushPolicy != flushFallback && c.FlushPolicy != flushWait {
		bad("FLUSH_POLICY", "%q: write %s or %s", c.FlushPolicy, flushFallback, flushWait)
	}
}
