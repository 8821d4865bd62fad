package claim

import (
	"strings"
	"sync"
)

// Town returns the value in lower case, and a city by its English name: "munich" for München.
func (c Claim) Town() string {
	name := strings.Join(strings.Fields(strings.ToLower(c.Value)), " ")
	if same, ok := towns()[name]; ok {
		return same
	}
	return name
}

// towns maps other names of cities to the English ones. Names that are also those of other places are missing, such as Vienne.
var towns = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(`munich: münchen, muenchen, múnich, munique, monaco di baviera, 慕尼黑
cologne: köln, koeln, 科隆
vienna: wien, viena, 维也纳
zurich: zürich, zuerich, zúrich, zurigo, 苏黎世
geneva: genf, genève, ginebra, ginevra, 日内瓦
nuremberg: nürnberg, nuernberg, norimberga, 纽伦堡
berlin: berlín, berlino, 柏林
hamburg: hambourg, hamburgo, amburgo, 汉堡
frankfurt: francfort, fráncfort, francoforte, 法兰克福
dresden: dresde, dresda, 德累斯顿
leipzig: lipsia, 莱比锡
basel: bâle, basilea, 巴塞尔
bern: berne, berna, 伯尔尼
rome: roma, rom, 罗马
milan: milano, mailand, milán, 米兰
naples: napoli, neapel, nápoles, 那不勒斯
venice: venezia, venedig, venise, venecia, 威尼斯
florence: firenze, florenz, 佛罗伦萨
turin: torino, turín, 都灵
paris: parís, parigi, 巴黎
london: londres, londra, 伦敦
brussels: bruxelles, brüssel, bruselas, brussel, 布鲁塞尔
antwerp: antwerpen, anvers, amberes
lisbon: lisboa, lissabon, lisbonne, lisbona, 里斯本
seville: sevilla, séville, siviglia, 塞维利亚
barcelona: barcelone, barcellona, 巴塞罗那
athens: athen, athènes, atenas, atene, 雅典
prague: praha, prag, praga, 布拉格
warsaw: warszawa, warschau, varsovie, varsovia, varsavia, 华沙
copenhagen: københavn, kopenhagen, copenhague, copenaghen, 哥本哈根
moscow: moskau, moscou, moscú, mosca, москва, 莫斯科
strasbourg: straßburg, strassburg, estrasburgo
edinburgh: edimbourg, edimburgo, 爱丁堡
beijing: peking, pékin, pekín, pechino, 北京, 北京市
shanghai: 上海, 上海市
tokyo: tokio, 东京, 東京
new york: nyc, new york city, nueva york, 纽约
san francisco: sf, 旧金山
los angeles: la, 洛杉矶`) {
		name, others, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for other := range strings.SplitSeq(others, ", ") {
			out[other] = name
		}
	}
	return out
})
