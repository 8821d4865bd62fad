package stance_test

import (
	"testing"

	"reverie/language/cue"
	"reverie/language/stance"
)

func TestQuestionsMarkedAtTheEnd(t *testing.T) {
	for _, c := range []struct {
		lang, text string
		want       stance.Stance
	}{
		{"zh", "那我的评论你能改吗", stance.Question},
		{"ja", "これは冷凍できますか。", stance.Question},
		{"ko", "접수는 어떻게 합니까.", stance.Question},
		{"ko", "얼마 전에 대전으로 이사했어요", stance.Own},
		{"zh", "我老公对花生过敏", stance.Own},
		{"en", "My brother lives in Leeds but I forgot where", stance.Own},
	} {
		r := &stance.Reader{Lang: c.lang}
		got := r.Read(c.text)
		if len(got) != 1 || got[0].Stance != c.want {
			t.Errorf("%q: %+v, want stance %d", c.text, got, c.want)
		}
	}
}

func TestLettersWithEndingsAtTheEnd(t *testing.T) {
	for lang, letter := range map[string]string{
		"zh": "王经理您好：\n我住在西安，因母亲生病申请请假三天。\n此致\n敬礼",
		"ja": "田中様\nお世話になっております。私は花粉症で外に出られません。\n敬具",
		"ko": "김 대리님,\n저는 임신 중이라 참석이 어렵습니다.\n이수연 드림",
	} {
		r := &stance.Reader{Lang: lang}
		for _, s := range r.Read(letter) {
			if s.Stance != stance.Foreign {
				t.Errorf("%s: %q has stance %d, want Foreign", lang, s.Text, s.Stance)
			}
		}
	}
}

func TestKoreanWordsBehindDigits(t *testing.T) {
	for text, want := range map[string]cue.Kind{"아들이 12살이에요": cue.Age, "딸은 3학년": cue.Age, "냄새가 싫어요": cue.Like} {
		if !cue.Find(text, "ko").Set().Has(want) {
			t.Errorf("%q has no %v", text, want)
		}
	}
}

func TestSentenceThatEndsQuotation(t *testing.T) {
	r := &stance.Reader{Lang: "ko"}
	got := r.Read(`친구한테 카톡 왔는데 "나 임신했어! 내년에 엄마 된다" 뭐라고 하지`)
	if len(got) != 2 || got[0].Stance != stance.Foreign || got[1].Stance != stance.Foreign {
		t.Errorf("%+v, want two foreign sentences", got)
	}
}
