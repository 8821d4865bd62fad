// Package setting defines the settings of agents and the resolved settings of extractions, dreams, flushes and windows.
package setting

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"reverie/memory"
)

// Settings is the table of agent settings, one line each. The server's values come from the environment (package config
// embeds the struct) and apply to every agent that does not override them (AgentSettings). The tags of a line are the only
// definition of a setting:
//
//   - envconfig: the environment variable, without its prefix
//   - agent: the JSON name in AgentSettings; none: it is the same for all agents
//   - default: the value when the variable is not set
//   - minimum, maximum, enum: the accepted values; agentMinimum and agentMaximum narrow them for an agent's own value
//   - desc: the description in docs/configuration.md and, for agents, in the API
//
// ExtractSettings, DreamSettings and the other resolved settings name their line in a from tag.
type Settings struct {
	LLMModel     string        `envconfig:"LLM_MODEL" agent:"model" desc:"Model name at the provider."`
	LLMTimeout   time.Duration `envconfig:"LLM_TIMEOUT" default:"3m" minimum:"1ms" desc:"Longest model call; a longer one is cut off and repeated."`
	LLMHeartbeat time.Duration `envconfig:"LLM_HEARTBEAT" default:"30s" minimum:"1ms" desc:"How long a worker may be silent during a model call before another one repeats the call."`

	ModelPaused       bool    `envconfig:"MODEL_PAUSED" agent:"modelPaused" default:"false" desc:"Ask no model, as if the budget was spent: extractions, dreams and vectors wait, flushes and summaries are made by rules, and chats answer 429."`
	AgentBudgetTokens int     `envconfig:"AGENT_BUDGET_TOKENS" agent:"budgetTokens" default:"0" minimum:"0" desc:"Model tokens (in and out) that one agent may spend in a day (UTC), within REVERIE_BUDGET_TOKENS; 0: no separate limit."`
	AgentBudgetCost   float64 `envconfig:"AGENT_BUDGET_COST" agent:"budgetCost" default:"0" minimum:"0" desc:"US dollars that one agent may spend in a day (UTC), within REVERIE_BUDGET_COST; 0: no separate limit."`

	RecallMaxResults        int     `envconfig:"RECALL_MAX_RESULTS" agent:"recallMaxResults" default:"6" minimum:"1" maximum:"50" desc:"Results of a search whose request sets no limit."`
	RecallMinScore          float64 `envconfig:"RECALL_MIN_SCORE" agent:"recallMinScore" default:"0.25" minimum:"0" maximum:"1" desc:"Minimum score of a search result."`
	RecallVectorWeight      float64 `envconfig:"RECALL_VECTOR_WEIGHT" agent:"vectorWeight" default:"0.7" minimum:"0" maximum:"1" desc:"Weight of vectors against words in a search; only the ratio of the two weights counts."`
	RecallTextWeight        float64 `envconfig:"RECALL_TEXT_WEIGHT" agent:"textWeight" default:"0.3" minimum:"0" maximum:"1" desc:"Weight of words against vectors in a search."`
	RecallMMR               bool    `envconfig:"RECALL_MMR" agent:"mmr" default:"false" desc:"Rank results of a search lower that repeat others (maximal marginal relevance)."`
	RecallMMRLambda         float64 `envconfig:"RECALL_MMR_LAMBDA" agent:"mmrLambda" default:"0.7" minimum:"0" maximum:"1" desc:"Weight of relevance against novelty."`
	RecallDecay             bool    `envconfig:"RECALL_DECAY" agent:"decay" default:"false" desc:"Give older passages a lower score in a search, except in documents that do not age."`
	RecallDecayHalfLifeDays float64 `envconfig:"RECALL_DECAY_HALF_LIFE_DAYS" agent:"decayHalfLifeDays" default:"30" minimum:"0.01" maximum:"36500" desc:"Age in days at which a passage counts half."`

	MemoryEnabled   bool          `envconfig:"MEMORY_ENABLED" agent:"memoryEnabled" default:"true" desc:"Extract memory from conversations, and search it."`
	OwnerIsolation  bool          `envconfig:"OWNER_ISOLATION" agent:"ownerIsolation" default:"true" desc:"Keep what is learned from a person in that person's own documents. Off: in the agent's shared ones."`
	QuietPeriod     time.Duration `envconfig:"QUIET_PERIOD" agent:"quietSeconds" default:"20s" minimum:"0s" agentMaximum:"24h" desc:"Time without a new message before an extraction starts."`
	Cooldown        time.Duration `envconfig:"COOLDOWN" agent:"cooldownSeconds" default:"5m" minimum:"0s" agentMaximum:"168h" desc:"Minimum time between two extractions of one agent and owner."`
	IdleTurn        time.Duration `envconfig:"IDLE_TURN" agent:"idleTurnSeconds" default:"15m" minimum:"0s" agentMaximum:"24h" desc:"Time without a new message after which messages are extracted although no client completed the turn; after twice this time, also while others follow. 0: never."`
	MinMessages     int           `envconfig:"MIN_MESSAGES" agent:"minMessages" default:"1" minimum:"1" agentMaximum:"1000" desc:"User and assistant messages that a conversation needs before anything is extracted."`
	MinUserChars    int           `envconfig:"MIN_USER_CHARS" agent:"minUserChars" default:"10" minimum:"0" agentMaximum:"10000" desc:"Characters that one of the user's new messages needs before anything is extracted. A Chinese, Japanese or Korean character counts as three."`
	MaxTranscript   int           `envconfig:"MAX_TRANSCRIPT" default:"30" minimum:"1" desc:"Messages of one transcript; a longer conversation is extracted in several steps."`
	MaxMessageChars int           `envconfig:"MAX_MESSAGE_CHARS" default:"2000" minimum:"1" desc:"Characters of one message that a transcript keeps."`
	ProfileMaxChars int           `envconfig:"PROFILE_MAX_CHARS" agent:"profileMaxChars" default:"4000" minimum:"1" agentMinimum:"200" agentMaximum:"200000" desc:"Maximum size of an extracted PROFILE.md, in characters."`
	MemoryMaxChars  int           `envconfig:"MEMORY_MAX_CHARS" agent:"memoryMaxChars" default:"10000" minimum:"1" agentMinimum:"200" agentMaximum:"200000" desc:"Maximum size of an extracted MEMORY.md, in characters."`
	MaxDropShare    float64       `envconfig:"MAX_DROP_SHARE" default:"0.3" minimum:"0" maximum:"1" desc:"Share of a document's lines that one replacement may drop."`

	DreamingEnabled          bool          `envconfig:"DREAMING_ENABLED" agent:"dreamingEnabled" default:"true" desc:"Dream at night, while memory is enabled."`
	DreamCron                string        `envconfig:"DREAM_CRON" agent:"dreamCron" default:"0 2 * * *" desc:"When an agent dreams, in its time zone: minute, hour, day of the month, month, day of the week (0 to 6, Sunday is 0)."`
	DreamJitter              time.Duration `envconfig:"DREAM_JITTER" default:"2h" minimum:"0s" maximum:"6h" desc:"Period over which the nights of all agents are spread. Each agent has a fixed place in it, by a hash."`
	DreamParallel            int           `envconfig:"DREAM_PARALLEL" default:"4" minimum:"1" maximum:"64" desc:"Owners of one agent that dream at once."`
	DreamDays                int           `envconfig:"DREAM_DAYS" agent:"dreamDays" default:"7" minimum:"1" maximum:"90" desc:"Days of notes and sessions that a dream reads."`
	DreamMinScore            float64       `envconfig:"DREAM_MIN_SCORE" agent:"dreamMinScore" default:"0.75" minimum:"0" maximum:"1" desc:"Minimum score of a statement that a dream promotes."`
	DreamMinSignals          int           `envconfig:"DREAM_MIN_SIGNALS" agent:"dreamMinSignals" default:"3" minimum:"1" maximum:"100" desc:"Minimum signals of a statement that a dream promotes: recalls, and days on which it was said."`
	DreamMinDiversity        int           `envconfig:"DREAM_MIN_DIVERSITY" agent:"dreamMinDiversity" default:"2" minimum:"1" maximum:"100" desc:"Minimum distinct questions or days of a statement that a dream promotes."`
	DreamMaxPromotions       int           `envconfig:"DREAM_MAX_PROMOTIONS" agent:"dreamMaxPromotions" default:"10" minimum:"0" maximum:"100" desc:"Maximum statements that one dream promotes."`
	DreamMaxCandidates       int           `envconfig:"DREAM_MAX_CANDIDATES" default:"400" minimum:"1" maximum:"5000" desc:"Maximum statements that one dream weighs; the others wait for the next dream."`
	DreamMaxRetiredShare     float64       `envconfig:"DREAM_MAX_RETIRED_SHARE" agent:"dreamMaxRetiredShare" default:"0.2" minimum:"0" maximum:"1" desc:"Share of the lines of MEMORY.md that one dream may retire."`
	DreamDiaryMaxChars       int           `envconfig:"DREAM_DIARY_MAX_CHARS" default:"20000" minimum:"2000" maximum:"200000" desc:"Characters of DREAMS.md before old entries move into monthly files."`
	DreamNotesMaxChars       int           `envconfig:"DREAM_NOTES_MAX_CHARS" default:"24000" minimum:"1000" maximum:"1000000" desc:"Characters of notes that a dream shows a model."`
	ArchiveTrust             float64       `envconfig:"ARCHIVE_TRUST" agent:"archiveTrust" default:"0.15" minimum:"0" maximum:"1" desc:"Trust below which a dream, or without dreams the worker, archives a fact that was neither said, noted, confirmed nor used for 30 days. What a person wrote or confirmed is never archived. 0: none."`
	MaxOwnerFacts            int           `envconfig:"MAX_OWNER_FACTS" agent:"maxOwnerFacts" default:"200" minimum:"0" maximum:"100000" desc:"Facts of one owner in MEMORY.md, PROFILE.md, structured/ and chats/, above which a dream archives the least trusted; 0: no limit."`
	MaxSharedFacts           int           `envconfig:"MAX_SHARED_FACTS" agent:"maxSharedFacts" default:"500" minimum:"0" maximum:"100000" desc:"Shared facts of one agent in MEMORY.md, PROFILE.md, structured/ and chats/, above which a dream archives the least trusted; 0: no limit."`
	SoulWrites               int           `envconfig:"SOUL_WRITES" agent:"soulWrites" default:"20" minimum:"0" maximum:"100000" desc:"Writes of memory after which a model rewrites SOUL.md, at the end of a dream; 0: never. Agents with a leader never do it, agents with several owners only with their own value."`
	DreamWeightFrequency     float64       `envconfig:"DREAM_WEIGHT_FREQUENCY" default:"0.24" minimum:"0" maximum:"1" desc:"Weight of how often a statement came up in its score; only the ratios of the six weights count."`
	DreamWeightRelevance     float64       `envconfig:"DREAM_WEIGHT_RELEVANCE" default:"0.30" minimum:"0" maximum:"1" desc:"Weight of how well it answered when it came up."`
	DreamWeightDiversity     float64       `envconfig:"DREAM_WEIGHT_DIVERSITY" default:"0.15" minimum:"0" maximum:"1" desc:"Weight of the number of distinct questions or days."`
	DreamWeightRecency       float64       `envconfig:"DREAM_WEIGHT_RECENCY" default:"0.15" minimum:"0" maximum:"1" desc:"Weight of how recently it came up."`
	DreamWeightConsolidation float64       `envconfig:"DREAM_WEIGHT_CONSOLIDATION" default:"0.10" minimum:"0" maximum:"1" desc:"Weight of its spread over days."`
	DreamWeightConceptual    float64       `envconfig:"DREAM_WEIGHT_CONCEPTUAL" default:"0.06" minimum:"0" maximum:"1" desc:"Weight of the number of concepts it names."`
	DreamLightBoost          float64       `envconfig:"DREAM_LIGHT_BOOST" default:"0.06" minimum:"0" maximum:"0.5" desc:"Maximum that earlier light phases add to a score."`
	DreamREMBoost            float64       `envconfig:"DREAM_REM_BOOST" default:"0.09" minimum:"0" maximum:"0.5" desc:"Maximum that earlier REM phases add to a score."`
	DreamHalfLifeDays        float64       `envconfig:"DREAM_HALF_LIFE_DAYS" agent:"dreamHalfLifeDays" default:"14" minimum:"0.01" maximum:"36500" desc:"Age in days at which recency and the boosts of earlier phases count half."`

	Approvals      ApprovalRule   `envconfig:"APPROVALS" agent:"approvals" default:"off" enum:"off,all,shared,removals" desc:"Automatic changes of memory that a person must approve: all; shared, those of TEAM and GLOBAL documents and of SOUL.md; removals, those that remove or replace a line; off, none."`
	ApprovalDays   int            `envconfig:"APPROVAL_DAYS" agent:"approvalDays" default:"7" minimum:"1" maximum:"365" desc:"Days that a change waits for a person."`
	ApprovalExpiry ApprovalExpiry `envconfig:"APPROVAL_EXPIRY" agent:"approvalExpiry" default:"refuse" enum:"refuse,apply" desc:"What happens to lines that nobody has decided about in time. The proposal is kept either way."`

	WindowMaxTokens        int           `envconfig:"WINDOW_MAX_TOKENS" agent:"windowMaxTokens" default:"128000" minimum:"1024" maximum:"10000000" desc:"Tokens of everything that a model is sent in a turn."`
	WindowCompactShare     float64       `envconfig:"WINDOW_COMPACT_SHARE" agent:"windowCompactShare" default:"0.75" minimum:"0.1" maximum:"1" desc:"Share of the window above which earlier turns are summarised. With 0.75, windows below 32,768 tokens use 0.85."`
	WindowKeepTurns        int           `envconfig:"WINDOW_KEEP_TURNS" agent:"windowKeepTurns" default:"2" minimum:"1" maximum:"100" desc:"Last turns that stay verbatim."`
	WindowSummaryMaxTokens int           `envconfig:"WINDOW_SUMMARY_MAX_TOKENS" agent:"summaryMaxTokens" default:"300" minimum:"50" maximum:"20000" desc:"Tokens of the summary of earlier turns."`
	WindowSummaryDeadline  time.Duration `envconfig:"WINDOW_SUMMARY_DEADLINE" default:"60s" minimum:"1s" maximum:"1h" desc:"Time that the model has for a summary; then rules write it."`
	WindowGoalMaxTokens    int           `envconfig:"WINDOW_GOAL_MAX_TOKENS" default:"400" minimum:"1" maximum:"20000" desc:"Tokens of the user's first request that stay verbatim when its turn is summarised."`

	AutoInject          bool    `envconfig:"AUTO_INJECT" agent:"autoInject" default:"true" desc:"Put recalled memory into the context automatically."`
	AutoInjectThreshold float64 `envconfig:"AUTO_INJECT_THRESHOLD" agent:"autoInjectThreshold" default:"0.25" minimum:"0" maximum:"1" desc:"Minimum score of memory that is recalled automatically."`
	AutoInjectMaxTokens int     `envconfig:"AUTO_INJECT_MAX_TOKENS" agent:"autoInjectMaxTokens" default:"200" minimum:"0" maximum:"100000" desc:"Tokens of recalled memory in a context, in all layers."`
	InjectIdentityShare float64 `envconfig:"INJECT_IDENTITY_SHARE" agent:"injectIdentityShare" default:"0.2" minimum:"0" maximum:"1" desc:"Share of these tokens for facts about the person that are not in the system prompt. What is not used is left to memory that matches the message."`
	InjectTrustedShare  float64 `envconfig:"INJECT_TRUSTED_SHARE" agent:"injectTrustedShare" default:"0" minimum:"0" maximum:"1" desc:"Share of these tokens for the most trusted facts that are not in the system prompt. With injectIdentityShare, at most 1 together."`
	ProviderMaxTokens   int     `envconfig:"PROVIDER_MAX_TOKENS" agent:"providerMaxTokens" default:"200" minimum:"0" maximum:"100000" desc:"Tokens of a context for what other programs recall (see REVERIE_PROVIDERS), besides recalled memory; 0: they are not asked."`

	FlushSoftTokens int           `envconfig:"FLUSH_SOFT_TOKENS" agent:"flushSoftTokens" default:"4000" minimum:"0" maximum:"1000000" desc:"Free tokens of a window below which older messages are flushed: what is durable in them is saved before they leave the window."`
	FlushShare      float64       `envconfig:"FLUSH_SHARE" agent:"flushShare" default:"0.85" minimum:"0.1" maximum:"1" desc:"Share of the window above which older messages are flushed."`
	FlushMessages   int           `envconfig:"FLUSH_MESSAGES" agent:"flushMessages" default:"50" minimum:"1" maximum:"100000" desc:"Messages without a flush or an extraction above which they are flushed."`
	FlushBytes      int           `envconfig:"FLUSH_BYTES" agent:"flushBytes" default:"2097152" minimum:"1024" maximum:"1073741824" desc:"Bytes of messages without a flush or an extraction above which they are flushed."`
	FlushDeadline   time.Duration `envconfig:"FLUSH_DEADLINE" agent:"flushDeadlineSeconds" default:"90s" minimum:"1s" maximum:"1h" desc:"Time that the model has for a flush."`
	FlushPolicy     FlushPolicy   `envconfig:"FLUSH_POLICY" agent:"flushPolicy" default:"fallback" enum:"fallback,wait" desc:"After the deadline of a flush: fallback, the built-in engine flushes and the model's version follows; wait, the messages stay in the window until the model answers."`

	ChatMaxToolRounds int `envconfig:"CHAT_MAX_TOOL_ROUNDS" agent:"maxToolRounds" default:"8" minimum:"0" maximum:"100" desc:"Model calls of one turn that may use tools; the next call answers without."`
}

