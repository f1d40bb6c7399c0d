package serve

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/model"
)

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

var irisForBatches = sync.OnceValues(func() (*model.Model, *data.Encoded) {
	d := must(data.Builtin("iris", 0))
	if d.Target == "" {
		d.Target = d.Columns[len(d.Columns)-1].Name
	}
	e := must(data.FitEncoder(d, data.EncoderOptions{}))
	x := must(e.TransformLabelled(d))
	fitted := must(svm.Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 2}, C: 4,
		Probability: true}.Fit(context.Background(), x.Dense, x.Codes()))
	return must(model.New(fitted, model.Info{Encoder: e})), x
})

// gate is a predictor that holds the first computation until it is let go, and notes the sizes of
// all.
type gate struct {
	m       *model.Model
	mu      sync.Mutex
	sizes   []int
	holding bool
	held    chan struct{} // closed when the first is in
	let     chan struct{}
	fail    func(x *data.Encoded) error
}

func (g *gate) predict(ctx context.Context, x *data.Encoded, w model.Want) (*model.Prediction, error) {
	g.mu.Lock()
	first := !g.holding
	g.holding = true
	g.sizes = append(g.sizes, x.Len())
	g.mu.Unlock()
	if first {
		close(g.held)
		<-g.let
	}
	if g.fail != nil {
		if err := g.fail(x); err != nil {
			return nil, err
		}
	}
	return g.m.PredictEncoded(ctx, x, w)
}

// queue starts requests that find the only slot taken, and returns when all wait.
func queue(b *batcher, n int, do func(i int)) *sync.WaitGroup {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
		for {
			b.mu.Lock()
			waiting := len(b.waiting)
			b.mu.Unlock()
			if waiting == i+1 {
				break
			}
			runtime.Gosched()
		}
	}
	return &all
}

// Requests that come while one is computed are computed together, and each gets the bits that it
// gets alone.
func TestBatchesHaveTheSameBits(t *testing.T) {
	m, x := irisForBatches()
	g := &gate{m: m, held: make(chan struct{}), let: make(chan struct{})}
	b := &batcher{free: 1, predict: g.predict, seen: func(int) {}}
	var first sync.WaitGroup
	first.Go(func() { _, _ = b.do(t.Context(), rowsOf(x, 0), model.Want{}) })
	<-g.held
	want := model.Want{Proba: true, Scores: true}
	answers := make([]*model.Prediction, 100)
	all := queue(b, len(answers), func(i int) { answers[i] = must(b.do(t.Context(), rowsOf(x, i), want)) })
	close(g.let)
	all.Wait()
	first.Wait()
	for i, got := range answers {
		alone := must(m.PredictEncoded(t.Context(), rowsOf(x, i), want))
		if got.Labels[0] != alone.Labels[0] || got.Proba.At(0, 1) != alone.Proba.At(0, 1) ||
			got.Scores.At(0, 2) != alone.Scores.At(0, 2) {
			t.Fatalf("row %d: %v %v in a batch, %v %v alone", i, got.Labels, got.Proba, alone.Labels, alone.Proba)
		}
	}
	if len(g.sizes) != 2 || g.sizes[1] != len(answers) {
		t.Errorf("computations of %v rows, want 1 and %d", g.sizes, len(answers))
	}
	// the slot comes back after the last answer; a hang is told by the time limit
	for free := 0; free != 1; runtime.Gosched() {
		b.mu.Lock()
		if free = b.free; free > 1 || len(b.waiting) != 0 {
			t.Fatalf("%d slots free, %d waiting afterwards", free, len(b.waiting))
		}
		b.mu.Unlock()
	}
}

// rowsOf is row i of encoded features, by itself.
func rowsOf(x *data.Encoded, rows ...int) *data.Encoded {
	batch := make([]*waiter, len(rows))
	for k, i := range rows {
		raw := x.Dense.RawMatrix()
		raw.Data, raw.Rows = raw.Data[i*raw.Stride:i*raw.Stride+raw.Cols], 1
		batch[k] = &waiter{x: &data.Encoded{Dense: data.RowsOf(raw), Kept: []int{0}}}
	}
	return join(batch)
}

