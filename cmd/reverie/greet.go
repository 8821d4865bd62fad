package main

import (
	"path/filepath"
	"strings"
	"text/template"
)

// greeting is what dev prints once everything answers. Its last block works when pasted into another terminal: it makes an
// agent, has a conversation, extracts at once and shows the file that changed, with where each line comes from.
var greeting = template.Must(template.New("greeting").Parse(`
API          {{.URL}}   documentation at {{.URL}}/docs
{{- if .TemporalUI}}
Temporal UI  http://{{.TemporalUI}}
{{- end}}
Admin key    {{.Key}}   also in {{.KeyFile}}
Model        {{.Model}}
{{- if .BuiltIn}} (set REVERIE_LLM_PROVIDER to use a model){{end}}

Try it, in another terminal:

  KEY=$(cat {{.KeyFile}}); A={{.URL}}/api/v1
  curl -s $A/agents -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"id":"ada","name":"Ada","timeZone":"Europe/Berlin"}'
  curl -s $A/agents/ada/conversations/hello/messages -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{
    "endUserId":"42","triggerSource":"api","turnComplete":true,"messages":[
    {"id":"m1","role":"user","content":"Hi, I am Grace and I work as a nurse in Hamburg."},
    {"id":"m2","role":"assistant","content":"Nice to meet you, Grace!"},
    {"id":"m3","role":"user","content":"We decided to use Postgres for the rota. Please remember that the review is on 3 March 2027."},
    {"id":"m4","role":"assistant","content":"Noted."}]}'
  curl -s -X POST "$A/memory/ada/summarize/hello" -H "Authorization: Bearer $KEY"
  curl -s "$A/agents/ada/workspace/files/MEMORY.md?endUserId=42" -H "Authorization: Bearer $KEY"
  curl -s "$A/agents/ada/workspace/blame/MEMORY.md?endUserId=42" -H "Authorization: Bearer $KEY"
  # and talk to her: reverie chat --agent ada --end-user 42 --url {{.URL}} --data {{.Data}}

Ctrl-C stops everything.
`))

func (d *dev) greet() {
	keyFile := filepath.Join(d.flags.data, adminKeyFile)
	if absolute, err := filepath.Abs(keyFile); err == nil {
		keyFile = absolute
	}
	temporalUI := d.flags.temporalUI
	if d.privateTemporal == nil {
		temporalUI = ""
	}
	var b strings.Builder
	if err := greeting.Execute(&b, map[string]any{
		"URL": "http://" + d.listener.Addr().String(), "TemporalUI": temporalUI, "Key": d.AdminKey.Reveal(), "KeyFile": keyFile,
		"Data": filepath.Dir(keyFile), "Model": modelName(d.Config), "BuiltIn": d.LLMProvider == "",
	}); err != nil {
		panic(err) // the template and its data stand above
	}
	d.console.printf("%s", b.String())
}
