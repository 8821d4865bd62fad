package config

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"reverie/memory/setting"
)

func TestDefaultsAreValid(t *testing.T) {
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if c.MinMessages != 1 || c.MaxTranscript != 30 || c.Cooldown.Minutes() != 5 || c.QuietPeriod.Seconds() != 20 {
		t.Errorf("documented defaults differ: %+v", c)
	}
}

func TestEverySettingIsDescribed(t *testing.T) {
	for _, f := range rows(Config{}) {
		if f.Tag.Get("envconfig") == "" || f.Tag.Get("desc") == "" {
			t.Errorf("%s has no name or no description", f.Name)
		}
	}
}

func TestBadValuesNameTheVariable(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"REVERIE_QUIET_PERIOD", "soon", "REVERIE_QUIET_PERIOD"},
		{"REVERIE_QUIET_PERIOD", "-1s", "REVERIE_QUIET_PERIOD"},
		{"REVERIE_LLM_TIMEOUT", "3", `REVERIE_LLM_TIMEOUT: "3": give a duration such as 30s`},
		{"REVERIE_BUDGET_TOKENS", "many", `REVERIE_BUDGET_TOKENS: "many": give a whole number`},
		{"REVERIE_BUDGET_COST", "many", "give a number such as 0.5"},
		{"REVERIE_FACTS_ENABLED", "maybe", "give true or false"},
		{"REVERIE_WEBHOOK_RETRIES", "5", "give durations such as 5s,30s,2m"},
		{"REVERIE_MIN_MESSAGES", "0", "REVERIE_MIN_MESSAGES"},
		{"REVERIE_ADMIN_KEY", strings.Repeat("k", MinAdminKey-1), "REVERIE_ADMIN_KEY"},
		{"REVERIE_MAX_DROP_SHARE", "1.01", "REVERIE_MAX_DROP_SHARE"},
		{"REVERIE_INJECT_TRUSTED_SHARE", "0.9", "REVERIE_INJECT_TRUSTED_SHARE"},
		{"REVERIE_LLM_MODEL", "gpt", "REVERIE_LLM_PROVIDER"},
		{"REVERIE_EMBEDDING_MODEL", "embed", "REVERIE_EMBEDDING_PROVIDER"},
		{"REVERIE_EMBEDDING_PROVIDER", "openai", "REVERIE_EMBEDDING_MODEL"},
		{"REVERIE_EMBEDDING_API_KEY", "key", "REVERIE_EMBEDDING_PROVIDER"},
		{"REVERIE_EMBEDDING_DIMENSIONS", "-1", "REVERIE_EMBEDDING_DIMENSIONS"},
		{"REVERIE_EMBEDDING_DIMENSIONS", "256", "REVERIE_EMBEDDING_PROVIDER"},
		{"REVERIE_EMBEDDING_BATCH", "0", "REVERIE_EMBEDDING_BATCH"},
		{"REVERIE_EMBEDDING_BATCH", "2049", "REVERIE_EMBEDDING_BATCH"},
		{"REVERIE_EMBEDDING_CONCURRENCY", "0", "REVERIE_EMBEDDING_CONCURRENCY"},
		{"REVERIE_EMBEDDING_PRICE", "-0.1", "REVERIE_EMBEDDING_PRICE"},
		{"REVERIE_EMBEDDING_TIMEOUT", "0s", "REVERIE_EMBEDDING_TIMEOUT"},
		{"REVERIE_EMBEDDING_QUERY_TIMEOUT", "-1s", "REVERIE_EMBEDDING_QUERY_TIMEOUT"},
		{"REVERIE_RECALL_MAX_RESULTS", "0", "REVERIE_RECALL_MAX_RESULTS"},
		{"REVERIE_RECALL_MAX_RESULTS", "51", "REVERIE_RECALL_MAX_RESULTS"},
		{"REVERIE_RECALL_MIN_SCORE", "1.1", "REVERIE_RECALL_MIN_SCORE"},
		{"REVERIE_RECALL_TEXT_WEIGHT", "-1", "REVERIE_RECALL_TEXT_WEIGHT"},
		{"REVERIE_RECALL_VECTOR_WEIGHT", "NaN", "REVERIE_RECALL_VECTOR_WEIGHT"},
		{"REVERIE_RECALL_DECAY_HALF_LIFE_DAYS", "0", "REVERIE_RECALL_DECAY_HALF_LIFE_DAYS"},
		{"REVERIE_DREAM_CRON", "0 2 * *", "REVERIE_DREAM_CRON"},
		{"REVERIE_DREAM_CRON", "@daily", "REVERIE_DREAM_CRON"},
		{"REVERIE_DREAM_CRON", "TZ=UTC 0 2 * * *", "REVERIE_DREAM_CRON"},
		{"REVERIE_RATE_LIMIT", "-1", "REVERIE_RATE_LIMIT"},
		{"REVERIE_BUDGET_TOKENS", "-1", "REVERIE_BUDGET_TOKENS: -1 must be at least 0"},
		{"REVERIE_BUDGET_COST", "-0.5", "REVERIE_BUDGET_COST"},
		{"REVERIE_LLM_INPUT_PRICE", "-1", "REVERIE_LLM_INPUT_PRICE"},
		{"REVERIE_TRUSTED_PROXIES", "10.0.0.0/8,proxy", `REVERIE_TRUSTED_PROXIES: "proxy" is not a network`},
		{"REVERIE_DREAM_JITTER", "7h", "REVERIE_DREAM_JITTER"},
		{"REVERIE_DREAM_PARALLEL", "0", "REVERIE_DREAM_PARALLEL"},
		{"REVERIE_DREAM_DAYS", "91", "REVERIE_DREAM_DAYS"},
		{"REVERIE_DREAM_MIN_SCORE", "NaN", "REVERIE_DREAM_MIN_SCORE"},
		{"REVERIE_DREAM_MAX_RETIRED_SHARE", "1.1", "REVERIE_DREAM_MAX_RETIRED_SHARE"},
		{"REVERIE_DREAM_WEIGHT_RECENCY", "-0.1", "REVERIE_DREAM_WEIGHT_RECENCY"},
		{"REVERIE_DREAM_REM_BOOST", "0.6", "REVERIE_DREAM_REM_BOOST"},
		{"REVERIE_DREAM_HALF_LIFE_DAYS", "0", "REVERIE_DREAM_HALF_LIFE_DAYS"},
		{"REVERIE_WINDOW_MAX_TOKENS", "1023", "REVERIE_WINDOW_MAX_TOKENS"},
		{"REVERIE_WINDOW_COMPACT_SHARE", "0.09", "REVERIE_WINDOW_COMPACT_SHARE"},
		{"REVERIE_WINDOW_COMPACT_SHARE", "NaN", "REVERIE_WINDOW_COMPACT_SHARE"},
		{"REVERIE_WINDOW_KEEP_TURNS", "0", "REVERIE_WINDOW_KEEP_TURNS"},
		{"REVERIE_WINDOW_SUMMARY_MAX_TOKENS", "49", "REVERIE_WINDOW_SUMMARY_MAX_TOKENS"},
		{"REVERIE_WINDOW_SUMMARY_DEADLINE", "0s", "REVERIE_WINDOW_SUMMARY_DEADLINE"},
		{"REVERIE_WINDOW_GOAL_MAX_TOKENS", "0", "REVERIE_WINDOW_GOAL_MAX_TOKENS"},
		{"REVERIE_AUTO_INJECT_THRESHOLD", "1.1", "REVERIE_AUTO_INJECT_THRESHOLD"},
		{"REVERIE_AUTO_INJECT_MAX_TOKENS", "-1", "REVERIE_AUTO_INJECT_MAX_TOKENS"},
		{"REVERIE_FLUSH_SOFT_TOKENS", "-1", "REVERIE_FLUSH_SOFT_TOKENS"},
		{"REVERIE_FLUSH_SHARE", "1.1", "REVERIE_FLUSH_SHARE"},
		{"REVERIE_FLUSH_MESSAGES", "0", "REVERIE_FLUSH_MESSAGES"},
		{"REVERIE_FLUSH_BYTES", "1023", "REVERIE_FLUSH_BYTES"},
		{"REVERIE_FLUSH_DEADLINE", "2h", "REVERIE_FLUSH_DEADLINE"},
		{"REVERIE_FLUSH_POLICY", "never", "REVERIE_FLUSH_POLICY"},
		{"REVERIE_CHAT_MAX_TOKENS", "0", "REVERIE_CHAT_MAX_TOKENS"},
		{"REVERIE_CHAT_MAX_TOOL_ROUNDS", "-1", "REVERIE_CHAT_MAX_TOOL_ROUNDS"},
		{"REVERIE_EMBEDDING_NEXT_MODEL", "embed", "REVERIE_EMBEDDING_NEXT_PROVIDER"},
		{"REVERIE_EMBEDDING_NEXT_BASE_URL", "http://127.0.0.1", "REVERIE_EMBEDDING_NEXT_PROVIDER"},
		{"REVERIE_EMBEDDING_NEXT_PROVIDER", "openai", "REVERIE_EMBEDDING_NEXT_MODEL"},
		{"REVERIE_EMBEDDING_NEXT_PROVIDER", "openai", "there is no embedding model to change from"},
	} {
		t.Run(c.name+"="+c.value, func(t *testing.T) {
			t.Setenv(c.name, c.value)
			_, err := Load()
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v does not name %s", err, c.want)
			}
		})
	}
	t.Run("no weight", func(t *testing.T) {
		for _, name := range []string{"FREQUENCY", "RELEVANCE", "DIVERSITY", "RECENCY", "CONSOLIDATION", "CONCEPTUAL"} {
			t.Setenv("REVERIE_DREAM_WEIGHT_"+name, "0")
		}
		if _, err := Load(); err == nil || !strings.Contains(err.Error(), "REVERIE_DREAM_WEIGHT") {
			t.Errorf("no weight counts: %v", err)
		}
	})
	t.Run("at the limits", func(t *testing.T) {
		t.Setenv("REVERIE_ADMIN_KEY", strings.Repeat("k", MinAdminKey))
		t.Setenv("REVERIE_MAX_DROP_SHARE", "1")
		t.Setenv("REVERIE_MIN_MESSAGES", "1")
		t.Setenv("REVERIE_QUIET_PERIOD", "0s")
		if _, err := Load(); err != nil {
			t.Error(err)
		}
	})
}

