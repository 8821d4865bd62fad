package number

import "testing"

func TestRead(t *testing.T) {
	for _, test := range []struct {
		text   string
		n      int
		value  float64
		places int
	}{
		{"", 0, 0, 0},
		{"人", 0, 0, 0},
		{"二十三岁", 3, 23, 1},
		{"三万二千", 4, 32_000, 2},
		{"一百五", 3, 150, 1},
		{"二〇二六年", 4, 2026, 0},
		{"万人", 1, 1e4, 1},
		{"三億", 2, 3e8, 1},
	} {
		if n, value, places := Han.Read([]rune(test.text)); n != test.n || value != test.value || places != test.places {
			t.Errorf("%q: %d, %v, %d", test.text, n, value, places)
		}
	}
	if n, value, places := Sino.Read([]rune("이십삼세")); n != 3 || value != 23 || places != 1 {
		t.Error("Sino", n, value, places)
	}
}

func TestSmall(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "一": 1, "两": 2, "兩": 2, "九": 9, "十": 10, "十二": 12, "二十": 20, "九十九": 99, "两三": 0, "三四": 0, "一百": 0, "人": 0, "三人": 0,
	} {
		if got := Small(text); got != want {
			t.Errorf("%q is %d, not %d", text, got, want)
		}
	}
}

func TestPlace(t *testing.T) {
	for r, want := range map[rune]float64{'万': 1e4, '십': 10, '億': 1e8, '一': 0} {
		if got, ok := Place(r); got != want || ok != (want > 0) {
			t.Errorf("%q is %v, %v", r, got, ok)
		}
	}
}
