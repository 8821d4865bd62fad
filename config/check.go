package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// MinAdminKey is the minimum length of an admin key, in characters.
const MinAdminKey = 24

// Validate checks all settings without reaching any server. Its error names every variable with an invalid value.
func (c Config) Validate() error {
	var errs []error
	bad := func(key, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s_%s: %s", Prefix, key, fmt.Sprintf(format, args...)))
	}
	for _, row := range rows(c) {
		if problem := row.problem(); problem != "" {
			bad(row.key(), "%s", problem)
		}
	}
	if key := c.AdminKey.Reveal(); key != "" && len(key) < MinAdminKey {
		bad("ADMIN_KEY", "it has %d characters and needs at least %d", len(key), MinAdminKey)
	}
	if key := c.CodecKey.Reveal(); key != "" && len(key) < MinAdminKey {
		bad("CODEC_KEY", "it has %d characters and needs at least %d", len(key), MinAdminKey)
	}
	if c.LLMProvider == "" && (c.LLMModel != "" || !c.LLMAPIKey.Empty() || c.LLMBaseURL != "") {
		bad("LLM_PROVIDER", "name the provider (for an OpenAI-compatible server: openai-compatible), "+
			"or unset the other REVERIE_LLM_ variables to use the built-in engine")
	}
	checkEmbeddingModel("EMBEDDING_", c.EmbeddingProvider, c.EmbeddingModel, c.EmbeddingAPIKey, c.EmbeddingBaseURL, c.EmbeddingDimensions, bad)
	checkEmbeddingModel("EMBEDDING_NEXT_", c.EmbeddingNextProvider, c.EmbeddingNextModel, c.EmbeddingNextAPIKey, c.EmbeddingNextBaseURL,
		c.EmbeddingNextDimensions, bad)
	if c.EmbeddingNextProvider != "" && c.EmbeddingProvider == "" {
		bad("EMBEDDING_NEXT_PROVIDER", "there is no embedding model to change from: name the new one in %s_EMBEDDING_PROVIDER", Prefix)
	}
	for key, address := range map[string]string{"OAUTH_ISSUER": c.OAuthIssuer, "PUBLIC_URL": c.PublicURL} {
		if u, err := url.Parse(address); address != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
			bad(key, "write a URL, such as https://memory.example.com")
		}
	}
	if c.OAuthIssuer != "" && c.PublicURL == "" {
		bad("PUBLIC_URL", "clients that sign in at %s_OAUTH_ISSUER need the address of this server", Prefix)
	}
	// The parser accepts a time zone as well; agents have their own.
	parser := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)
	if _, err := parser.Parse(c.DreamCron); err != nil || strings.Contains(c.DreamCron, "=") {
		bad("DREAM_CRON", "%q: write five fields, minute hour day-of-month month day-of-week (0 to 6, Sunday is 0), such as 0 2 * * *",
			c.DreamCron)
	}
	if c.DreamWeightFrequency+c.DreamWeightRelevance+c.DreamWeightDiversity+c.DreamWeightRecency+
		c.DreamWeightConsolidation+c.DreamWeightConceptual == 0 {
		bad("DREAM_WEIGHT_FREQUENCY", "one of the weights must be above 0")
	}
	if c.Window().TooLarge() {
		bad("INJECT_TRUSTED_SHARE", "%v and %v of %s_INJECT_IDENTITY_SHARE are more than 1 together: lower one of them",
			c.InjectTrustedShare, c.InjectIdentityShare, Prefix)
	}
	return errors.Join(errs...)
}

// checkEmbeddingModel checks the settings of one embedding model, whose names begin with prefix.
func checkEmbeddingModel(
	prefix, provider, model string, key Secret, baseURL string, dimensions int, bad func(key, format string, args ...any),
) {
	switch {
	case provider != "" && model == "":
		bad(prefix+"MODEL", "name the model")
	case provider == "" && (model != "" || !key.Empty() || baseURL != "" || dimensions > 0):
		bad(prefix+"PROVIDER", "name the provider (for an OpenAI-compatible server: openai-compatible), or unset the other %s_%s variables",
			Prefix, prefix)
	}
}

// row is one setting: its tags and its value.
type row struct {
	reflect.StructField

	value reflect.Value
}

// rows returns the settings of c in the order of their declaration.
func rows(c Config) []row {
	var out []row
	value := reflect.ValueOf(c)
	for _, f := range reflect.VisibleFields(value.Type()) {
		if !f.Anonymous {
			out = append(out, row{f, value.FieldByIndex(f.Index)})
		}
	}
	return out
}

// key is the name of the variable, without its prefix.
func (r row) key() string { return r.Tag.Get("envconfig") }

// problem checks a value against the bounds of its setting; empty: it is valid.
func (r row) problem() string {
	if enum := r.Tag.Get("enum"); enum != "" {
		if values := strings.Split(enum, ","); !slices.Contains(values, r.value.String()) {
			return fmt.Sprintf("%q: write %s", r.value, strings.Join(values, " or "))
		}
		return ""
	}
	least, most := r.Tag.Get("minimum"), r.Tag.Get("maximum")
	value := r.number()
	switch {
	case most != "" && !(value >= bound(least) && value <= bound(most)):
		return fmt.Sprintf("%v must be from %s to %s", r.value, least, most)
	case least != "" && !(value >= bound(least)):
		return fmt.Sprintf("%v must be at least %s", r.value, least)
	}
	return ""
}

// number returns the value of a number or duration; 0 for anything else.
func (r row) number() float64 {
	switch {
	case r.value.CanInt():
		return float64(r.value.Int())
	case r.value.CanFloat():
		return r.value.Float()
	}
	return 0
}

// bound parses a number or a duration, whose unit is then a nanosecond.
func bound(text string) float64 {
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		panic("bound of a setting: " + err.Error())
	}
	return float64(d)
}

// Wanted says what to write for a value of a type, as Go or pflag name it.
func Wanted(typeName string) string {
	switch typeName {
	case "time.Duration", "duration":
		return "give a duration such as 30s"
	case "[]time.Duration":
		return "give durations such as 5s,30s,2m"
	case "int", "int32", "int64":
		return "give a whole number"
	case "float64":
		return "give a number such as 0.5"
	case "bool":
		return "give true or false"
	}
	return "give a valid " + typeName
}

// AuditAdmins is the value of Config.Audit that limits the audit log to administrators.
const AuditAdmins = "admins"

// Off is the address of a listener that is switched off.
const Off = "off"

// CheckExposure refuses an address beyond loopback when there is no admin key.
func (c Config) CheckExposure(addrs ...string) error {
	for _, addr := range addrs {
		if addr == "" || addr == Off || IsLoopback(addr) || !c.AdminKey.Empty() {
			continue
		}
		return fmt.Errorf("%s is reachable from other machines: set %s_ADMIN_KEY first (at least %d random characters), or listen on 127.0.0.1",
			addr, Prefix, MinAdminKey)
	}
	return nil
}

// IsLoopback reports whether host:port can only be reached from this machine.
func IsLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
