package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
)

// memoryTool is a tool as a model is given it.
type memoryTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Writes      bool            `json:"writes"`
}

// toolAnswer is what a tool answered.
type toolAnswer struct {
	Result  json.RawMessage `json:"result"`
	IsError bool            `json:"isError"`
}

// toolsCommand is `reverie memory tools`: what an agent's model can do with its memory, by hand.
func (s commands) toolsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "tools [name]",
		Short: "List the tools that a model uses memory with, show one, run one",
		Long: "List the tools that a model uses memory with, or show one: what the model is told of it, and the JSON schema of its arguments.\n" +
			"`tools run` runs one as a model calls it. docs/tools.md tells all.",
		Args: session.NeedsArgs(0, 1, "at most one tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, a, err := s.tools(cmd)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return s.Print(cmd, a, func(w io.Writer) error { return showTools(w, list) })
			}
			tool, err := toolNamed(list, args[0])
			if err != nil {
				return err
			}
			if s.JSON {
				encoded, err := json.Marshal(tool)
				if err != nil {
					return err
				}
				return output.JSON(cmd.OutOrStdout(), encoded)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n\n", wrapped(tool.Description))
			return output.JSON(cmd.OutOrStdout(), tool.Parameters)
		},
	}
	c.AddCommand(s.toolsRunCommand())
	return c
}

// tools asks for the definitions.
func (s commands) tools(cmd *cobra.Command) ([]memoryTool, session.Answer, error) {
	path, err := s.AgentPath("tools")
	if err != nil {
		return nil, session.Answer{}, err
	}
	c, err := s.Client()
	if err != nil {
		return nil, session.Answer{}, err
	}
	list, a, err := session.DataOf[session.List[memoryTool]](c.Call(cmd.Context(), session.Request{Method: http.MethodGet, Path: path}))
	return list.Items, a, err
}

func toolNamed(list []memoryTool, name string) (memoryTool, error) {
	at := slices.IndexFunc(list, func(t memoryTool) bool { return t.Name == name })
	if at < 0 {
		return memoryTool{}, fmt.Errorf("there is no tool %q: `reverie memory tools` lists them", output.OneLine(name, 60))
	}
	return list[at], nil
}

// showTools writes of each tool the first sentence of its description, which says what it does. It is no table: names and
// sentences are long.
func showTools(w io.Writer, list []memoryTool) error {
	for _, t := range list {
		name := t.Name
		if t.Writes {
			name += " (writes)"
		}
		if _, err := fmt.Fprintf(w, "%s\n  %s\n", name, strings.ReplaceAll(wrapped(firstSentence(t.Description)), "\n", "\n  ")); err != nil {
			return err
		}
	}
	return nil
}

// lineWidth is how long the lines of a text become that is wrapped.
const lineWidth = 76

// wrapped breaks a text into lines.
func wrapped(text string) string {
	var out strings.Builder
	length := 0
	for i, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case length+1+n > lineWidth:
			out.WriteByte('\n')
			length = 0
		default:
			out.WriteByte(' ')
			length++
		}
		out.WriteString(word)
		length += n
	}
	return out.String()
}

func firstSentence(text string) string {
	if before, _, found := strings.Cut(text, ". "); found {
		return before + "."
	}
	return text
}

// toolOptions are the flags of `tools run`.
type toolOptions struct {
	args, speaker, requestID string
}

