package judge

import "testing"

func TestSupersedes(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"Lives in Hamburg.", "I live in Lisbon."},
		{"The user lives in Hamburg.", "I moved to Lisbon."},
		{"My locker code is 4711", "My locker code is 4712"},
		{"The staging port is 5433", "The staging port is 5434"},
		{"The staging port is 5433.", "The staging port is 5434, not 5433"},
		{"My favourite colour is blue.", "My favorite color is green."},
		{"My favorite language is Rust.", "My favorite language is Python."},
		{"The deadline for Alpha is May 5.", "The deadline for Alpha is May 12."},
		{"My wife's name is Marta.", "My wife's name is Nora."},
		{"My sister's name is Hanna.", "Actually, my sister's name is Johanna."},
		{"Likes sushi.", "I hate sushi."},
		{"I work at Northwind.", "I work at Globex."},
		{"Is vegetarian.", "I am vegan."},
		{"Birthday is May 5.", "My birthday is June 5."},
		{"The budget is $2,000", "The budget is $2,500"},
		{"Standup is at 9:30", "Standup is at 10:00"},
		{"我住在北京。", "我住在上海。"},
		{"我的生日是5月5日。", "我的生日是6月5日。"},
		{"数据库端口是5433", "数据库端口是5434"},
		{"截止日期是5月5日。", "截止日期是5月12日。"},
		{"喜欢香菜", "讨厌香菜"},
		{"妻子叫小红", "我妻子叫小虹"},
	} {
		if !Supersedes(c[0], c[1]) {
			t.Errorf("%q does not take the place of %q", c[1], c[0])
		}
	}
	for _, c := range [][2]string{
		{"My daughter's name is Anna.", "My daughter's name is Mia."},
		{"My daughter is called Anna.", "My new daughter is called Mia."},
		{"女儿叫小美", "女儿叫小丽"},
		{"The production db port is 5432", "The staging db port is 5433"},
		{"The prod port is 5432", "The staging port is 5433"},
		{"The Alpha deadline is May 5.", "The Beta deadline is May 12."},
		{"The deadline for Alpha is May 5.", "The deadline for Beta is May 12."},
		{"I like Rust.", "I like Python."},
		{"User likes to use Rust for tools.", "User likes to use Python for scripts."},
		{"I speak German.", "I speak Portuguese."},
		{"Support team uses MongoDB.", "The db port is 5433"},
		{"Lives in Hamburg with two cats.", "I live in Lisbon."},
		{"I live in Hamburg and work at Northwind.", "I live in Lisbon."},
		{"Lives in Hamburg.", "My sister lives in Lisbon."},
		{"My dog is called Rex.", "My dog is called Max."},
		{"My friend works at Globex.", "I work at Northwind."},
		{"The meeting is on Tuesday.", "The meeting is at 5 pm."},
		{"The server is slow.", "The server is in Frankfurt."},
		{"Allergic to peanuts.", "Allergic to shellfish."},
		{"我喜欢吃辣。", "我喜欢喝茶。"},
		{"测试环境端口是5433", "生产环境端口是5432"},
		{"对花生过敏", "对虾过敏"},
		{"The staging port is 5433", "The staging port is 5433"},
		{"Day: Monday; Shift: 6:00", "Day: Tuesday; Shift: 7:00"},
		{"Prefers tea over coffee.", "Prefers aisle seats over window seats."},
		{"Rachel's birthday is May 5.", "My birthday is June 5."},
	} {
		if Supersedes(c[0], c[1]) {
			t.Errorf("%q takes the place of %q", c[1], c[0])
		}
	}
}
