package rest

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"reverie/api/fault"
)

const (
	// bodyCost is the memory that a request takes per byte of its body, and minBodyCost what it takes with a short one. Measured:
	// a body is decoded twice, for validation and for the handler.
	bodyCost    = 4
	minBodyCost = 256 << 10
	// maxBodies bounds the memory for requests in progress of all keys, maxKeyBodies of one: two of the longest requests.
	maxBodies    = 1 << 30
	maxKeyBodies = 256 << 20

	// minElements is the smallest limit of elements in one array or object of a body. Twice the largest maxItems of its schema
	// raises it: slightly longer arrays are left to validation, which names them.
	minElements = 1000
	// valuesPerElement bounds the values in a body, per element of that limit.
	valuesPerElement = 10
	// maxDepth bounds nested arrays and objects.
	maxDepth = 64

	// retryAfterBodies is the Retry-After while other requests take the memory.
	retryAfterBodies = time.Second
)

// metaElements is the key of an operation's metadata that holds the limit of elements in one array or object of its JSON body.
const metaElements = "elements"

// metaNoBody is the key of the metadata of operations that refuse a body unless they describe one: options in it would have no effect.
const metaNoBody = "no body"

// memoryBudget bounds the memory that requests in progress take.
type memoryBudget struct {
	mu   sync.Mutex
	used int64
	keys map[uuid.UUID]int64
}

// take reserves memory for a request of a key. It reports false when the key or the process has none left.
func (b *memoryBudget) take(key uuid.UUID, cost int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+cost > maxBodies || b.keys[key]+cost > maxKeyBodies {
		return false
	}
	b.used += cost
	b.keys[key] += cost
	return true
}

func (b *memoryBudget) giveBack(key uuid.UUID, cost int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= cost
	if b.keys[key] -= cost; b.keys[key] <= 0 {
		delete(b.keys, key)
	}
}

// limitBody reserves memory for a body, and bounds its values while it is read: validation would collect several faults for each.
func (s *Server) limitBody(ctx huma.Context, next func(huma.Context)) {
	op := ctx.Operation()
	r, _ := humago.Unwrap(ctx)
	if op.RequestBody == nil {
		if op.Metadata[metaNoBody] != nil && r.Method != http.MethodGet && !isEmpty(r.Body) {
			s.Refuse(ctx, fault.InvalidAt("body", "this request has none: put options into the query"))
			return
		}
		next(ctx)
		return
	}
	length := r.ContentLength
	if length < 0 || length > op.MaxBodyBytes {
		length = op.MaxBodyBytes
	}
	key, cost := CallerOf(ctx.Context()).ID, max(minBodyCost, bodyCost*length)
	if !s.bodies.take(key, cost) {
		s.Refuse(ctx, TooMany(retryAfterBodies))
		return
	}
	defer s.bodies.giveBack(key, cost)
	if elements, known := op.Metadata[metaElements].(int); known {
		r.Body = &valueCounter{ReadCloser: r.Body, maxElements: elements, left: valuesPerElement * elements}
	}
	next(ctx)
}

// isEmpty reports whether a body has no content: nothing, an empty object or null.
func isEmpty(body io.Reader) bool {
	start, err := io.ReadAll(io.LimitReader(body, maxEmpty))
	content := strings.Join(strings.Fields(string(start)), "")
	return err == nil && (content == "" || content == "{}" || content == "null") && len(start) < maxEmpty
}

// maxEmpty is the number of bytes of a body that are looked at.
const maxEmpty = 64

// valueCounter fails to read JSON with too many values. It looks at punctuation only; what is not JSON fails later.
type valueCounter struct {
	io.ReadCloser
	maxElements int // of one array or object
	left        int // values of the whole body
	inString    bool
	escaped     bool
	counts      []int // commas in each open array or object
	failed      error
}

func (c *valueCounter) Read(p []byte) (int, error) {
	if c.failed != nil {
		return 0, c.failed
	}
	n, err := c.ReadCloser.Read(p)
	for _, b := range p[:n] {
		if c.inString {
			c.inString = c.escaped || b != '"'
			c.escaped = !c.escaped && b == '\\'
			continue
		}
		switch b {
		case '"':
			c.inString = true
		case '[', '{':
			c.counts = append(c.counts, 0)
			c.left--
		case ']', '}':
			c.counts = c.counts[:max(0, len(c.counts)-1)]
		case ',':
			c.left--
			if len(c.counts) > 0 {
				c.counts[len(c.counts)-1]++
			}
		default:
			continue
		}
		if c.failed = c.check(); c.failed != nil {
			return 0, c.failed
		}
	}
	return n, err
}

func (c *valueCounter) check() error {
	switch depth := len(c.counts); {
	case depth > maxDepth:
		return fault.New(fault.InvalidBody, "The body nests more than %d levels", maxDepth)
	case depth > 0 && c.counts[depth-1] >= c.maxElements:
		return fault.New(fault.BodyTooLarge, "An array or object of the body has more than %d elements: send fewer at once", c.maxElements)
	case c.left < 0:
		return fault.New(fault.BodyTooLarge, "The body has too many values: send less at once")
	}
	return nil
}

// maxElements returns the limit of elements in one array or object of a body.
func maxElements(registry huma.Registry, s *huma.Schema) int {
	largest, seen := minElements, map[string]bool{}
	var visit func(*huma.Schema)
	visit = func(s *huma.Schema) {
		if s == nil || seen[s.Ref] {
			return
		}
		if s.Ref != "" {
			seen[s.Ref] = true
			s = registry.SchemaFromRef(s.Ref)
		}
		if s.MaxItems != nil {
			largest = max(largest, 2**s.MaxItems)
		}
		visit(s.Items)
		for _, property := range s.Properties {
			visit(property)
		}
	}
	visit(s)
	return largest
}

// ReadBody reads the body of an operation that writes its answer itself.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err == nil {
		return body, nil
	}
	if refused, is := errors.AsType[*fault.Problem](err); is {
		return nil, refused
	}
	_, echoes := errors.AsType[*echo.HTTPError](err) // of the limit of every body
	if _, is := errors.AsType[*http.MaxBytesError](err); is || echoes {
		return nil, fault.New(fault.BodyTooLarge, "The body exceeds %d MiB: send less at once", limit>>20)
	}
	return nil, fault.New(fault.InvalidBody, "The body did not arrive")
}
