package recall_test

import (
	"reflect"
	"testing"

	"reverie/memory"
	"reverie/recall"
)

// Each setting of an agent has an effect somewhere: on extraction, on its timers, on searches, on dreams and their times, or on what business processes
// may write.
func TestEverySettingCounts(t *testing.T) {
	t.Parallel()
	extraction, timing, searches := memory.DefaultExtractSettings(), memory.DefaultTiming(), recall.DefaultSettings()
	dreams, nights, windows := memory.DefaultDreamSettings(), memory.DefaultDreamSchedule(), memory.DefaultWindowSettings()
	kind := reflect.TypeFor[memory.AgentSettings]()
	for i := range kind.NumField() {
		name := kind.Field(i).Name
		counts := false
		for _, value := range []any{new(true), new(false), new(5), new(0.123), "x", memory.FlushWait, []string{"memory/*.md"}} {
			a := memory.AgentSettings{}
			field := reflect.ValueOf(&a).Elem().Field(i)
			if reflect.TypeOf(value) != field.Type() {
				continue
			}
			field.Set(reflect.ValueOf(value))
			counts = counts || extraction.With(a) != extraction || timing.With(a) != timing || searches.With(a) != searches ||
				dreams.With(a) != dreams || nights.With(a) != nights || windows.With(a) != windows ||
				memory.WriteAllowed(a.WriteTargets, memory.MemoryPath) != memory.WriteAllowed(nil, memory.MemoryPath)
		}
		if !counts {
			t.Errorf("%s changes nothing", name)
		}
	}
}
