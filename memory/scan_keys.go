package memory

import (
	"regexp"
	"strings"
)

// keyRule finds keys that are known by how they begin.
type keyRule struct {
	kind    string
	begins  string
	pattern *regexp.Regexp // the whole key, anchored
}

var keyRules = []keyRule{
	{"anthropic-key", "sk-ant-", regexp.MustCompile(`^sk-ant-[\w-]{20,}`)},
	{"openai-key", "sk-", regexp.MustCompile(`^sk-(?:proj-|svcacct-|admin-|or-v1-|None-)?[A-Za-z0-9][\w-]{19,}`)},
	{"aws-key", "AKIA", regexp.MustCompile(`^AKIA[A-Z0-9]{16}\b`)},
	{"aws-key", "ASIA", regexp.MustCompile(`^ASIA[A-Z0-9]{16}\b`)},
	{"github-token", "gh", regexp.MustCompile(`^gh[pousr]_[A-Za-z0-9]{30,}`)},
	{"github-token", "github_pat_", regexp.MustCompile(`^github_pat_\w{22,}`)},
	{"gitlab-token", "gl", regexp.MustCompile(`^gl(?:pat|ptt|dt|rt|soat|cbt|ft|imt|agent|oas|ffct)-[\w-]{20,}`)},
	{"slack-token", "xox", regexp.MustCompile(`^xox[abceoprs]-[\w-]{10,}`)},
	{"slack-token", "xapp-", regexp.MustCompile(`^xapp-\d-[\w-]{10,}`)},
	{"google-key", "AIza", regexp.MustCompile(`^AIza[\w-]{33,}`)},
	{"google-key", "ya29.", regexp.MustCompile(`^ya29\.[\w-]{20,}`)},
	{"google-key", "GOCSPX-", regexp.MustCompile(`^GOCSPX-[\w-]{24,}`)},
	{"stripe-key", "sk_", regexp.MustCompile(`^sk_(?:live|test)_[A-Za-z0-9]{16,}`)},
	{"stripe-key", "rk_", regexp.MustCompile(`^rk_(?:live|test)_[A-Za-z0-9]{16,}`)},
	{"stripe-key", "whsec_", regexp.MustCompile(`^whsec_[A-Za-z0-9+/=]{24,}`)},
	{"reverie-key", "rv_", regexp.MustCompile(`^rv_[\w-]{43}`)},
	{"jwt", "eyJ", regexp.MustCompile(`^eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*`)},
	{"npm-token", "npm_", regexp.MustCompile(`^npm_[A-Za-z0-9]{36,}`)},
	{"pypi-token", "pypi-", regexp.MustCompile(`^pypi-[\w-]{50,}`)},
	{"huggingface-token", "hf_", regexp.MustCompile(`^hf_[A-Za-z0-9]{30,}`)},
	{"sendgrid-key", "SG.", regexp.MustCompile(`^SG\.[\w-]{16,}\.[\w-]{16,}`)},
	{"digitalocean-token", "do", regexp.MustCompile(`^do[opr]_v1_[a-f0-9]{64}`)},
	{"shopify-token", "shp", regexp.MustCompile(`^shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`)},
	{"groq-key", "gsk_", regexp.MustCompile(`^gsk_[A-Za-z0-9]{40,}`)},
	{"xai-key", "xai-", regexp.MustCompile(`^xai-[A-Za-z0-9]{60,}`)},
	{"replicate-token", "r8_", regexp.MustCompile(`^r8_[A-Za-z0-9]{36,}`)},
	{"perplexity-key", "pplx-", regexp.MustCompile(`^pplx-[A-Za-z0-9]{40,}`)},
	{"databricks-token", "dapi", regexp.MustCompile(`^dapi[a-f0-9]{32}`)},
	{"vault-token", "hv", regexp.MustCompile(`^hv[sbr]\.[\w-]{20,}`)},
	{"linear-key", "lin_api_", regexp.MustCompile(`^lin_api_[A-Za-z0-9]{32,}`)},
	{"notion-token", "ntn_", regexp.MustCompile(`^ntn_[A-Za-z0-9]{40,}`)},
	{"twilio-key", "SK", regexp.MustCompile(`^SK[0-9a-f]{32}\b`)},
	{"tailscale-key", "tskey-", regexp.MustCompile(`^tskey-[\w-]{20,}`)},
	{"supabase-key", "sb", regexp.MustCompile(`^sbp_[a-f0-9]{40}`)},
	{"atlassian-token", "ATATT3", regexp.MustCompile(`^ATATT3[\w-]{50,}`)},
	{"age-key", "AGE-SECRET-KEY-1", regexp.MustCompile(`^AGE-SECRET-KEY-1[A-Z0-9]{50,}`)},
}

// keys finds keys that are known by how they begin, each in a word of its own.
func keys(text string) []secret {
	var found []secret
	for at := 0; at < len(text); at++ {
		if !isKeyByte(text[at]) {
			continue
		}
		end := at + 1
		for end < len(text) && isKeyByte(text[end]) {
			end++
		}
		if word := text[at:end]; len(word) >= 20 {
			if kind, length := keyIn(word); length > 0 {
				found = append(found, secret{span{at, at + length}, kind})
			}
		}
		at = end
	}
	return found
}

func isKeyByte(b byte) bool { return isWordByte(b) || b == '_' || b == '-' || b == '.' }

// keyIn is the kind and length of the key that a word begins with, 0 when it does not.
func keyIn(word string) (kind string, length int) {
	for _, rule := range keyRules {
		if strings.HasPrefix(word, rule.begins) {
			if key := rule.pattern.FindString(word); key != "" && isRandom(key[len(rule.begins):]) {
				return rule.kind, len(key)
			}
		}
	}
	return "", 0
}

// isRandom tells a key from an example such as "your-key-goes-here" or "xxxxxxxx".
func isRandom(key string) bool {
	var lower, upper, digit int
	for i := range len(key) {
		switch b := key[i]; {
		case 'a' <= b && b <= 'z':
			lower = 1
		case 'A' <= b && b <= 'Z':
			upper = 1
		case '0' <= b && b <= '9':
			digit = 1
		}
		if i >= 4 && strings.Count(key[i-4:i+1], key[i:i+1]) == 5 {
			return false
		}
	}
	return lower+upper+digit >= 2 && !strings.Contains(strings.ToLower(key), "your")
}
