package backend

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Transports.
const (
	StreamableHTTP = "streamable_http"
	Stdio          = "stdio"
)

const (
	defaultTimeout = 10 * time.Second
	maxTimeout     = 2 * time.Minute
	maxFile        = 1 << 20 // bytes of one file
)

// Config holds the settings of the files.
type Config struct {
	// Version of the protocol that is asked for; empty: the latest one.
	Version string
	Servers []Server // by name, without those that are disabled
}

// Server is one MCP server. Its secrets are in Endpoint, Headers, Args and Env: it is never logged or shown.
type Server struct {
	Name      string
	Transport string

	Endpoint string
	Headers  map[string]string

	Command string
	Args    []string
	Env     map[string]string

	Timeout time.Duration // of one request; 0: ten seconds
	// Workspace, Agent and Owner limit whose statements the server keeps; empty: everybody's.
	Workspace, Agent, Owner string
}

// file is the form of mcp.json and of the files in mcp.d.
type file struct {
	Version *string              `json:"defaultProtocolVersion"`
	Servers map[string]fileEntry `json:"mcpServers"`
}

type fileEntry struct {
	Transport string            `json:"transport"`
	Endpoint  string            `json:"endpoint"`
	Headers   map[string]string `json:"headers"`
	Command   string            `json:"command"`
	Args      []string          `json:"args"`
	Env       map[string]string `json:"env"`
	Timeout   *int              `json:"request_timeout_secs"`
	Disabled  bool              `json:"disabled"`
	Workspace string            `json:"workspace"`
	Agent     string            `json:"agent"`
	Owner     string            `json:"owner"`
}

// Load reads a file such as mcp.json, and after it the files *.json of the folder mcp.d beside it, in the order of their names. A later
// file replaces a server of the same name as a whole, and the version. Values may name environment variables as ${NAME}, which lookup
// returns. Servers without a workspace are of the given one.
//
// Errors name the file and the field, never a value.
func Load(path, workspace string, lookup func(string) (string, bool)) (Config, error) {
	fragments, err := filepath.Glob(filepath.Join(filepath.Dir(path), "mcp.d", "*.json"))
	if err != nil {
		return Config{}, errors.New("the folder of the file has a name that cannot be searched")
	}
	slices.Sort(fragments)
	var c Config
	servers := map[string]Server{}
	for _, name := range append([]string{path}, fragments...) {
		f, err := read(name)
		if err != nil {
			return Config{}, err
		}
		if f.Version != nil {
			c.Version = *f.Version
		}
		for server, entry := range f.Servers {
			delete(servers, server)
			if entry.Disabled {
				continue
			}
			s, err := entry.server(server, workspace, lookup)
			if err != nil {
				return Config{}, fmt.Errorf("%s: server %s: %w", name, server, err)
			}
			servers[server] = s
		}
	}
	if c.Version != "" && !slices.Contains(mcp.SupportedProtocolVersions(), c.Version) {
		return Config{}, fmt.Errorf("%s: defaultProtocolVersion: write one of %s", path, strings.Join(mcp.SupportedProtocolVersions(), ", "))
	}
	for _, s := range servers {
		c.Servers = append(c.Servers, s)
	}
	slices.SortFunc(c.Servers, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
	return c, nil
}

// read reads one file. Anyone who can write it runs programs as this user, so files that everybody may write are refused.
func read(name string) (f file, err error) {
	opened, err := os.Open(name)
	if err != nil {
		return file{}, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	info, err := opened.Stat()
	if err != nil {
		return file{}, err
	}
	if info.Mode().Perm()&0o002 != 0 {
		return file{}, fmt.Errorf("%s: everybody may write this file: chmod o-w", name)
	}
	text, err := io.ReadAll(io.LimitReader(opened, maxFile+1))
	if err != nil {
		return file{}, err
	}
	if len(text) > maxFile {
		return file{}, fmt.Errorf("%s: the file has more than %d bytes", name, maxFile)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return file{}, fmt.Errorf("%s: %s", name, problemOf(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return file{}, fmt.Errorf("%s: something follows the JSON object", name)
	}
	return f, nil
}

// problemOf describes an error of the decoder without values.
func problemOf(err error) string {
	if e, is := errors.AsType[*json.SyntaxError](err); is {
		return fmt.Sprintf("no valid JSON near byte %d", e.Offset)
	}
	if e, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		return fmt.Sprintf("%s: not a %s", e.Field, e.Type)
	}
	if field, is := strings.CutPrefix(err.Error(), "json: unknown field "); is {
		return "unknown field " + field
	}
	return "no valid JSON"
}

var names = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// server checks an entry.
func (e fileEntry) server(name, workspace string, lookup func(string) (string, bool)) (Server, error) {
	s := Server{
		Name: name, Transport: e.Transport, Command: e.Command, Args: e.Args, Workspace: e.Workspace, Agent: e.Agent, Owner: e.Owner,
		Timeout: defaultTimeout,
	}
	if !names.MatchString(name) {
		return s, errors.New("its name must have at most 64 letters, digits and ._-")
	}
	if s.Workspace == "" {
		s.Workspace = workspace
	}
	if e.Timeout != nil {
		s.Timeout = time.Duration(*e.Timeout) * time.Second
		if s.Timeout < time.Second || s.Timeout > maxTimeout {
			return s, fmt.Errorf("request_timeout_secs must be from 1 to %d", int(maxTimeout.Seconds()))
		}
	}
	if s.Transport == "" {
		s.Transport = StreamableHTTP
		if e.Command != "" {
			s.Transport = Stdio
		}
	}
	var err error
	if s.Endpoint, err = expand("endpoint", e.Endpoint, lookup); err != nil {
		return s, err
	}
	if s.Headers, err = expandAll("headers", e.Headers, lookup); err != nil {
		return s, err
	}
	if s.Env, err = expandAll("env", e.Env, lookup); err != nil {
		return s, err
	}
	return s, s.check()
}

func (s Server) check() error {
	switch {
	case s.Transport == StreamableHTTP && (s.Command != "" || len(s.Args)+len(s.Env) > 0):
		return errors.New("command, args and env are for transport stdio")
	case s.Transport == Stdio && (s.Endpoint != "" || len(s.Headers) > 0):
		return errors.New("endpoint and headers are for transport streamable_http")
	case s.Transport == Stdio && s.Command == "":
		return errors.New("command is missing")
	case s.Transport != StreamableHTTP && s.Transport != Stdio:
		return fmt.Errorf("transport must be %s or %s", StreamableHTTP, Stdio)
	case s.named() && s.Agent == "" && !s.mentions(agentMark):
		return fmt.Errorf("it distinguishes owners by name: mention %s too, or set agent, because two agents may have owners of the same name", agentMark)
	}
	if s.Transport == StreamableHTTP {
		if err := s.checkEndpoint(); err != nil {
			return err
		}
	}
	for name, value := range s.Headers {
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		switch {
		case !headerNames.MatchString(name), strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }):
			return fmt.Errorf("headers: %q is not a valid header", name)
		case strings.HasPrefix(canonical, "Mcp-"), slices.Contains(ownHeaders, canonical):
			return fmt.Errorf("headers: %s is set by the protocol", canonical)
		}
	}
	return nil
}

var headerNames = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// ownHeaders are headers that the client sets itself.
var ownHeaders = []string{"Accept", "Content-Length", "Content-Type", "Host", "Connection", "Transfer-Encoding", "Last-Event-Id"}

func (s Server) checkEndpoint() error {
	const write = "endpoint: write a URL, such as https://memory.example.com/mcp"
	before, _, _ := strings.Cut(s.Endpoint, "?")
	u, err := url.Parse(before)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New(write)
	case u.User != nil:
		return errors.New("endpoint: put passwords into headers, not into the address")
	case strings.Contains(before, "{") || strings.Contains(s.Endpoint, "#"):
		return fmt.Errorf("endpoint: %s and %s may be in the query only, and there is no fragment", agentMark, ownerMark)
	}
	if _, err := http.NewRequest(http.MethodPost, marks(s.Endpoint, Owner{}, url.QueryEscape), nil); err != nil { //nolint:noctx // it is not sent
		return errors.New(write)
	}
	return nil
}