// Requests that want different things, or more rows than a batch holds, are computed apart; one
// that has gone is not computed.
func TestBatchesAreApart(t *testing.T) {
	m, x := irisForBatches()
	g := &gate{m: m, held: make(chan struct{}), let: make(chan struct{})}
	b := &batcher{free: 1, predict: g.predict, seen: func(int) {}}
	var first sync.WaitGroup
	first.Go(func() { _, _ = b.do(t.Context(), rowsOf(x, 0), model.Want{}) })
	<-g.held
	gone, leave := context.WithCancel(t.Context())
	all := queue(b, 6, func(i int) {
		ctx, e, w := t.Context(), rowsOf(x, i), model.Want{}
		switch {
		case i == 2:
			ctx = gone
		case i%2 == 1:
			w.Proba = true
		case i == 4:
			e = rowsOf(x, make([]int, maxBatch)...)
		}
		p, err := b.do(ctx, e, w)
		if i == 2 && !errors.Is(err, context.Canceled) || i != 2 && (err != nil || (p.Proba != nil) != w.Proba) {
			t.Errorf("request %d: %v %v", i, p, err)
		}
	})
	leave()
	close(g.let)
	all.Wait()
	first.Wait()
	sum := 0
	for _, n := range g.sizes {
		sum += n
	}
	if sum != 1+1+3+maxBatch { // the first, one plain, three with probabilities, one large
		t.Errorf("computations of %v rows", g.sizes)
	}
}

// The fault of one request is not that of those it was computed with, and a panic ends nobody else.
func TestBatchFaults(t *testing.T) {
	m, x := irisForBatches()
	bad := errors.New("bad row")
	g := &gate{m: m, held: make(chan struct{}), let: make(chan struct{})}
	marked := x.Dense.At(7)[0]
	g.fail = func(e *data.Encoded) error {
		for i := range e.Len() {
			if e.Dense.At(i)[0] == marked && e.Dense.At(i)[1] == x.Dense.At(7)[1] && e.Dense.At(i)[2] == x.Dense.At(7)[2] {
				return bad
			}
		}
		return nil
	}
	b := &batcher{free: 1, predict: g.predict, seen: func(int) {}}
	var first sync.WaitGroup
	first.Go(func() { _, _ = b.do(t.Context(), rowsOf(x, 0), model.Want{}) })
	<-g.held
	faults := make([]error, 10)
	all := queue(b, len(faults), func(i int) { _, faults[i] = b.do(t.Context(), rowsOf(x, i), model.Want{}) })
	close(g.let)
	all.Wait()
	first.Wait()
	for i, err := range faults {
		same := g.fail(rowsOf(x, i)) != nil
		if (err != nil) != same {
			t.Errorf("request %d: %v", i, err)
		}
	}
	s := New(Options{Threads: 1})
	v := must(s.serve("iris", "1", m, 0))
	if _, err := v.batch.predict(t.Context(), nil, model.Want{}); err == nil {
		t.Error("a panic is no error")
	}
}

// Rows of objects and sparse rows are joined as well.
func TestJoinOfObjects(t *testing.T) {
	one := func(s string, q []float64, j int32) *waiter {
		sparse := data.SparseOf([]data.SparseVec{{Index: []int32{j}, Value: []float64{1}}}, 9)
		return &waiter{x: &data.Encoded{Sparse: &sparse, Kept: []int{0},
			Objects: []data.Column{data.TextColumn("a", []string{s}),
				{Name: "b", Kind: data.Sequence, Channels: 1, Sequences: [][]float64{q}}}}}
	}
	a, b := one("x", []float64{1, 2}, 3), one("y", []float64{3}, 5)
	if !fits(a, b) {
		t.Fatal("they do not fit")
	}
	x := join([]*waiter{a, b})
	if x.Len() != 2 || x.Sparse.At(1).Index[0] != 5 || x.Objects[0].Strings[1] != "y" ||
		x.Objects[1].Sequences[0][1] != 2 {
		t.Errorf("%+v", x)
	}
	b.x.Objects[1].Channels = 2
	if fits(a, b) {
		t.Error("series of one and of two channels fit")
	}
}

// A model whose examples may stand anywhere in a table holds it whole, and takes no more of it than
// a body may have.
func TestGatheredTablesAreBounded(t *testing.T) {
	v := &served{schema: &schema{columns: []column{{name: "x"}}}}
	if v.gathers() {
		t.Error("a plain column is gathered")
	}
	v.schema.columns[0].joined = &data.Join{By: "id"}
	if !v.gathers() {
		t.Error("instances of an example are not gathered")
	}
	_, err := io.ReadAll(&bounded{strings.NewReader(strings.Repeat("x", 1001)), 1000, 1000})
	if refusalOf(err).status != http.StatusRequestEntityTooLarge {
		t.Errorf("%v", err)
	}
	if b, err := io.ReadAll(&bounded{strings.NewReader("abc"), 3, 3}); err != nil || string(b) != "abc" {
		t.Errorf("%q %v", b, err)
	}
}
