package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"reverie/memory"
	"reverie/memory/setting"
)

// agentSettings are memory.AgentSettings; their schema has the bounds and descriptions of memory.Settings.
type agentSettings setting.AgentSettings

// TransformSchema adds bounds and descriptions.
func (agentSettings) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	for name, property := range s.Properties {
		describeSetting(name, property)
	}
	return s
}

// describeSetting fills the schema of an agent's setting.
func describeSetting(name string, s *huma.Schema) {
	switch name {
	case "leader":
		s.Description = "Agent whose memory this one reads after its own, as a member of its team; a member's memory is " +
			"read-only. Empty: no leader."
		s.MaxLength = new(63)
		return
	case "writeTargets":
		s.Description = "Patterns of the documents that business workflows may write, such as memory/cases/*.md; missing: all " +
			"but AGENTS.md and SOUL.md; an empty list: none."
		s.MaxItems = new(memory.MaxWriteTargets)
		return
	case "disabledProviders":
		s.Description = "Ids of providers of memory that the agent does without: files, structured, session_search, facts, those of other " +
			"programs, and the search backend."
		boundProviders(s)
		return
	case "providerOrder":
		s.Description = "Ids of providers of other programs whose passages come first in a context, in this order; then the others, in the " +
			"order of the server."
		boundProviders(s)
		return
	case "dreamCron":
		s.MaxLength = new(100)
		s.Examples = []any{"0 2 * * *"}
	case "model":
		s.MaxLength = new(200)
	}
	line := settingLines[name]
	s.Description = line.Tag.Get("desc")
	s.Minimum = settingBound(line, "agentMinimum", "minimum")
	s.Maximum = settingBound(line, "agentMaximum", "maximum")
	if enum := line.Tag.Get("enum"); enum != "" {
		for value := range strings.SplitSeq(enum, ",") {
			s.Enum = append(s.Enum, value)
		}
	}
}

// boundProviders bounds a list of ids of providers.
func boundProviders(s *huma.Schema) {
	s.MaxItems = new(maxProviders)
	s.Items.MaxLength = new(63)
}

// maxProviders bounds the providers that an agent's setting names.
const maxProviders = 50

// settingLines are the lines of memory.Settings by the name of the agent's setting.
var settingLines = func() map[string]reflect.StructField {
	lines := map[string]reflect.StructField{}
	for f := range reflect.TypeFor[setting.Settings]().Fields() {
		if name := f.Tag.Get("agent"); name != "" {
			lines[name] = f
		}
	}
	return lines
}()

// settingBound reads the first of some tags that is set, a number or a duration in seconds; nil: there is no bound.
func settingBound(line reflect.StructField, tags ...string) *float64 {
	for _, tag := range tags {
		text := line.Tag.Get(tag)
		if text == "" {
			continue
		}
		if d, err := time.ParseDuration(text); err == nil && line.Type == reflect.TypeFor[time.Duration]() {
			return new(d.Seconds())
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			panic("bound of a setting: " + err.Error())
		}
		return &n
	}
	return nil
}

// settingsChanges is a PATCH of settings: a field that is left out stays as it is, null sets the server's value, anything
// else is the new value.
type settingsChanges struct {
	Fields map[string]json.RawMessage `json:"-"`
}

// TransformSchema builds the schema from that of the settings: every field may be null.
func (settingsChanges) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	settings := huma.SchemaFromType(r, reflect.TypeFor[agentSettings]())
	s.Properties = settings.Properties
	for _, property := range s.Properties {
		property.Nullable, property.Description, property.Examples = true, "", nil
		property.PrecomputeMessages()
	}
	s.PrecomputeMessages()
	return s
}

// UnmarshalJSON keeps the fields that are given.
func (c *settingsChanges) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &c.Fields) }

// MarshalJSON is the inverse of UnmarshalJSON.
func (c settingsChanges) MarshalJSON() ([]byte, error) { return json.Marshal(c.Fields) }

// dreamCron returns the new schedule; empty: there is none.
func (c settingsChanges) dreamCron() string {
	var cron string
	_ = json.Unmarshal(c.Fields["dreamCron"], &cron) // the schema was checked; missing or null: empty
	return cron
}

// has reports whether one of the fields is given.
func (c settingsChanges) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { _, given := c.Fields[name]; return given })
}

// apply returns settings with the changes, and reports whether there are any.
func (c settingsChanges) apply(settings setting.AgentSettings) (setting.AgentSettings, bool) {
	if len(c.Fields) == 0 {
		return settings, false
	}
	value := reflect.ValueOf(&settings).Elem()
	for i := range value.NumField() {
		name, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
		given, changed := c.Fields[name]
		if !changed {
			continue
		}
		fresh := reflect.New(value.Field(i).Type()) // not the old pointer, which others may hold
		if !bytes.Equal(given, []byte("null")) {
			_ = json.Unmarshal(given, fresh.Interface()) // the schema was checked
		}
		value.Field(i).Set(fresh.Elem())
	}
	return settings, true
}
