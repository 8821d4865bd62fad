package judge

import (
	"testing"
	"time"

	"reverie/dream"
	"reverie/language/claim"
	"reverie/memory/markdown"
)

// heardInTurn returns sentences said on consecutive days.
func heardInTurn(texts ...string) []sentence {
	var out []sentence
	for i, text := range texts {
		c := dream.Candidate{ID: markdown.EntryIDOf(text), Text: text}
		c.Signals.LastSeen = time.Date(2026, 3, 2+i, 12, 0, 0, 0, time.UTC)
		out = append(out, sentenceOf(c, 0))
	}
	return out
}

func TestALaterStatementCorrects(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"Lives in Hamburg.", "Moved to Lisbon."},
		{"The user lives in Hamburg with two cats.", "User moved to Lisbon in March."},
		{"I live in Hamburg.", "I actually live in Bremen."},
		{"Based in Oslo.", "Relocated from Oslo to Bergen."},
		{"Works at Northwind.", "No longer works at Northwind."},
		{"Works for Northwind as an accountant.", "Left Northwind in February."},
		{"Works at Northwind.", "Joined Globex as a designer."},
		{"Works at Northwind.", "Now works at Globex."},
		{"Drinks coffee every morning.", "No longer drinks coffee."},
		{"Smokes a pack a day.", "Quit smoking."},
		{"Has a gym membership at Ironworks.", "Cancelled the gym membership."},
		{"Eats meat on weekends.", "Doesn't eat meat anymore."},
		{"Loves sushi.", "No longer likes sushi."},
		{"Dating Marta since June.", "Broke up with Marta."},
		{"The release is on Thursday.", "The release was moved to Friday."},
		{"The deadline for the report is May 5.", "The deadline for the report has been postponed to May 12."},
		{"Standup is at 9:30.", "Standup is now at 10:00."},
		{"The rent is 900 euros.", "The new rent is 950 euros."},
		{"The staging port is 5433.", "Correction: the staging port is 5434, not 5433."},
		{"The dentist appointment is on Tuesday.", "The dentist appointment is on Wednesday, not Tuesday."},
		{"Deploys happen on Tuesday.", "Deploys happen not on Tuesday but on Thursday."},
		{"The billing service uses Postgres.", "The billing service switched from Postgres to MySQL."},
		{"Uses Evernote.", "Uses Obsidian instead of Evernote."},
		{"The favourite colour is blue.", "The favourite colour is actually green."},
		{"My sister's name is Hanna.", "Actually, my sister's name is Johanna."},
		{"Is 34 years old.", "Turned 35."},
		{"Prefers tea over coffee.", "Now prefers coffee over tea."},
		{"Is single.", "Got engaged to Marta."},
		{"Got engaged last weekend.", "Is married to Noor."},
		{"Is vegetarian.", "Became vegan."},
		{"The budget is $2,000.", "The budget was raised to $2,500."},
		{"Wakes up at 6:30.", "Now wakes up at 7:00."},
		{"The project lead is Ines.", "The project lead is now Bruno."},
		{"Plays tennis with Olga on Sundays.", "Stopped playing tennis with Olga."},
		{"Location: Hamburg", "Location: Lisbon (actually moved last week)"},
		{"用户住在北京。", "用户搬到了上海。"},
		{"我住在北京", "我现在住在上海"},
		{"在华星公司工作", "跳槽到了远景科技"},
		{"每天喝咖啡。", "不再喝咖啡了。"},
		{"喜欢喝咖啡", "不喝咖啡了"},
		{"会议时间是周二", "会议时间改到周四"},
		{"项目预算是5000元", "项目预算改为8000元"},
		{"数据库用的是MySQL", "数据库从MySQL换成了PostgreSQL"},
		{"截止日期是5月5日", "截止日期不是5月5日，而是5月12日"},
		{"妹妹的名字是小红", "其实妹妹的名字是小虹"},
		{"今年30岁", "今年31岁了"},
		{"办了健身卡", "取消了健身卡"},
		{"每天早上喝两杯咖啡。", "不再喝咖啡。"},
	} {
		s := heardInTurn(c[0], c[1])
		why, settled, ok := claim.Dispute(s[0].Reading, s[1].Reading)
		if !ok || !settled {
			t.Errorf("%q, then %q: dispute = %q, settled %v, found %v; want settled", c[0], c[1], why, settled, ok)
		}
	}
}