// AgentSettings holds the overrides of one agent; a nil or empty field means the server's value. It is stored as JSON, so
// fields are only ever added. The line of Settings whose agent tag names a field defines its limits and description.
type AgentSettings struct {
	MemoryEnabled   *bool  `json:"memoryEnabled,omitempty"`
	OwnerIsolation  *bool  `json:"ownerIsolation,omitempty"`
	MinMessages     *int   `json:"minMessages,omitempty"`
	MinUserChars    *int   `json:"minUserChars,omitempty"`
	QuietSeconds    *int   `json:"quietSeconds,omitempty"`
	CooldownSeconds *int   `json:"cooldownSeconds,omitempty"`
	IdleTurnSeconds *int   `json:"idleTurnSeconds,omitempty"`
	ProfileMaxChars *int   `json:"profileMaxChars,omitempty"`
	MemoryMaxChars  *int   `json:"memoryMaxChars,omitempty"`
	Model           string `json:"model,omitempty"`

	ModelPaused  *bool    `json:"modelPaused,omitempty"`
	BudgetTokens *int     `json:"budgetTokens,omitempty"` // of a day; 0: no limit
	BudgetCost   *float64 `json:"budgetCost,omitempty"`   // of a day, in US dollars

	RecallMaxResults  *int     `json:"recallMaxResults,omitempty"`
	RecallMinScore    *float64 `json:"recallMinScore,omitempty"`
	VectorWeight      *float64 `json:"vectorWeight,omitempty"`
	TextWeight        *float64 `json:"textWeight,omitempty"`
	MMR               *bool    `json:"mmr,omitempty"`
	MMRLambda         *float64 `json:"mmrLambda,omitempty"`
	Decay             *bool    `json:"decay,omitempty"`
	DecayHalfLifeDays *float64 `json:"decayHalfLifeDays,omitempty"`

	DreamingEnabled      *bool    `json:"dreamingEnabled,omitempty"`
	DreamCron            string   `json:"dreamCron,omitempty"` // see ParseCron
	DreamDays            *int     `json:"dreamDays,omitempty"`
	DreamMinScore        *float64 `json:"dreamMinScore,omitempty"`
	DreamMinSignals      *int     `json:"dreamMinSignals,omitempty"`
	DreamMinDiversity    *int     `json:"dreamMinDiversity,omitempty"`
	DreamMaxPromotions   *int     `json:"dreamMaxPromotions,omitempty"`
	DreamMaxRetiredShare *float64 `json:"dreamMaxRetiredShare,omitempty"`
	DreamHalfLifeDays    *float64 `json:"dreamHalfLifeDays,omitempty"`
	ArchiveTrust         *float64 `json:"archiveTrust,omitempty"`
	MaxOwnerFacts        *int     `json:"maxOwnerFacts,omitempty"`
	MaxSharedFacts       *int     `json:"maxSharedFacts,omitempty"`
	SoulWrites           *int     `json:"soulWrites,omitempty"`

	Approvals      ApprovalRule   `json:"approvals,omitempty"`
	ApprovalDays   *int           `json:"approvalDays,omitempty"`
	ApprovalExpiry ApprovalExpiry `json:"approvalExpiry,omitempty"`

	WindowMaxTokens      *int        `json:"windowMaxTokens,omitempty"`
	WindowCompactShare   *float64    `json:"windowCompactShare,omitempty"`
	WindowKeepTurns      *int        `json:"windowKeepTurns,omitempty"`
	SummaryMaxTokens     *int        `json:"summaryMaxTokens,omitempty"`
	AutoInject           *bool       `json:"autoInject,omitempty"`
	AutoInjectThreshold  *float64    `json:"autoInjectThreshold,omitempty"`
	AutoInjectMaxTokens  *int        `json:"autoInjectMaxTokens,omitempty"`
	InjectIdentityShare  *float64    `json:"injectIdentityShare,omitempty"`
	InjectTrustedShare   *float64    `json:"injectTrustedShare,omitempty"`
	ProviderMaxTokens    *int        `json:"providerMaxTokens,omitempty"`
	FlushSoftTokens      *int        `json:"flushSoftTokens,omitempty"`
	FlushShare           *float64    `json:"flushShare,omitempty"`
	FlushMessages        *int        `json:"flushMessages,omitempty"`
	FlushBytes           *int        `json:"flushBytes,omitempty"`
	FlushDeadlineSeconds *int        `json:"flushDeadlineSeconds,omitempty"`
	FlushPolicy          FlushPolicy `json:"flushPolicy,omitempty"`
	MaxToolRounds        *int        `json:"maxToolRounds,omitempty"`

	// Leader is the agent whose memory this one reads after its own, as a member of that agent's team. A member's memory is
	// read-only. Empty: the agent has no leader.
	Leader string `json:"leader,omitempty"`
	// WriteTargets are patterns (see WriteAllowed) of the paths that business workflows may write; nil: every document but
	// AGENTS.md and SOUL.md.
	WriteTargets []string `json:"writeTargets,omitzero"`
	// DisabledProviders are ids of providers that the agent does without: built-in ones, those of other programs, and the search backend.
	// ProviderOrder are ids of providers whose passages come before those of others in a context.
	DisabledProviders []string `json:"disabledProviders,omitempty"`
	ProviderOrder     []string `json:"providerOrder,omitempty"`
}