// Marks are replaced by the identity of a call, in the query of the endpoint and in values of headers and env.
const (
	agentMark = "{agent}"
	ownerMark = "{owner}"
)

// marks puts an identity into a text.
func marks(text string, who Owner, escape func(string) string) string {
	return strings.NewReplacer(agentMark, escape(who.Agent), ownerMark, escape(who.Key)).Replace(text)
}

// mentions reports whether a mark occurs where it is replaced.
func (s Server) mentions(mark string) bool {
	if strings.Contains(s.Endpoint, mark) {
		return true
	}
	for _, values := range []map[string]string{s.Headers, s.Env} {
		for _, value := range values {
			if strings.Contains(value, mark) {
				return true
			}
		}
	}
	return false
}

// named reports whether the server is told whose statements it is asked for, or keeps those of one person only. Otherwise chat_id tells
// owners apart.
func (s Server) named() bool { return s.Owner != "" || s.mentions(ownerMark) }

// serves reports whether the server keeps an owner's statements.
func (s Server) serves(who Owner) bool {
	return s.Workspace == who.Workspace && (s.Agent == "" || s.Agent == who.Agent) && (s.Owner == "" || s.Owner == who.Key)
}

var variables = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// expand replaces names of environment variables.
func expand(field, text string, lookup func(string) (string, bool)) (string, error) {
	var missing error
	out := variables.ReplaceAllStringFunc(text, func(name string) string {
		name = name[2 : len(name)-1]
		value, found := lookup(name)
		if !found {
			missing = fmt.Errorf("%s: the environment variable %s is not set", field, name)
		}
		return value
	})
	return out, missing
}

func expandAll(field string, values map[string]string, lookup func(string) (string, bool)) (map[string]string, error) {
	out := make(map[string]string, len(values))
	for name, value := range values {
		var err error
		if out[name], err = expand(field+"."+name, value, lookup); err != nil {
			return nil, err
		}
	}
	return out, nil
}