func TestStatementsThatContradictWithoutACue(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"Lives in Hamburg.", "Lives in Lisbon."},
		{"Works at Northwind.", "Works at Globex."},
		{"The deadline is Friday.", "The deadline is Monday."},
		{"The rent is 900 euros.", "The rent is 950 euros."},
		{"Birthday is May 5.", "Birthday is June 5."},
		{"Her husband is called Paul.", "Her husband is called Tim."},
		{"The favourite colour is blue.", "The favourite colour is green."},
		{"Prefers tea over coffee.", "Prefers coffee over tea."},
		{"Likes sushi.", "Hates sushi."},
		{"Is married.", "Is single."},
		{"Eats meat on weekends.", "Does not eat meat on weekends."},
		{"Is 34 years old.", "Is 31 years old."},
		{"Standup is at 9:30.", "Standup is at 10:00."},
		{"住在北京", "住在上海"},
		{"生日是5月5日", "生日是6月5日"},
		{"喜欢香菜", "讨厌香菜"},
		{"丈夫叫小刚", "丈夫叫小强"},
		{"The deadline is May 5.", "The deadline is 2026-05-12."},
	} {
		s := heardInTurn(c[0], c[1])
		why, settled, ok := claim.Dispute(s[0].Reading, s[1].Reading)
		if !ok || settled {
			t.Errorf("%q, then %q: dispute = %q, settled %v, found %v; want a contradiction", c[0], c[1], why, settled, ok)
		}
	}
}

func TestStatementsThatBothHold(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"Has a dog named Max.", "Has a cat named Tom."},
		{"Has a dog named Max.", "Has a dog named Rex."},
		{"Likes sushi.", "Likes ramen."},
		{"Likes sushi.", "Hates ramen."},
		{"Speaks German.", "Speaks Portuguese."},
		{"Lives in Berlin.", "Lives in Berlin-Kreuzberg."},
		{"Lives in Hamburg.", "Wants to move to Lisbon."},
		{"Lives in Hamburg.", "Plans to live in Lisbon some day."},
		{"Lives in Hamburg.", "His sister lives in Lisbon."},
		{"Lives in Hamburg.", "Used to live in Oslo."},
		{"Lives in Hamburg.", "Moved to Postgres for the billing service."},
		{"Lives in Hamburg.", "The meeting was moved to Monday."},
		{"Works at Northwind.", "Works at night."},
		{"Works at Northwind.", "Works as an accountant."},
		{"Works at Northwind.", "No longer works weekends."},
		{"Drinks coffee every morning.", "No longer drinks alcohol."},
		{"Drinks tea.", "No longer drinks coffee."},
		{"Quit smoking.", "No longer smokes."},
		{"The meeting is on Tuesday.", "The meeting is at 5 pm."},
		{"The meeting with Ines is on Tuesday.", "The meeting with Bruno is on Thursday."},
		{"Dentist on Tuesday.", "Deploys happen on Thursday, not Tuesday."},
		{"Ran 5 km on Monday.", "Ran 8 km on Thursday."},
		{"Bought 3 books.", "Bought 5 books."},
		{"The server is slow.", "The server is now in Frankfurt."},
		{"My sister is a doctor.", "My sister is tall."},
		{"The project is written in Go.", "The project is now open source."},
		{"Allergic to peanuts.", "Allergic to shellfish."},
		{"The rent is 900 euros.", "The deposit is 1800 euros."},
		{"The flat has 3 rooms.", "The flat has 2 balconies."},
		{"Daughter Mia is 4.", "Son Paul is 7."},
		{"The train leaves at 8:00.", "The train leaves at 9:00."},
		{"Prefers tea over coffee.", "Prefers aisle seats over window seats."},
		{"Is learning Spanish.", "Is learning the guitar."},
		{"Hanna's birthday is May 5.", "Olga's birthday is June 5."},
		{"Favourite colour is blue.", "Favourite food is lasagne."},
		{"Does yoga on Mondays.", "Does not eat meat."},
		{"Uses Postgres for billing.", "Uses Redis for caching."},
		{"Decided to use Postgres.", "Decided to use Kafka for events instead of polling."},
		{"Doesn't like olives.", "Likes capers."},
		{"Met Ines in Porto.", "Met Bruno in Braga."},
		{"养了一只狗叫旺财", "养了一只猫叫咪咪"},
		{"喜欢吃辣", "喜欢喝茶"},
		{"住在北京", "姐姐住在上海"},
		{"住在北京", "想搬到上海"},
		{"每天喝茶", "不再喝咖啡了"},
		{"会议时间是周二", "会议时间是下午3点"},
		{"对花生过敏", "对虾过敏"},
		{"在学西班牙语", "在学吉他"},
		{"Daughter's name is Anna.", "Daughter's name is Mia."},
		{"女儿叫小美", "女儿叫小丽"},
		{"The deadline is in May 2026.", "The deadline is 2026-05-01."},
		{"My sister lives in Rome.", "My sister lives in Milan."},
		{"Day: Monday; Shift at Trigo: 6:00 to 12:00", "Day: Thursday; Shift at Trigo: 14:00 to 20:00"},
	} {
		s := heardInTurn(c[0], c[1])
		if why, settled, ok := claim.Dispute(s[0].Reading, s[1].Reading); ok {
			t.Errorf("%q, then %q: dispute = %q, settled %v; both hold", c[0], c[1], why, settled)
		}
	}
}