// line locates a setting in Settings and AgentSettings.
type line struct {
	setting int // index of the field of Settings
	agent   int // index of the field of AgentSettings; -1: agents cannot set it
}

// lines returns the lines of Settings by field name.
var lines = sync.OnceValue(func() map[string]line {
	own := map[string]int{}
	agent := reflect.TypeFor[AgentSettings]()
	for i := range agent.NumField() {
		name, _, _ := strings.Cut(agent.Field(i).Tag.Get("json"), ",")
		own[name] = i
	}
	table := reflect.TypeFor[Settings]()
	out := make(map[string]line, table.NumField())
	for i := range table.NumField() {
		f := table.Field(i)
		l := line{setting: i, agent: -1}
		if name := f.Tag.Get("agent"); name != "" {
			at, found := own[name]
			if !found {
				panic("memory.AgentSettings has no " + name)
			}
			l.agent = at
		}
		out[f.Name] = l
	}
	return out
})

// DefaultSettings returns the defaults of all lines.
var DefaultSettings = sync.OnceValue(func() Settings {
	var s Settings
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if err := parse(v.Field(i), f.Tag.Get("default")); err != nil {
			panic(fmt.Sprintf("default of memory.Settings.%s: %v", f.Name, err))
		}
	}
	return s
})

// parse sets a field of Settings from text; empty: the zero value.
func parse(to reflect.Value, text string) (err error) {
	if text == "" {
		return nil
	}
	switch to.Interface().(type) {
	case bool:
		var b bool
		b, err = strconv.ParseBool(text)
		to.SetBool(b)
	case time.Duration:
		var d time.Duration
		d, err = time.ParseDuration(text)
		to.SetInt(int64(d))
	case int:
		var n int64
		n, err = strconv.ParseInt(text, 10, 64)
		to.SetInt(n)
	case float64:
		var f float64
		f, err = strconv.ParseFloat(text, 64)
		to.SetFloat(f)
	default:
		to.SetString(text)
	}
	return err
}

