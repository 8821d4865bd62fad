// Package configured reads which providers of memory and which search backend a server has, from a file of its operator.
package configured

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"reverie/memory"
	"reverie/providers"
	"reverie/providers/process"
	"reverie/providers/remote"
	"reverie/recall"
	"reverie/store/gate"
)

// Limits of the file.
const (
	maxProviders = 20
	maxTimeout   = 10 * time.Second
)

// File is the content of the file. In values of headers and of the environment, ${NAME} is a variable of this server's environment.
type File struct {
	Providers []Provider `json:"providers"`
	Backend   *Backend   `json:"backend"`
}

// Provider is a program that remembers.
type Provider struct {
	ID         string            `json:"id"`
	Transport  string            `json:"transport"` // http or mcp
	URL        string            `json:"url"`
	Headers    map[string]string `json:"headers"`
	Order      *int              `json:"order"`
	Timeout    string            `json:"timeout"`
	Agents     []string          `json:"agents"`
	Operations []string          `json:"operations"`
	Events     []string          `json:"events"`
	Tools      map[string]string `json:"tools"`
	Offers     []string          `json:"offers"`
	Arguments  map[string]string `json:"arguments"`
}

// Backend is a program that ranks.
type Backend struct {
	ID          string            `json:"id"`
	Command     []string          `json:"command"`
	Environment map[string]string `json:"environment"`
	Timeout     string            `json:"timeout"`
	Agents      []string          `json:"agents"`
}

// Load reads a file. Its error names what is wrong in it.
func Load(path string) (File, error) {
	var f File
	text, err := os.ReadFile(path)
	if err != nil {
		return f, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return f, fmt.Errorf("%s: %w", path, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return f, fmt.Errorf("%s: unexpected text after the object", path)
	}
	if err := f.check(); err != nil {
		return f, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// reserved are names of corpora and built-in sources.
var reserved = []string{
	"memory", "sessions", "all", "builtin", providers.Backend, providers.Files, providers.Structured, providers.SessionSearch, providers.Facts,
}

func (f *File) check() error {
	if len(f.Providers) > maxProviders {
		return fmt.Errorf("there are %d providers: at most %d are possible", len(f.Providers), maxProviders)
	}
	taken := slices.Clone(reserved)
	for i := range f.Providers {
		p := &f.Providers[i]
		if err := checkID(p.ID, taken); err != nil {
			return fmt.Errorf("providers[%d].id: %w", i, err)
		}
		taken = append(taken, p.ID)
		if err := p.check(); err != nil {
			return fmt.Errorf("provider %s: %w", p.ID, err)
		}
	}
	if b := f.Backend; b != nil {
		if err := checkID(b.ID, taken); err != nil {
			return fmt.Errorf("backend.id: %w", err)
		}
		if len(b.Command) == 0 || b.Command[0] == "" {
			return errors.New("backend.command: name a program")
		}
		if _, err := timeOf(b.Timeout); err != nil {
			return fmt.Errorf("backend.timeout: %w", err)
		}
		return fill(b.Environment)
	}
	return nil
}

func checkID(id string, taken []string) error {
	switch {
	case !memory.ValidSlug(id):
		return errors.New("use 1 to 63 characters of a-z, 0-9, - and _")
	case slices.Contains(taken, id):
		return fmt.Errorf("%q is taken", id)
	}
	return nil
}

// operations are those that a program can be asked for.
var operations = []string{
	providers.OpRecall, providers.OpSearch, providers.OpFollow, providers.OpForget, providers.OpForgetConversation, providers.OpTools,
}

func (p *Provider) check() error {
	address, err := url.Parse(p.URL)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return errors.New("url: use an address such as https://memory.internal/reverie")
	}
	if _, err := timeOf(p.Timeout); err != nil {
		return fmt.Errorf("timeout: %w", err)
	}
	for _, o := range p.Operations {
		if !slices.Contains(operations, o) {
			return fmt.Errorf("operations: %q is none of %s", o, strings.Join(operations, ", "))
		}
	}
	for _, kind := range p.Events {
		if !slices.Contains(providers.FollowKinds, gate.EventKind(kind)) {
			return fmt.Errorf("events: %q is none of %v", kind, providers.FollowKinds)
		}
	}
	switch p.Transport {
	case "http":
		if p.Tools != nil || p.Arguments != nil || p.Offers != nil {
			return errors.New("tools, arguments and offers are for the transport mcp")
		}
		if p.Operations == nil {
			p.Operations = []string{providers.OpRecall, providers.OpSearch}
		}
	case "mcp":
		if p.Operations == nil {
			for _, o := range operations {
				if p.Tools[o] != "" || o == providers.OpTools && len(p.Offers) > 0 {
					p.Operations = append(p.Operations, o)
				}
			}
		}
		for _, o := range p.Operations {
			if o == providers.OpTools && len(p.Offers) == 0 {
				return errors.New("offers: name the tools that models get")
			}
			if o != providers.OpTools && p.Tools[o] == "" {
				return fmt.Errorf("tools: name the tool for %s", o)
			}
		}
	default:
		return errors.New("transport: use http or mcp")
	}
	if len(p.Operations) == 0 {
		return errors.New("operations: name at least one")
	}
	return fill(p.Headers)
}

// variable is a reference to the environment.
var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// fill replaces references to the environment. One that is not set is an error: it is a secret that would be missing.
func fill(values map[string]string) error {
	var missing []string
	for name, value := range values {
		values[name] = variable.ReplaceAllStringFunc(value, func(reference string) string {
			wanted := variable.FindStringSubmatch(reference)[1]
			found, is := os.LookupEnv(wanted)
			if !is {
				missing = append(missing, wanted)
			}
			return found
		})
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return fmt.Errorf("not set in the environment: %s", strings.Join(missing, ", "))
	}
	return nil
}

func timeOf(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > maxTimeout {
		return 0, fmt.Errorf("use a duration such as 800ms, at most %s", maxTimeout)
	}
	return d, nil
}

// Outside returns the providers of a file. version is that of this server.
func (f File) Outside(version string) (all []providers.Outside, err error) {
	for _, p := range f.Providers {
		c := remote.Config{
			ID: p.ID, Order: providers.DefaultOrder, URL: p.URL, Headers: p.Headers, Tools: p.Tools, Arguments: p.Arguments,
			Offers: p.Offers, Version: version,
		}
		if p.Order != nil {
			c.Order = *p.Order
		}
		one := providers.Outside{Agents: p.Agents, Operations: p.Operations}
		for _, kind := range p.Events {
			one.Kinds = append(one.Kinds, gate.EventKind(kind))
		}
		one.Timeout, _ = timeOf(p.Timeout) // check has read it
		if p.Transport == "mcp" {
			one.Provider, err = remote.MCP(c)
		} else {
			one.Provider = remote.HTTP(c)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// Process returns the search backend of a file; nil: it has none. c has what the file does not say.
func (f File) Process(c process.Config) *process.Backend {
	if f.Backend == nil {
		return nil
	}
	c.ID, c.Command, c.Agents = f.Backend.ID, f.Backend.Command, f.Backend.Agents
	c.Timeout, _ = timeOf(f.Backend.Timeout) // check has read it
	for name, value := range f.Backend.Environment {
		c.Environment = append(c.Environment, name+"="+value)
	}
	return process.New(c)
}

var (
	_ recall.Outside = (*providers.Set)(nil)
	_ recall.Backend = (*process.Backend)(nil)
)