func (s commands) toolsRunCommand() *cobra.Command {
	var o toolOptions
	c := &cobra.Command{
		Use:   "run <name> [argument=value ...]",
		Short: "Run a tool as a model calls it, and print what the model would read",
		Long: "Run a tool as a model calls it, and print what the model would read.\n" +
			"Arguments are a JSON object in --args, or words: filename=MEMORY.md replaceAll=true. Words count where both name one.\n" +
			"Ends with 1 when the call was not done as it was made; what is printed says what to do.",
		Example: `  reverie memory tools run memory_search query="the blue box" --end-user 42
  reverie memory tools run edit_workspace_memory_file --end-user 42 \
    --args '{"filename": "MEMORY.md", "oldText": "5433", "newText": "5434"}'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name a tool: `reverie memory tools` lists them")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return s.runTool(cmd, args[0], args[1:], o) },
	}
	f := c.Flags()
	f.StringVar(&o.args, "args", "", "the arguments: a JSON object, @ and the name of a file with one, or - for standard input")
	f.StringVar(&o.speaker, "speaker", "", "who speaks, where the owner is a group, such as feishu:ou_1")
	f.StringVar(&o.requestID, "request-id", "", "makes a repeated write one write; missing: a new one")
	return c
}

func (s commands) runTool(cmd *cobra.Command, name string, words []string, o toolOptions) error {
	arguments, err := readJSONArgument(cmd.InOrStdin(), o.args)
	if err != nil {
		return err
	}
	if len(words) > 0 {
		list, _, err := s.tools(cmd)
		if err != nil {
			return err
		}
		tool, err := toolNamed(list, name)
		if err != nil {
			return err
		}
		if arguments, err = tool.with(arguments, words); err != nil {
			return err
		}
	}
	path, err := s.AgentPath("tools", name)
	if err != nil {
		return err
	}
	c, err := s.Client()
	if err != nil {
		return err
	}
	if o.requestID == "" {
		o.requestID = uuid.NewString()
	}
	asked := session.Request{Method: http.MethodPost, Path: path, Query: s.OwnerQuery(), Headers: map[string]string{"Idempotency-Key": o.requestID}}
	if arguments != nil {
		asked.Body = arguments
	}
	session.SetQuery(asked.Query, "speaker", o.speaker)
	done, a, err := session.DataOf[toolAnswer](c.Call(cmd.Context(), asked))
	if err != nil {
		return err
	}
	if !s.JSON {
		a.Data = done.Result
	}
	if err := output.JSON(cmd.OutOrStdout(), a.Data); err != nil {
		return err
	}
	if done.IsError {
		return errors.New(name + " was not done as it was called")
	}
	return nil
}

// readJSONArgument reads a JSON value from a flag: as it is, from a file behind @, or from standard input for "-". Nothing is nil.
func readJSONArgument(stdin io.Reader, flag string) (json.RawMessage, error) {
	given := []byte(flag)
	if name, isFile := strings.CutPrefix(flag, "@"); isFile || flag == "-" {
		var err error
		if given, err = session.ReadFile(stdin, name); err != nil {
			return nil, err
		}
	}
	if len(given) == 0 {
		return nil, nil
	}
	if !json.Valid(given) {
		return nil, errors.New("--args is no JSON: give an object, such as --args '{\"filename\": \"MEMORY.md\"}'")
	}
	return given, nil
}

// with adds arguments that are given as words to those of an object.
func (t memoryTool) with(given json.RawMessage, words []string) (json.RawMessage, error) {
	var schema struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(t.Parameters, &schema); err != nil {
		return nil, fmt.Errorf("the schema of %s cannot be read: %w", t.Name, err)
	}
	all := map[string]json.RawMessage{}
	if given != nil {
		if err := json.Unmarshal(given, &all); err != nil {
			return nil, errors.New("--args is no JSON object")
		}
	}
	for _, word := range words {
		name, value, found := strings.Cut(word, "=")
		property, known := schema.Properties[name]
		switch {
		case !found:
			return nil, fmt.Errorf("%q is no argument: write name=value, with quotes around what has spaces", output.OneLine(word, 60))
		case !known:
			return nil, fmt.Errorf("%s has no argument %q: it has %s", t.Name, output.OneLine(name, 60), strings.Join(slices.Sorted(maps.Keys(schema.Properties)), ", "))
		case property.Type != "string" && json.Valid([]byte(value)):
			all[name] = json.RawMessage(value)
		default: // what is no number is for the tool to refuse
			encoded, err := json.Marshal(value)
			if err != nil {
				return nil, err
			}
			all[name] = encoded
		}
	}
	return json.Marshal(all)
}
