package extractive

import (
	"slices"
	"strings"
	"testing"

	"reverie/language/cue"
	"reverie/memory"
	"reverie/memory/transcripts"
)

// introductions by language, each with the beginning and the end of a role-play.
var introductions = map[string]struct{ says, name, play, end string }{
	"en": {
		"I'm Tom, I work as a nurse and I live in Leeds.", "Tom",
		"Let's play a role-play: you are a dragon and I am the knight Galahad.", "ok, end of the game.",
	},
	"de": {
		"Ich heiße Tom, ich arbeite als Krankenpfleger.", "Tom",
		"Lass uns ein Rollenspiel machen: du bist ein Drache, ich bin der Ritter Galahad.", "Ok, Ende des Spiels.",
	},
	"es": {
		"Me llamo Tom, trabajo como enfermero y vivo en Leeds.", "Tom",
		"Juguemos un juego de rol: tú eres un dragón y yo soy el caballero Galahad.", "Vale, el juego terminó.",
	},
	"fr": {
		"Je m'appelle Tom, je travaille comme infirmier.", "Tom",
		"Faisons un jeu de rôle : tu es un dragon et je suis le chevalier Galahad.", "Ok, le jeu est fini.",
	},
	"pt": {
		"Eu me chamo Tom, trabalho como enfermeiro.", "Tom",
		"Vamos fazer um roleplay: você é um dragão e eu sou o cavaleiro Galahad.", "Ok, o jogo acabou.",
	},
	"it": {
		"Mi chiamo Tom, lavoro come infermiere e vivo a Leeds.", "Tom",
		"Facciamo un gioco di ruolo: tu sei un drago e io sono il cavaliere Galahad.", "Ok, il gioco è finito.",
	},
	"ru": {
		"Меня зовут Том, я работаю медбратом и живу в Лидсе.", "Том",
		"Давай сыграем в ролевую игру: ты дракон, а я рыцарь Galahad.", "Ок, игра закончена.",
	},
	"ar": {"اسمي محمد، أعمل ممرضا وأعيش في القاهرة.", "محمد", "لنلعب لعبة أدوار: أنت التنين وأنا الفارس Galahad.", "حسنا، اللعبة انتهت."},
	"zh": {"我叫陈明，我是护士，住在上海。", "陈明", "我们来玩角色扮演吧：你是一条龙，我是骑士Galahad。", "好，游戏到此结束。"},
	"ja": {"私の名前は田中です。看護師として働いていて、大阪に住んでいます。", "田中", "ロールプレイをしよう。あなたがドラゴンで、私が騎士のGalahadです。", "はい、ゲームは終わり。"},
	"ko": {"제 이름은 민수예요. 간호사로 일하고 부산에 살아요.", "민수", "역할극 하자. 너는 용이고 나는 기사 Galahad야.", "자, 게임은 끝."},
	"vi": {
		"Mình tên là Nam, mình làm y tá và sống ở Huế.", "Nam",
		"Chơi nhập vai nhé: bạn là con rồng còn mình là hiệp sĩ Galahad.", "Ok, trò chơi kết thúc.",
	},
}

// What is said when a role-play is over counts, however long it was.
func TestEndOfRolePlay(t *testing.T) {
	for _, lang := range cue.Languages {
		c := introductions[lang]
		in := said("u: "+c.play, "a: *Rrr!*", "u: Ha, Galahad!", "a: *Rrrr!*", "u: Galahad! Galahad!", "a: *Rrr.*", "u: Galahad!!", "a: *Rrr...*")
		if p := propose(in); p.ShouldUpdate {
			t.Errorf("%s: what was played is kept: %+v", lang, p)
		}
		in.Transcript = append(in.Transcript, said("u: "+c.end+" "+c.says, "a: :)").Transcript...)
		for i := range in.Transcript {
			in.Transcript[i].Seq = int64(i + 1)
		}
		if p := propose(in); !strings.Contains(p.ProfileUpdate, "Name: "+c.name) || strings.Contains(p.ProfileUpdate+p.MemoryUpdate+p.DailyEntry, "Galahad") {
			t.Errorf("%s: %+v", lang, p)
		}
	}
}

// Introductions that are put into any place of a long conversation without a role-play are kept. The setting left out .04 of them.
func TestIntroductionsInTheirSetting(t *testing.T) {
	kept, all := 0, 0
	for _, talk := range loadSet(t, corpusFolder+"heldout") {
		in := inputOf(t, &talk)
		if slices.Contains(talk.Hard, "roleplay") || !hasSetting(in.Transcript) {
			continue
		}
		c := introductions[talk.Lang]
		for at, l := range in.Transcript {
			if l.Role != memory.RoleOfUser {
				continue
			}
			with := in
			l.Seq, l.Text = 999, c.says
			with.Transcript = slices.Insert(
				slices.Clone(in.Transcript), at, l, transcripts.Line{Seq: 1000, Role: memory.RoleOfAssistant, At: l.At, Text: c.name + "!"},
			)
			all++
			if strings.Contains(propose(with).ProfileUpdate, c.name) {
				kept++
			}
		}
	}
	if t.Logf("%d of %d", kept, all); float64(kept) < .98*float64(all) {
		t.Error("the setting may leave out .02 of what people say of themselves")
	}
}
