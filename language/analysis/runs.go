package analysis

import (
	"slices"
	"strings"

	"reverie/language/fold"
	"reverie/language/script"
)

// runReader collects a run of characters of a script that does not separate words, or runs them into their particles.
type runReader struct {
	script script.Script
	starts []int // of each character with its marks, bytes of the folded text
	end    int
	spans  []uint8 // see functionSpans
}

// takes reports whether a character at byte at continues the run.
func (r *runReader) takes(at int, of script.Script) bool {
	if len(r.starts) == 0 || r.end != at {
		return false
	}
	return r.script == of
}

func (r *runReader) add(start, end int, of script.Script) {
	r.script = of
	r.starts = append(r.starts, start)
	r.end = end
}

// mark adds a mark to the last character; false when there is none that it follows.
func (r *runReader) mark(start, end int) bool {
	if len(r.starts) == 0 || r.end != start {
		return false
	}
	r.end = end
	return true
}

// endRun turns a run into its single characters and its pairs of neighbours. In a question only the pairs count, and
// characters that stand alone, or between function words: 本を, 집에.
func (s *scan) endRun() {
	n := len(s.run.starts)
	if n == 0 {
		return
	}
	end := func(i int) int {
		if i+1 < n {
			return s.run.starts[i+1]
		}
		return s.run.end
	}
	spans := s.functionSpans()
	for i, start := range s.run.starts {
		single := s.add(start, end(i), Ideographs)
		single.function = spans != nil && spans[i] > 0
		alone := n == 1 || spans != nil && spans[i] == 0 && (i == 0 || spans[i-1] > 0) && (i == n-1 || spans[i+1] > 0)
		single.inRun = !alone
		if i+1 < n {
			pair := s.add(start, end(i+1), Ideographs)
			// Half of a longer function word beside anything is an accident.
			pair.function = spans != nil && (spans[i] > 0 && spans[i+1] > 0 || spans[i] > 1 || spans[i+1] > 1)
		}
		s.position++
	}
	s.run.starts = s.run.starts[:0]
}

// functionSpans says for each character of the run how long the function word is that it is in, found from the left, the
// longest first; nil when none is.
func (s *scan) functionSpans() []uint8 {
	var spans []uint8
	n := len(s.run.starts)
	for i := 0; i < n; {
		length := 0
		for l := min(maxFunctionRun, n-i); l > 0; l-- {
			end := s.run.end
			if i+l < n {
				end = s.run.starts[i+l]
			}
			if functionRuns[s.folded.Text[s.run.starts[i]:end]] {
				length = l
				break
			}
		}
		if length == 0 {
			i++
			continue
		}
		if spans == nil {
			s.run.spans = slices.Grow(s.run.spans[:0], n)[:n]
			clear(s.run.spans)
			spans = s.run.spans
		}
		for range length {
			spans[i] = uint8(length)
			i++
		}
	}
	return spans
}

// maxFunctionRun is the length of the longest of functionRuns, in characters.
const maxFunctionRun = 5

// functionRuns are function words of Chinese, Japanese, Korean and Thai.
var functionRuns = func() map[string]bool {
	runs := make(map[string]bool)
	for word := range strings.FieldsSeq(functionRunList) {
		runs[fold.Text(word)] = true
	}
	return runs
}()

const functionRunList = `的 了 吗 嗎 呢 吧 啊 呀 么 麼 是 在 也 很 我 你 您 他 她 它 们 們 这 這 那 哪 谁 誰
	什么 什麼 甚麼 怎么 怎麼 怎样 怎樣 怎么样 怎麼樣 为什么 為什麼 为何 為何 什么时候 什麼時候 何时 何時 哪里 哪裡 哪儿 哪兒 哪个 哪個 哪些
	多少 几个 幾個 多久 多大 我们 我們 你们 你們 他们 他們 她们 她們 它们 自己 这个 這個 那个 那個 这些 這些 那些 这里 這裡 那里 那裡
	因为 因為 所以 如果 但是 可是 不过 不過 而且 或者 还是 還是 虽然 雖然 然后 然後 以后 之前 之后 之後 已经 已經 曾经 曾經 正在 可以 没有 沒有
	是否 有没有 有沒有 是不是 关于 關於 请问 請問 告诉 告訴 一下 一个 一個 哪一 时候 時候 现在 現在 其他 其它 以及 并且 對於 对于 从而 比如 例如
	の に は を が た で て と も へ や か な だ ね よ し れ る です ます した して でした ました ません から まで より など だけ という といった
	いつ どこ だれ なに なん どう なぜ どの どれ どんな いくつ いくら 誰 何 何時 いる ある する こと もの これ それ あれ この その あの ここ そこ
	ください ですか ますか でしょう いて いた った ている ていた
	은 는 이 가 을 를 에 의 도 로 과 와 에서 에게 으로 부터 까지 하고 이다 입니다 습니다 습니까 입니까 합니다 했습니다 있는 있다 무엇 언제 어디
	누구 어떻게 왜 어떤 어느 몇 무슨 그리고 그러나 하지만 나는 저는 우리 그는 그녀 이것 그것 저것 인가 인가요 나요 했나요 니까
	ที่ ใน และ ของ เป็น มี ได้ ไม่ ให้ จะ กับ ว่า อะไร เมื่อ ไหร่ เมื่อไหร่ ไหน ใคร ทำไม อย่าง ไร อย่างไร หรือ แต่ ก็ นี้ นั้น ฉัน คุณ เขา`