func TestTwoEmbeddingModels(t *testing.T) {
	for name, value := range map[string]string{
		"PROVIDER": "ollama", "MODEL": "embed", "BASE_URL": "http://127.0.0.1:11434", "BATCH": "2048",
		"NEXT_PROVIDER": "voyage", "NEXT_MODEL": "voyage-4", "NEXT_API_KEY": "key", "NEXT_DIMENSIONS": "512",
	} {
		t.Setenv("REVERIE_EMBEDDING_"+name, value)
	}
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if c.EmbeddingBatch != 2048 || c.EmbeddingQueryTimeout.Milliseconds() != 1500 || c.EmbeddingTimeout.Seconds() != 30 ||
		c.EmbeddingConcurrency != 4 {
		t.Errorf("documented defaults differ: %+v", c)
	}
	if c.EmbeddingNextModel != "voyage-4" || c.EmbeddingNextAPIKey.Reveal() != "key" || c.EmbeddingNextDimensions != 512 ||
		c.EmbeddingDimensions != 0 {
		t.Errorf("%+v", c)
	}
}

// The defaults that code uses without an environment are those that the environment's reader uses.
func TestDefaultsAreTheDocumentedOnes(t *testing.T) {
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if c.Settings != setting.DefaultSettings() {
		t.Errorf("%+v\nwant %+v", c.Settings, setting.DefaultSettings())
	}
}

