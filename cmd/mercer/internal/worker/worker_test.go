package worker

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// client is the other side of a worker, over pipes.
type client struct {
	t    *testing.T
	to   *os.File
	back *link
	done chan error
}

func start(t *testing.T) *client {
	t.Helper()
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, to: to, back: &link{in: from, out: io.Discard}, done: make(chan error, 1)}
	go func() {
		c.done <- (&Worker{Version: "test"}).Serve(context.Background(), in, out)
		_ = out.Close()
	}()
	t.Cleanup(func() { _ = to.Close() })
	return c
}

// ask sends a request with arrays of numbers.
func (c *client) ask(head map[string]any, values map[string][]float64, shapes map[string][]int) {
	c.t.Helper()
	a := newAnswer()
	for name, v := range values {
		put(a, name, v, shapes[name]...)
	}
	head["arrays"] = a.heads
	if err := (&link{out: c.to}).send(head, a.placed, a.size); err != nil {
		c.t.Fatal(err)
	}
}

// answer reads what comes back.
func (c *client) answer() (response, arrays) {
	c.t.Helper()
	m, err := c.back.receive()
	if err != nil {
		c.t.Fatal(err)
	}
	var r response
	if err := json.Unmarshal(m.head, &r); err != nil {
		c.t.Fatal(err)
	}
	return r, arrays{r.Arrays, m.body}
}

var (
	plane  = []float64{-2, -1, -1, -2, -1, -1, 1, 1, 2, 1, 1, 2}
	labels = []float64{0, 0, 0, 1, 1, 1}
)

func fitRequest(id int) map[string]any {
	return map[string]any{"id": id, "op": "fit", "args": map[string]any{"learner": "svm", "task": "classification",
		"kernel": "linear()",
		"params": map[string]any{"C": 1}, "classes": []string{"a", "b"}}}
}

