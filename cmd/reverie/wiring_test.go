package main

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/config"
	"reverie/memory/setting"
)

// What is documented as the default is the default, and every setting of a window can be set.
func TestWindowSettingsAreConfigured(t *testing.T) {
	c, err := config.Load()
	if err != nil {
		t.Fatal(err)
	}
	documented := setting.DefaultWindowSettings()
	if diff := cmp.Diff(documented, windowSettings(c, false)); diff != "" {
		t.Errorf("(-documented +configured):\n%s", diff)
	}
	for name, value := range map[string]string{
		"MEMORY_ENABLED": "false", "OWNER_ISOLATION": "false", "WINDOW_MAX_TOKENS": "4096", "WINDOW_COMPACT_SHARE": "0.5",
		"WINDOW_KEEP_TURNS": "3", "WINDOW_SUMMARY_MAX_TOKENS": "500", "WINDOW_GOAL_MAX_TOKENS": "100", "WINDOW_SUMMARY_DEADLINE": "5s",
		"AUTO_INJECT": "false", "AUTO_INJECT_THRESHOLD": "0.5", "AUTO_INJECT_MAX_TOKENS": "400", "PROVIDER_MAX_TOKENS": "50", "INJECT_IDENTITY_SHARE": "0.1", "INJECT_TRUSTED_SHARE": "0.1",
		"FLUSH_SOFT_TOKENS": "100", "FLUSH_SHARE": "0.9", "FLUSH_MESSAGES": "10", "FLUSH_BYTES": "4096", "FLUSH_DEADLINE": "10s",
		"FLUSH_POLICY": "wait", "CHAT_MAX_TOOL_ROUNDS": "3", "LLM_PROVIDER": "openai", "LLM_MODEL": "gpt-test", "LLM_TIMEOUT": "1m",
		"LLM_HEARTBEAT": "10s",
	} {
		t.Setenv("REVERIE_"+name, value)
	}
	if c, err = config.Load(); err != nil {
		t.Fatal(err)
	}
	was, is := reflect.ValueOf(documented), reflect.ValueOf(windowSettings(c, true))
	for i := range is.NumField() {
		if is.Field(i).Equal(was.Field(i)) {
			t.Errorf("%s cannot be configured", is.Type().Field(i).Name)
		}
	}
}