func TestSecretsAreNeverPrinted(t *testing.T) {
	const secret = "very-secret-value-of-a-key"
	c := Config{AdminKey: secret}
	encoded, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var logged strings.Builder
	slog.New(slog.NewTextHandler(&logged, nil)).Info("config", "key", c.AdminKey, "all", c)
	for _, printed := range []string{
		fmt.Sprint(c), fmt.Sprintf("%+v %#v %s %q", c, c, c.AdminKey, c.AdminKey), string(encoded), logged.String(),
	} {
		if strings.Contains(printed, secret) {
			t.Errorf("the secret shows in %q", printed)
		}
	}
	if c.AdminKey.Reveal() != secret {
		t.Error("Reveal does not return the value")
	}
}

func TestExposure(t *testing.T) {
	withKey := Config{AdminKey: Secret(strings.Repeat("k", MinAdminKey))}
	for addr, loopback := range map[string]bool{
		"127.0.0.1:8080": true, "[::1]:80": true, "localhost:1": true, Off: true,
		"0.0.0.0:8080": false, ":8080": false, "192.168.1.4:80": false, "example.org:80": false, "nonsense": false,
	} {
		if err := (Config{}).CheckExposure(addr); (err == nil) != loopback {
			t.Errorf("without a key, %s: %v", addr, err)
		}
		if err := withKey.CheckExposure(addr); err != nil {
			t.Errorf("with a key, %s: %v", addr, err)
		}
	}
}