// Resolve sets the fields of the struct behind target that have a from tag, to the values of the lines that the tags name.
func (s Settings) Resolve(target any) {
	values := reflect.ValueOf(s)
	eachLine(reflect.ValueOf(target).Elem(), func(to reflect.Value, l line) {
		convert(to, values.Field(l.setting), "")
	})
}

// Override sets the fields of the struct behind target that have a from tag, to the values that a sets.
func (a AgentSettings) Override(target any) {
	own := reflect.ValueOf(a)
	eachLine(reflect.ValueOf(target).Elem(), func(to reflect.Value, l line) {
		if l.agent < 0 || own.Field(l.agent).IsZero() {
			return
		}
		value := own.Field(l.agent)
		if value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		convert(to, value, own.Type().Field(l.agent).Name)
	})
}

// eachLine visits the fields of a struct, and of the structs in it, that have a from tag.
func eachLine(target reflect.Value, visit func(reflect.Value, line)) {
	for i := range target.NumField() {
		f := target.Type().Field(i)
		if name := f.Tag.Get("from"); name != "" {
			l, found := lines()[name]
			if !found {
				panic("memory.Settings has no " + name)
			}
			visit(target.Field(i), l)
		} else if f.Type.Kind() == reflect.Struct {
			eachLine(target.Field(i), visit)
		}
	}
}