func TestFitAndPredict(t *testing.T) {
	c := start(t)
	shapes := map[string][]int{"x": {6, 2}, "y": {1, 6}}
	c.ask(fitRequest(7), map[string][]float64{"x": plane, "y": labels}, shapes)
	r, _ := c.answer()
	if r.ID != 7 || r.Error != nil {
		t.Fatalf("%+v", r.Error)
	}
	c.ask(map[string]any{"id": 8, "op": "predict", "args": map[string]any{"model": r.Result["model"],
		"want": []string{"scores"}}},
		map[string][]float64{"x": plane}, shapes)
	r, got := c.answer()
	if r.Error != nil {
		t.Fatalf("%+v", r.Error)
	}
	codes, err := vector[int64](got, "codes")
	if err != nil {
		t.Fatal(err)
	}
	scores, _, err := view[float64](got, "scores", 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, y := range labels {
		if float64(codes[i]) != y || (scores[i] > 0) != (y == 1) {
			t.Errorf("row %d has code %d and score %g, want %g", i, codes[i], scores[i], y)
		}
	}
	// The plane x₁ + x₂ = 0 is half way, and (±1, ±1) are the support vectors at C = 1: f(x) =
	// (x₁ + x₂)/2.
	if want := -1.5; math.Abs(scores[0]-want) > 1e-3 {
		t.Errorf("score of the first row is %g, want %g", scores[0], want)
	}
}

func TestFaultsAreAnswers(t *testing.T) {
	c := start(t)
	shapes := map[string][]int{"x": {6, 2}, "y": {1, 6}}
	for _, test := range []struct {
		change func(map[string]any)
		kind   string
		words  string
	}{
		{func(r map[string]any) { r["op"] = "dance" }, "internal", "no operation"},
		{func(r map[string]any) { r["args"].(map[string]any)["kernel"] = "gausian()" }, "input", "gaussian"},
		{func(r map[string]any) { r["args"].(map[string]any)["params"] = map[string]any{"D": 1} }, "input",
			`no parameter "D"`},
		{func(r map[string]any) { r["args"].(map[string]any)["params"] = map[string]any{"C": -1} }, "input", "C is -1"},
		{func(r map[string]any) { r["args"].(map[string]any)["learner"] = "svn" }, "input", "unknown learner"},
		{func(r map[string]any) { r["op"], r["args"] = "predict", map[string]any{"model": 999} }, "unknown-model", "999"},
	} {
		r := fitRequest(1)
		test.change(r)
		c.ask(r, map[string][]float64{"x": plane, "y": labels}, shapes)
		got, _ := c.answer()
		if got.Error == nil || got.Error.Kind != test.kind || !strings.Contains(got.Error.Message, test.words) {
			t.Errorf("got %+v, want %s with %q", got.Error, test.kind, test.words)
		}
	}
}

// What reaches beyond its message, or is none, is refused; within it an array sees no bytes but
// those of the same sender.
func TestShapesThatLieAreRefused(t *testing.T) {
	c := start(t)
	for _, shape := range [][]int{{60, 3}, {1 << 40, 1 << 40}, {-1, 2}, {6}, {0, 2}} {
		c.ask(fitRequest(1), map[string][]float64{"x": plane, "y": labels}, map[string][]int{"x": shape, "y": {1, 6}})
		if got, _ := c.answer(); got.Error == nil {
			t.Errorf("shape %v was taken", shape)
		}
	}
}

func TestTheWorkerEndsWithItsInput(t *testing.T) {
	c := start(t)
	_ = c.to.Close()
	if err := <-c.done; err != nil {
		t.Error(err)
	}
}

func TestBytesThatAreNoMessageEndIt(t *testing.T) {
	c := start(t)
	frame := make([]byte, 16)
	binary.LittleEndian.PutUint32(frame[4:], 0xffff)
	if _, err := c.to.Write(frame); err != nil {
		t.Fatal(err)
	}
	if err := <-c.done; err == nil || !strings.Contains(err.Error(), "none of ours") {
		t.Errorf("got %v", err)
	}
}

// A number in a message that is damaged takes no memory, and no other request may take the place of
// one that is under way.
func TestMessagesThatLieEndIt(t *testing.T) {
	c := start(t)
	frame := make([]byte, 16)
	binary.LittleEndian.PutUint32(frame, 2)
	binary.LittleEndian.PutUint64(frame[8:], mostBody)
	if _, err := c.to.Write(append(frame, "{}and a few bytes"...)); err != nil {
		t.Fatal(err)
	}
	_ = c.to.Close()
	if err := <-c.done; err != nil {
		t.Error(err)
	}
	for n, want := range map[int][]byte{0: nil, 5: []byte("01234"), 10: []byte("0123456789")} {
		if got, err := readAligned(strings.NewReader("0123456789"), n, 3); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes are %q, %v", n, got, err)
		}
	}
	if got, err := readAligned(strings.NewReader("0123"), 1<<40, 3); err != io.ErrUnexpectedEOF || len(got) > 12 {
		t.Errorf("%d bytes, %v", len(got), err)
	}

	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began := make(chan bool, 2)
	w := &Worker{Run: func(ctx context.Context, _ []string, _ Given, _, _ io.Writer) (int, map[string][]byte) {
		began <- true
		<-ctx.Done()
		return 0, nil
	}}
	done := make(chan error, 1)
	go func() { done <- w.Serve(ctx, in, in) }()
	for range 2 {
		if err := (&link{out: to}).send(map[string]any{"id": 3, "op": "run"}, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	<-began
	if err := <-done; err == nil || !strings.Contains(err.Error(), "under way") {
		t.Error(err)
	}
}

func TestCancelEndsARequest(t *testing.T) {
	w := &Worker{cancel: map[uint64]context.CancelFunc{}}
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel[3] = cancel
	w.stop(2)
	if ctx.Err() != nil {
		t.Error("another request was stopped")
	}
	w.stop(3)
	if ctx.Err() == nil {
		t.Error("the request goes on")
	}
	if f := asFault(ctx, io.ErrClosedPipe); f.Kind != "cancelled" {
		t.Errorf("its fault is %q", f.Kind)
	}
}

func TestGradientsAreCalledOffByTheContext(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	x := data.Rows(mat.NewDense(2, 1, []float64{0, 1}))
	if _, err := gradients(ended, kernel.Gaussian{}, x, x); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a context that has ended", err)
	}
	if a, err := gradients(context.Background(), kernel.Gaussian{}, x, x); err != nil || a.size == 0 {
		t.Errorf("%v, %v", a, err)
	}
}

func TestModelsWithinTheirBytes(t *testing.T) {
	m := newModels()
	m.most = 100
	first := m.add(bytes.Repeat([]byte{1}, 60))
	second := m.add(bytes.Repeat([]byte{2}, 60))
	if m.kept[first] != nil || m.kept[second] == nil || m.bytes != 60 {
		t.Errorf("%d models of %d bytes", len(m.kept), m.bytes)
	}
	m.forget([]uint64{second, 99})
	if len(m.kept) != 0 || len(m.order) != 0 || m.bytes != 0 {
		t.Errorf("%d models of %d bytes after all were forgotten", len(m.kept), m.bytes)
	}
	for range mostModels + 10 {
		m.add(nil)
	}
	if len(m.kept) != mostModels {
		t.Errorf("%d models are kept, want %d", len(m.kept), mostModels)
	}
}

func TestLargeMessagesCrossInPieces(t *testing.T) {
	var b bytes.Buffer
	v := make([]float64, 3*inlineUpTo/8)
	for i := range v {
		v[i] = float64(i)
	}
	a := newAnswer()
	put(a, "small", []byte{1, 2, 3})
	put(a, "large", v)
	if err := (&link{out: &b}).send(response{ID: 5, Arrays: a.heads}, a.placed, a.size); err != nil {
		t.Fatal(err)
	}
	m, err := (&link{in: &b}).receive()
	if err != nil {
		t.Fatal(err)
	}
	got, err := vector[float64](arrays{a.heads, m.body}, "large")
	if err != nil || len(got) != len(v) || got[len(v)-1] != v[len(v)-1] {
		t.Errorf("%d numbers, %v", len(got), err)
	}
}