func TestTablesAreCurrent(t *testing.T) {
	for _, name := range []string{"../docs/configuration.md"} {
		document, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Splice(string(document))
		if err != nil {
			t.Fatal(err)
		}
		if string(document) != want {
			t.Errorf("%s is stale: run go generate ./config", name)
		}
	}
}

// A number without a least value would take a negative one, which means nothing.
func TestEveryNumberHasALeastValue(t *testing.T) {
	for _, f := range rows(Config{}) {
		if (f.value.CanInt() || f.value.CanFloat()) && f.Tag.Get("minimum") == "" {
			t.Errorf("%s_%s accepts any negative number", Prefix, f.key())
		}
	}
}

func TestWarnings(t *testing.T) {
	priced := Config{LLMProvider: "openai", LLMOutputPrice: 1, BudgetCost: 5}
	for _, c := range []struct {
		of          Config
		environment []string
		want        string // part of the only warning; empty: there is none
	}{
		{of: priced, environment: []string{
			"REVERIE_LLM_MODEL=x", "REVERIE_URL=x", "REVERIE_KEY=x", "REVERIE_AGENT=x", "REVERIE_PORT=80", "REVERIE_DB_PASSWORD=x", "PATH=/bin",
			"REVERIE_SERVICE_HOST=10.0.0.1", "REVERIE_PORT_8080_TCP_ADDR=10.0.0.1", "REVERIE_API_SERVICE_PORT_HTTP=80", "REVERIE_API_PORT=tcp://x",
			"REVERIE_TEST_DATABASE_URL=x",
		}},
		{environment: []string{"REVERIE_LLM_MODLE=REVERIE_LLM_KEY"}, want: "REVERIE_LLM_MODLE is no setting: did you mean REVERIE_LLM_MODEL?"},
		{environment: []string{"REVERIE_WEATHER=x"}, want: "REVERIE_WEATHER is no setting (docs/configuration.md lists them)"},
		{of: Config{BudgetCost: 5}}, // the built-in engine is free
		{of: Config{LLMProvider: "openai", BudgetTokens: 5}},
		{of: Config{LLMProvider: "openai", BudgetCost: 5}, want: "REVERIE_BUDGET_COST limits no call of the model"},
		{of: Config{LLMProvider: "openai", Settings: setting.Settings{AgentBudgetCost: 5}}, want: "or use REVERIE_AGENT_BUDGET_TOKENS"},
	} {
		got := c.of.Warnings(c.environment)
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
			t.Errorf("%v: %q, want %q", c.environment, got, c.want)
		}
	}
}
