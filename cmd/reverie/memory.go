package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// session is what every command works with that talks to the API: where the API is, with which key, about which agent and owner.
type session struct {
	url, key, data          string
	agent                   string
	owner                   string
	channel, sender, person string
	json                    bool
}

const defaultURL = "http://127.0.0.1:8080"

// memoryCommand is `reverie memory`: an agent's memory from the shell, over the HTTP API.
func memoryCommand() *cobra.Command {
	s := &session{}
	c := &cobra.Command{
		Use:   "memory",
		Short: "Work with memory from the shell: add conversations, search, read, diff, blame, restore, dream",
		Long: "Work with an agent's memory from the shell, over the HTTP API of a running Reverie.\n\n" +
			"The key is that of --key, else of REVERIE_KEY, else the admin key that `reverie dev` keeps in its data folder.\n" +
			"Whose memory it is, say --owner, or --channel and --sender, or --end-user; without any, it is the agent's shared memory.\n" +
			"Every command prints the API's own answer with --json, and ends with 1 when it could not do what it was asked.",
	}
	s.register(c)
	needsCommand(c)
	c.AddCommand(
		s.addCommand(), s.summarizeCommand(), s.agentsCommand(), s.listCommand(), s.catCommand(), s.logCommand(), s.diffCommand(), s.blameCommand(),
		s.restoreCommand(), s.extractionsCommand(), s.promptCommand(), s.searchCommand(), s.getCommand(), s.indexCommand(), s.statusCommand(),
		s.dreamCommand(), s.dreamsCommand(), s.promoteCommand(), s.promoteExplainCommand(), s.remHarnessCommand(), s.remBackfillCommand(), s.revertCommand(),
		s.exportCommand(), s.syncCommand(), s.importCommand(), s.snapshotCommand(), s.doctorCommand(), s.eventsCommand(), s.artifactsCommand(), s.writeCommand(), s.toolsCommand(),
	)
	return c
}

// register adds the flags that say where the API is, with which key, and about whom.
func (s *session) register(c *cobra.Command) {
	f := c.PersistentFlags()
	f.StringVar(&s.url, "url", orDefault(os.Getenv("REVERIE_URL"), defaultURL), "address of the API (REVERIE_URL)")
	f.StringVar(&s.key, "key", "", "API key (REVERIE_KEY); other users of this machine see it in the list of processes")
	f.StringVar(&s.data, "data", "./.reverie", "data folder of reverie dev, whose admin key is used when no other is given")
	f.StringVar(&s.agent, "agent", os.Getenv("REVERIE_AGENT"), "the agent (REVERIE_AGENT)")
	f.StringVar(&s.owner, "owner", "", "whose memory, as an owner key such as user:7")
	f.StringVar(&s.channel, "channel", "", "whose memory: the channel of --sender")
	f.StringVar(&s.sender, "sender", "", "whose memory: a person of --channel")
	f.StringVar(&s.person, "end-user", "", "whose memory: the id of an end user of your application")
	f.BoolVar(&s.json, "json", false, "print the API's answers as JSON")
}

func orDefault(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// client returns the API client with the key that applies.
func (s *session) client() (*apiClient, error) {
	key, source, err := s.findKey()
	if err != nil {
		return nil, err
	}
	return newAPIClient(s.url, key, source)
}

// findKey returns the key and where it came from; no key at all is left to the server to refuse, which some answers do
// not need.
func (s *session) findKey() (key, source string, err error) {
	if s.key != "" {
		return s.key, "--key", nil
	}
	if key := os.Getenv("REVERIE_KEY"); key != "" {
		return key, "REVERIE_KEY", nil
	}
	path := filepath.Join(s.data, adminKeyFile)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	return strings.TrimSpace(string(content)), path, nil
}

// agentPath is the path of something of the agent.
func (s *session) agentPath(segments ...string) (string, error) {
	if s.agent == "" {
		return "", errors.New("say which agent: --agent or REVERIE_AGENT (`reverie memory agents list` shows them)")
	}
	return "/api/v1/agents" + pathOf(append([]string{s.agent}, segments...)...), nil
}

// ownerQuery says whose memory a request is about.
func (s *session) ownerQuery() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{"owner": s.owner, "channel": s.channel, "sender": s.sender, "endUserId": s.person} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

// get asks for something of the agent, about the owner.
func (s *session) get(cmd *cobra.Command, query url.Values, segments ...string) (apiAnswer, error) {
	path, err := s.agentPath(segments...)
	if err != nil {
		return apiAnswer{}, err
	}
	return s.getAt(cmd, path, query)
}

// getDocument asks for one view (files, history, diff, blame) of a document.
func (s *session) getDocument(cmd *cobra.Command, query url.Values, view, path string) (apiAnswer, error) {
	base, err := s.agentPath("workspace", view)
	if err != nil {
		return apiAnswer{}, err
	}
	return s.getAt(cmd, base+documentPath(path), query)
}

func (s *session) getAt(cmd *cobra.Command, path string, query url.Values) (apiAnswer, error) {
	c, err := s.client()
	if err != nil {
		return apiAnswer{}, err
	}
	all := s.ownerQuery()
	maps.Copy(all, query)
	return c.call(cmd.Context(), apiRequest{method: "GET", path: path, query: all})
}

// print writes an answer as JSON when that was asked for, else as text.
func (s *session) print(cmd *cobra.Command, a apiAnswer, text func(w io.Writer) error) error {
	if s.json {
		return printJSON(cmd.OutOrStdout(), a.Data)
	}
	return text(cmd.OutOrStdout())
}

// needsArgs is cobra's ExactArgs with an error that says what is missing.
func needsArgs(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return fmt.Errorf("name %s (see `%s --help`)", what, cmd.CommandPath())
		}
		return nil
	}
}

// suggested is how many letters may be wrong in a command that is suggested; cobra's own default for its first level.
const suggested = 2

// needsCommand has a group of commands refuse one that it does not have; without any it shows its help.
func needsCommand(group *cobra.Command) {
	group.DisableFlagsInUseLine = true
	group.SuggestionsMinimumDistance = suggested
	group.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		text := fmt.Sprintf("%s has no command %q", cmd.CommandPath(), oneLine(args[0], 60))
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			text += "; did you mean " + strings.Join(near, " or ") + "?"
		}
		return fmt.Errorf("%s (see `%s --help`)", text, cmd.CommandPath())
	}
}
