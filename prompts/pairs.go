package prompts

import "reverie/memory/proposals"

// PairsVersion identifies the templates by which contradictions are judged by a hash of their content.
var PairsVersion = version("pairs", "pairs_system.tmpl", "pairs_user.tmpl")

// PairsSystem renders the system text of judging contradictions.
func PairsSystem() (string, error) { return render("pairs_system.tmpl", nil) }

// PairsUser renders the user text: the statements of each pair and nothing else.
func PairsUser(in proposals.PairsInput) (string, error) {
	type pair struct {
		Number       int
		Older, Newer string
	}
	var data struct {
		Code  string // of the markers
		Pairs []pair
	}
	var texts []string
	for i, p := range in.Pairs {
		shown := pair{i + 1, statement(p[0]), statement(p[1])}
		data.Pairs = append(data.Pairs, shown)
		texts = append(texts, shown.Older, shown.Newer)
	}
	data.Code = fenceCode(texts...)
	return render("pairs_user.tmpl", data)
}
