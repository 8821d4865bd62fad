package llmtest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/llm/llmtest"
)

// embeddingsAnswer is an answer as its reader sees it.
type embeddingsAnswer struct {
	Data []struct {
		Index     *int      `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
	Model string `json:"model"`
	Usage struct {
		PromptTokens int `json:"prompt_tokens"`
		TotalTokens  int `json:"total_tokens"`
	} `json:"usage"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func askForVectors(t *testing.T, server *llmtest.Server, path, body string) (int, []byte) {
	t.Helper()
	response, err := http.Post(server.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, b
}

func TestEmbeddingsAnswer(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Dimensions: 12})
	for body, want := range map[string]struct{ texts, dimensions int }{
		`{"model":"m","input":"Anna"}`: {1, 12},
		`{"model":"m","input":["Anna","Bello"],"dimensions":5,"encoding_format":"float"}`:    {2, 5},
		`{"model":"m","input":["Anna"],"output_dimension":7,"input_type":"query"}`:           {1, 7},
		`{"model":"m","input":["Anna"],"task":"retrieval.query","truncate":true,"user":"u"}`: {1, 12},
	} {
		status, b := askForVectors(t, server, "/v1/embeddings", body)
		var got embeddingsAnswer
		if err := json.Unmarshal(b, &got); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d %s", body, status, b)
		}
		if len(got.Data) != want.texts || got.Model != "m" || got.Usage.PromptTokens == 0 {
			t.Errorf("%s: %s", body, b)
		}
		for i, item := range got.Data {
			if *item.Index != i || len(item.Embedding) != want.dimensions {
				t.Errorf("%s: vector %d has the number %d and %d dimensions", body, i, *item.Index, len(item.Embedding))
			}
		}
	}
	if stats := server.Stats(); stats.Requests != 4 || stats.Texts != 5 {
		t.Errorf("%+v", stats)
	}
}

func TestRequestsForEmbeddingsAreRead(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Key: llmtest.KeyPattern(`user (\w+)`)})
	askForVectors(t, server, "/v1/embeddings", `{"model":"m","input":["I am user anna","Hi."],"output_dimension":7,"input_type":"document"}`)
	askForVectors(t, server, "/v2/embed", `{"model":"m","texts":["Hi."],"input_type":"search_query","embedding_types":["float"]}`)
	requests := server.Requests()
	first, second := requests[0], requests[1]
	if diff := cmp.Diff([]string{"I am user anna", "Hi."}, first.Texts); diff != "" || first.Key != "anna" || first.Dimensions != 7 ||
		first.InputType != "document" || first.Model != "m" {
		t.Errorf("%+v", first)
	}
	if second.Path != "/v2/embed" || second.InputType != "search_query" || second.Dimensions != 0 || len(second.Texts) != 1 {
		t.Errorf("%+v", second)
	}
}

func TestEmbeddingsAreDeclinedAsTheProviderDoes(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{ContextWindow: 4, MaxTexts: 2, Declines: []string{"input_type"}})
	for _, test := range []struct{ path, body, says string }{
		{"/v1/embeddings", `{"model":"m","input":[]}`, "empty array"},
		{"/v1/embeddings", `{"model":"m"}`, "empty array"},
		{"/v1/embeddings", `{"model":"m","input":["a",""]}`, "input[1]"},
		{"/v1/embeddings", `{"model":"m","input":[1]}`, "texts are expected"},
		{"/v1/embeddings", `{"input":["a"]}`, "model"},
		{"/v1/embeddings", `{"model":"m","input":["a"],"size":3}`, "Unrecognized request argument supplied: size"},
		{"/v1/embeddings", `{"model":"m","input":["a"],"dimensions":0}`, "dimensions"},
		{"/v1/embeddings", `{"model":"m","input":["a"],"dimensions":100000}`, "dimensions"},
		{"/v1/embeddings", `{"model":"m","input":["a"],"encoding_format":"base64"}`, "float"},
		{"/v1/embeddings", `{"model":"m","input":["a"],"input_type":"query"}`, "input_type"},
		{"/v1/embeddings", `{"model":"m","input":["a","b","c"]}`, "maximum allowed batch size 2"},
		{"/v1/embeddings", `{"model":"m","input":["Anna lives in Köln."]}`, "maximum context length"},
		{"/v1/embeddings", `{"model":`, "parse"},
		{"/v2/embed", `{"model":"m","texts":["a"],"embedding_types":["float"]}`, "input_type must be provided"},
		{"/v2/embed", `{"model":"m","input":["a"]}`, "input"},
	} {
		status, b := askForVectors(t, server, test.path, test.body)
		if status != http.StatusBadRequest || !bytes.Contains(b, []byte(test.says)) {
			t.Errorf("%s: %d %s", test.body, status, b)
		}
	}
	// two texts that fit by themselves fit together
	if status, b := askForVectors(t, server, "/v1/embeddings",
		`{"model":"m","input":["Anna lives in","Köln and Rome"]}`); status != http.StatusOK {
		t.Errorf("%d %s", status, b)
	}
}

func TestTheKeyIsCheckedForEmbeddings(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{APIKey: "key"})
	for _, path := range []string{"/v1/embeddings", "/v2/embed"} {
		if status, b := askForVectors(t, server, path, `{"model":"m","input":["a"]}`); status != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", path, status, b)
		}
	}
}

func similarity(a, b string) float64 {
	x, y := llmtest.HashVector(a, 256), llmtest.HashVector(b, 256)
	sum := 0.0
	for i := range x {
		sum += float64(x[i]) * float64(y[i])
	}
	return sum
}

func TestHashVectorsAreNearWhenTextsShareWords(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ query, near, far string }{
		{"Where does Anna live?", "Anna lives in Köln with her dog.", "The nightly backup runs at three."},
		{"backup schedule", "Backups are scheduled for three in the morning.", "Anna lives in Köln with her dog."},
		{"RFC-7231", "Status codes follow RFC-7231.", "Status codes follow another document."},
		{"安娜住在哪里", "安娜和她的狗住在科隆。", "备份每天凌晨三点运行。"},
		{"犬の名前", "アンナの犬の名前はベロです。", "バックアップは三時に始まる。"},
	} {
		near, far := similarity(test.query, test.near), similarity(test.query, test.far)
		if near < far+0.15 {
			t.Errorf("%q: %.2f to what it is about, %.2f to something else", test.query, near, far)
		}
	}
	if same := similarity("ANNA, lives!", "anna lives"); math.Abs(same-1) > 1e-6 {
		t.Errorf("case and punctuation make a difference: %.2f", same)
	}
}

func TestHashVectorsOfAnyTextAreOfUnitLength(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Anna", "a", "", "?!", "\n", "é", "記", "🙂", "e\u0301", strings.Repeat("word ", 5000)} {
		for _, dimensions := range []int{1, 2, 7, 256, 3072} {
			sum := 0.0
			v := llmtest.HashVector(text, dimensions)
			for _, x := range v {
				sum += float64(x) * float64(x)
			}
			if len(v) != dimensions || math.Abs(sum-1) > 1e-4 {
				t.Errorf("%q in %d dimensions: squared length %v", text, dimensions, sum)
			}
		}
	}
}
