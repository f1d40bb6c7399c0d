package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/mercer-ml/mercer/trace"
)

// Protocol is the version of the messages: both sides must have the same.
const Protocol = 2

// request is what somebody asks for.
type request struct {
	ID     uint64               `json:"id"`
	Op     string               `json:"op"`
	Args   json.RawMessage      `json:"args"`
	Arrays map[string]arrayHead `json:"arrays"`
	Forget []uint64             `json:"forget"` // models that nobody has any more
	Steps  bool                 `json:"steps"`  // tell how far it is
}

// response is what is said about a request.
type response struct {
	ID     uint64               `json:"id"`
	Result map[string]any       `json:"result,omitempty"`
	Arrays map[string]arrayHead `json:"arrays,omitempty"`
	Step   *step                `json:"step,omitempty"`
	Error  *fault               `json:"error,omitempty"`
}

type step struct {
	Iteration int    `json:"iteration"`
	Residual  string `json:"residual,omitempty"`
	Text      string `json:"text,omitempty"`
}

// fault is an error on its way to the other side.
type fault struct {
	Kind    string `json:"kind"` // input, cancelled, unknown-model, internal
	Message string `json:"message"`
}

func (f *fault) Error() string { return f.Message }

// call is a request under way.
type call struct {
	*Worker
	args   json.RawMessage
	arrays arrays
	trace  trace.Func
	say    func(text string) // how far it is, in words; nil where nobody listens
}

// Worker answers the requests of one other process.
type Worker struct {
	Version string
	// Run does what a command line asks for: out and err are what it says; it returns its exit
	// code, and the files it wrote by name.
	Run func(ctx context.Context, args []string, in Given, out, err io.Writer) (code int, files map[string][]byte)

	link   *link
	models *models
	mu     sync.Mutex
	cancel map[uint64]context.CancelFunc
}

// operations is all that can be asked for.
var operations = map[string]func(context.Context, *call) (*answer, error){
	"hello":      hello,
	"fit":        fit,
	"load":       load,
	"predict":    predict,
	"run":        run,
	"hypothesis": hypothesis,
	"matrix":     matrix,
	"describe":   describe,
	"shape":      shape,
	"transform":  transform,
}

// leastHeap is bytes that are taken and never touched, so that the system gives no memory for them:
// they count as used where the collector asks whether as much again was allocated. Without them it
// goes over everything after every few small requests, on all processors.
const leastHeap = 64 << 20

// Serve answers requests until the other side closes its end.
func (w *Worker) Serve(ctx context.Context, in, out *os.File) error {
	w.link, w.models, w.cancel = newLink(in, out), newModels(), map[uint64]context.CancelFunc{}
	held := make([]byte, leastHeap)
	defer runtime.KeepAlive(held)
	for {
		m, err := w.link.receive()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("worker: %w", err)
		}
		var r request
		if err := json.Unmarshal(m.head, &r); err != nil {
			return fmt.Errorf("worker: a head that is no JSON: %w", err)
		}
		if r.Op == "cancel" {
			w.stop(r.ID)
			continue
		}
		w.models.forget(r.Forget)
		w.mu.Lock()
		_, twice := w.cancel[r.ID]
		w.mu.Unlock()
		if twice { // whose answer would be whose?
			return fmt.Errorf("worker: a second request %d, and the first is under way", r.ID)
		}
		within, cancel := context.WithCancel(ctx)
		w.mu.Lock()
		w.cancel[r.ID] = cancel
		w.mu.Unlock()
		go w.handle(within, r, m)
	}
}

func (w *Worker) stop(id uint64) {
	w.mu.Lock()
	cancel := w.cancel[id]
	w.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// handle answers one request. What it panics with ends this request alone.
func (w *Worker) handle(ctx context.Context, r request, m message) {
	a, err := w.attempt(ctx, r, m)
	out := response{ID: r.ID}
	var arrays []placed
	size := 0
	if err != nil {
		out.Error = asFault(ctx, err)
	} else {
		out.Result, out.Arrays, arrays, size = a.result, a.heads, a.placed, a.size
	}
	w.mu.Lock()
	w.cancel[r.ID]()
	delete(w.cancel, r.ID)
	w.mu.Unlock()
	if err := w.link.send(out, arrays, size); err != nil { // no memory for the answer, say: that can still be said
		_ = w.link.send(response{ID: r.ID, Error: &fault{"internal", err.Error()}}, nil, 0)
	}
	m.release()
}

func (w *Worker) attempt(ctx context.Context, r request, m message) (a *answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &fault{"internal", fmt.Sprintf("%s: %v\n%s", r.Op, p, debug.Stack())}
		}
	}()
	do := operations[r.Op]
	if do == nil {
		return nil, &fault{"internal", fmt.Sprintf("there is no operation %q", r.Op)}
	}
	c := &call{Worker: w, args: r.Args, arrays: arrays{r.Arrays, m.body}}
	if r.Steps {
		c.trace = w.steps(r.ID)
		c.say = func(text string) { _ = w.link.send(response{ID: r.ID, Step: &step{Text: text}}, nil, 0) }
	}
	return do(ctx, c)
}

// steps tells the other side how far a request is, a few times a second.
func (w *Worker) steps(id uint64) trace.Func {
	var mu sync.Mutex
	last := time.Now()
	return func(s trace.Step) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(last) < 200*time.Millisecond {
			return
		}
		last = time.Now()
		_ = w.link.send(response{ID: id, Step: &step{Iteration: s.Iteration, Residual: fmt.Sprintf("%.2g", s.Residual)}}, nil,
			0)
	}
}

// asFault is an error as the other side takes it: what is not ours to mend is a fault of the input.
func asFault(ctx context.Context, err error) *fault {
	var f *fault
	switch {
	case errors.As(err, &f):
		return f
	case ctx.Err() != nil:
		return &fault{"cancelled", err.Error()}
	}
	return &fault{"input", err.Error()}
}

// decode reads the arguments of a call; one that is not known is a fault of the other side.
func (c *call) decode(into any) error {
	if len(c.args) == 0 {
		return nil
	}
	if err := json.Unmarshal(c.args, into); err != nil {
		return &fault{"internal", fmt.Sprintf("arguments %.200s: %v", c.args, err)}
	}
	return nil
}

// hello says who is there.
func hello(_ context.Context, c *call) (*answer, error) {
	a := newAnswer()
	a.result["protocol"], a.result["version"], a.result["pid"] = Protocol, c.Version, os.Getpid()
	return a, nil
}