// convert sets a field. A number for a field of type time.Duration is in days, or in seconds if its name ends so.
func convert(to, value reflect.Value, name string) {
	if to.Type() == reflect.TypeFor[time.Duration]() && value.Type() != to.Type() {
		switch {
		case value.Kind() == reflect.Float64:
			to.SetInt(int64(value.Float() * 24 * float64(time.Hour)))
		case strings.HasSuffix(name, "Seconds"):
			to.SetInt(value.Int() * int64(time.Second))
		}
		return
	}
	to.Set(value.Convert(to.Type()))
}

// ExtractSettings are the resolved settings of one extraction. They are part of the workflow's input, so that a retry
// uses the same values.
type ExtractSettings struct {
	MemoryEnabled   bool          `json:"memoryEnabled" from:"MemoryEnabled"`
	TeamMember      bool          `json:"teamMember,omitempty"` // the agent has a leader: its memory is read-only
	OwnerIsolation  bool          `json:"ownerIsolation" from:"OwnerIsolation"`
	MinMessages     int           `json:"minMessages" from:"MinMessages"`
	MinUserChars    int           `json:"minUserChars" from:"MinUserChars"`
	MaxTranscript   int           `json:"maxTranscript" from:"MaxTranscript"`     // messages of one transcript
	MaxMessageChars int           `json:"maxMessageChars" from:"MaxMessageChars"` // of one message in a transcript
	ProfileMaxChars int           `json:"profileMaxChars" from:"ProfileMaxChars"`
	MemoryMaxChars  int           `json:"memoryMaxChars" from:"MemoryMaxChars"`
	NoteTailChars   int           `json:"noteTailChars"`                    // of today's note that the model sees
	MaxDropShare    float64       `json:"maxDropShare" from:"MaxDropShare"` // of existing lines that one replacement may drop
	Model           string        `json:"model" from:"LLMModel"`
	ModelTimeout    time.Duration `json:"modelTimeout" from:"LLMTimeout"`     // of one model call
	ModelHeartbeat  time.Duration `json:"modelHeartbeat" from:"LLMHeartbeat"` // silence after which the worker counts as dead
}

