package remember

import (
	"reverie/language/lazyregexp"
)

// Parts of the Vietnamese patterns. People also type without diacritics.
const (
	politeVI = `(?:(?:này|nay|ơi|ê|chào(?: bạn| em)?|ok|à|và|cũng|xin|hãy|hay|vui lòng|vui long|làm ơn|lam on|nhờ|phiền|giúp|bạn|ban|` +
		`em|anh|chị|mày|cậu|tôi muốn|mình muốn|tôi cần|mình cần|muốn|cần|phải|luôn|nhất định|giùm|hộ|cho|thì|thêm nữa|nhân tiện)[\s,!.:]+)*`
	verbVI = `(?P<verb>ghi nhớ|ghi nho|nhớ kỹ|nhớ lấy|nhớ giúp|nhớ giùm|nhớ hộ|nhớ cho|nhớ|nho|lưu ý|luu y|ghi chú|ghi chu|ghi lại|` +
		`ghi lai|lưu lại|luu lai|đừng quên|dung quen|đừng bao giờ quên|khắc ghi)`
	linkVI = `(?P<link>(?:\s+(?:giúp|giùm|hộ|cho|với))?(?:\s+(?:tôi|mình|em|anh|tớ|tao|toi|minh))?(?:\s+(?:nhé|nha|với|giúp|` +
		`nhe))?(?:\s+(?:điều này|dieu nay|những điều sau|thông tin này|thông tin sau|việc này))?\s*(?:[:：]\s*|` +
		`\s(?:rằng|rang|là|la)\s*:?\s+|\n)|\s+)`
)

var vietnamese = &grammar{
	language: "vi",
	lead: lazyregexp.New(`(?is)^` + politeVI + `(?P<ask>(?:bạn |em |anh |chị )?(?:có thể|co the)\s+(?:giúp |hãy )?)?` + politeVI +
		verbVI + linkVI + `(?P<kept>.+?)(?:\s+(?:được không|được chứ|nhé|nha|giúp tôi|giúp mình)\s*[?.!]*)?$`),
	tail: lazyregexp.New(`(?is)^(?P<kept>.+?)\s*[,;.!–—-]+\s*(?P<ask>(?:bạn |em )?có thể )?(?:hãy |xin |vui lòng |làm ơn |` +
		`bạn |em |anh |nhớ |hay )*(?:ghi nhớ|nhớ|lưu ý|ghi lại|ghi chú|lưu lại|đừng quên|nho|ghi nho|` +
		`dung quen)(?:\s+(?:giúp|giùm|hộ|cho|kỹ|lấy|lại))*(?:\s+(?:tôi|mình|em|tớ|toi|minh))?(?:\s+(?:điều này|điều đó|việc này|` +
		`việc đó|nó|dieu nay|dieu do))?(?:\s+(?:nhé|nha|nhe|đấy|với|được không|giúp tôi))*[\s.!?]*$`),
	never: lazyregexp.New(`(?i)^(?:điều này|điều đó|nó|không|chưa|gì|ai|(?:tôi|mình|em|anh|nhà)(?: quá| lắm| nhiều)*)[\s.!]*$|` +
		`^(?:lần (?:đó|trước)|hồi|ngày xưa|khi|lúc|cái (?:lần|hôm))(?:\s|$|[.!,])|(?:^|\s)(?:không|chưa|hông|ko|hả|à|gì|nào)[.!\s]*$`),
	bare: lazyregexp.New(`(?i)^.`),
	says: lazyregexp.New(`(?i)(?:^|\s)(?:là|la|thích|thich|ghét|ghet|yêu|có|co|không|khong|bị|bi|sống|song|ở|tên|dùng|dung|` +
		`uống|uong|ăn|an|làm|lam|sinh|học|nói|đang|sẽ|được|phải|muốn|dị ứng|di ung|chuyển)(?:\s|$|[,.])|\d|[:=]`),
	loose: lazyregexp.New(`(?i)(?:rằng|rang|là|la)\s*:?\s+$|[:：\n]`),
	further: lazyregexp.New(`(?is)[.!;\n]\s+(?:rồi |sau đó |bây giờ |và )*(?:hãy |vui lòng |giúp tôi |cho tôi )?(?:viết|kể|` +
		`gợi ý|tìm|dịch|tóm tắt|giải thích|liệt kê|cho tôi biết|đề xuất|tạo|gửi)(?:\s|$)`),
	thanks: lazyregexp.New(`(?i)[\s,.!;–—-]*(?:cảm ơn(?: bạn| nhiều| em| nhé)*|cám ơn(?: bạn| nhiều)*|cam on(?: ban)?|` +
		`thanks)[\s.!]*$`),
}
