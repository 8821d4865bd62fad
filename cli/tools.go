package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
)

// toolsCommand lists and runs the tools of an agent's model.
func (s commands) toolsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "tools [name]",
		Short: "List the memory tools of a model, show one, run one",
		Long: "List the memory tools of a model, or show one: its description for the model, and the JSON schema of its arguments.\n" +
			"`tools run` runs one as a model calls it. docs/tools.md has the details.",
		Args: session.NeedsArgs(0, 1, "at most one tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			list, err := client.ListTools(cmd.Context(), s.Agent, wire.ListToolsParams{})
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return s.Print(cmd, list.Raw, func(w io.Writer) error { return showTools(w, list.Data.Items) })
			}
			tool, err := toolNamed(list.Data.Items, args[0])
			if err != nil {
				return err
			}
			if s.JSON {
				return output.JSON(cmd.OutOrStdout(), rawTool(list.Raw, args[0]))
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n\n", wrapped(tool.Description))
			return output.JSON(cmd.OutOrStdout(), tool.Parameters)
		},
	}
	c.AddCommand(s.toolsRunCommand())
	return c
}

// rawTool returns one tool of a list, as the server sent it.
func rawTool(list json.RawMessage, name string) json.RawMessage {
	var tools struct {
		Items []json.RawMessage `json:"items"`
	}
	if json.Unmarshal(list, &tools) != nil {
		return nil
	}
	for _, raw := range tools.Items {
		var tool wire.Tool
		if json.Unmarshal(raw, &tool) == nil && tool.Name == name {
			return raw
		}
	}
	return nil
}

func toolNamed(list []wire.Tool, name string) (wire.Tool, error) {
	at := slices.IndexFunc(list, func(t wire.Tool) bool { return t.Name == name })
	if at < 0 {
		return wire.Tool{}, fmt.Errorf("unknown tool %q: `reverie memory tools` lists the tools", output.OneLine(name, 60))
	}
	return list[at], nil
}

// showTools writes the name and the first sentence of the description of each tool. Both are too long for a table.
func showTools(w io.Writer, list []wire.Tool) error {
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

// lineWidth bounds the lines of wrapped text, in characters.
const lineWidth = 76

// wrapped breaks text into lines.
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
				return errors.New("tool required: `reverie memory tools` lists the tools")
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
	client, err := s.AgentClient()
	if err != nil {
		return err
	}
	if len(words) > 0 {
		list, err := client.ListTools(cmd.Context(), s.Agent, wire.ListToolsParams{})
		if err != nil {
			return err
		}
		tool, err := toolNamed(list.Data.Items, name)
		if err != nil {
			return err
		}
		if arguments, err = withWords(tool, arguments, words); err != nil {
			return err
		}
	}
	params := wire.CallToolParams{Person: s.Person(), Speaker: o.speaker, IdempotencyKey: cmp.Or(o.requestID, uuid.NewString())}
	done, err := client.CallTool(cmd.Context(), s.Agent, name, params, arguments)
	if err != nil {
		return err
	}
	shown := done.Data.Result
	if s.JSON {
		shown = done.Raw
	}
	if err := output.JSON(cmd.OutOrStdout(), shown); err != nil {
		return err
	}
	if done.Data.IsError {
		return errors.New(name + " was not carried out as requested")
	}
	return nil
}

// readJSONArgument reads a JSON value from a flag: the value itself, the name of a file after @, or "-" for standard input.
// It returns nil for an empty flag.
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
		return nil, errors.New("--args must be a JSON object, such as --args '{\"filename\": \"MEMORY.md\"}'")
	}
	return given, nil
}

// withWords adds arguments of the form name=value to an object.
func withWords(t wire.Tool, given json.RawMessage, words []string) (json.RawMessage, error) {
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
			return nil, errors.New("--args must be a JSON object")
		}
	}
	for _, word := range words {
		name, value, found := strings.Cut(word, "=")
		property, known := schema.Properties[name]
		switch {
		case !found:
			return nil, fmt.Errorf("invalid argument %q: use name=value, in quotes if it contains spaces", output.OneLine(word, 60))
		case !known:
			return nil, fmt.Errorf("%s has no argument %q: it has %s", t.Name, output.OneLine(name, 60),
				strings.Join(slices.Sorted(maps.Keys(schema.Properties)), ", "))
		case property.Type != "string" && json.Valid([]byte(value)):
			all[name] = json.RawMessage(value)
		default: // what is not a number is for the tool to refuse
			encoded, err := json.Marshal(value)
			if err != nil {
				return nil, err
			}
			all[name] = encoded
		}
	}
	return json.Marshal(all)
}