// noteTailChars is the length of the end of today's note shown to a model, in characters.
const noteTailChars = 4000

// Extract returns the settings of extractions.
func (s Settings) Extract() ExtractSettings {
	out := ExtractSettings{NoteTailChars: noteTailChars}
	s.Resolve(&out)
	return out
}

// DefaultExtractSettings returns the documented defaults.
func DefaultExtractSettings() ExtractSettings { return DefaultSettings().Extract() }

// With returns s with the agent's overrides.
func (s ExtractSettings) With(a AgentSettings) ExtractSettings {
	a.Override(&s)
	s.TeamMember = a.Leader != ""
	return s
}

// Stopped returns the reason why extraction is off: memory is off, or the agent is a team member. It returns an empty
// string if extraction is on.
func (s ExtractSettings) Stopped() memory.ReasonCode {
	switch {
	case !s.MemoryEnabled:
		return memory.GateMemoryOff
	case s.TeamMember:
		return memory.GateTeamMember
	}
	return ""
}

// MinMessageChars is the minimum length to which messages are cut for a model with a small context.
const MinMessageChars = 250

// Shorter returns settings for a transcript of half the messages, and once one message is left, of half its characters.
// It reports false when it cannot get shorter. messages is the number of messages of the transcript that did not fit.
func (s ExtractSettings) Shorter(messages int) (ExtractSettings, bool) {
	switch {
	case messages > 1:
		s.MaxTranscript = max(1, min(messages, s.MaxTranscript)/2)
	case s.MaxMessageChars/2 >= MinMessageChars:
		s.MaxMessageChars /= 2
	default:
		return s, false
	}
	return s, true
}
