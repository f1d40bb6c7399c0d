package online

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
)

// chunks is a stream of data sets.
type chunks []*data.Dataset

func (c *chunks) Next() (*data.Dataset, error) {
	if len(*c) == 0 {
		return nil, io.EOF
	}
	d := (*c)[0]
	*c = (*c)[1:]
	return d, nil
}

func (c *chunks) Close() error { return nil }

// TestNormaLearnsFromAStream: the rows of chunks teach what Observe does, and what
// stopped half way goes on from its state.
func TestNormaLearnsFromAStream(t *testing.T) {
	var a, b []float64
	var y []string
	x, code := learntest.Blobs(40, 2, 2, 1, 95)
	for i, c := range code {
		a, b, y = append(a, x.At(i, 0)), append(b, x.At(i, 1)), append(y, []string{"no", "yes"}[c])
	}
	d := &data.Dataset{Name: "d", Target: "y", Columns: []data.Column{data.NumberColumn("a", a), data.NumberColumn("b", b),
		data.LevelColumn("y", y)}}
	e := modeltest.Must(data.FitEncoder(d, data.EncoderOptions{}))(t)
	z := modeltest.Must(e.TransformLabelled(d))(t)
	c := Norma[kernel.Vec]{Kernel: kernel.Gaussian{}, Budget: 15}
	want := modeltest.Must(c.Start())(t)
	for i := range 40 {
		if _, err := want.Observe(z.Dense.At(i), 2*z.Target[i]-1); err != nil {
			t.Fatal(err)
		}
	}
	got := modeltest.Must(c.Start())(t)
	first := &chunks{d.Gather(par.Indices(0, 10)), d.Gather(par.Indices(10, 25))}
	if n, err := ObserveStream(learntest.Ctx, got, e, first); n != 25 || err != nil {
		t.Fatal(n, err)
	}
	got = modeltest.Must(c.Resume(got.State()))(t)
	if n, err := ObserveStream(learntest.Ctx, got, e, &chunks{d.Gather(par.Indices(25, 40))}); n != 15 || err != nil {
		t.Fatal(n, err)
	}
	for i := range 40 {
		if p := z.Dense.At(i); got.Decision(p) != want.Decision(p) {
			t.Fatalf("decision at %d is %g from the stream, %g by Observe", i, got.Decision(p), want.Decision(p))
		}
	}
	gone, cancel := context.WithCancel(learntest.Ctx)
	cancel()
	if n, err := ObserveStream(gone, got, e, &chunks{d}); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %d rows, error %v", n, err)
	}
	three := &data.Encoder{Target: &data.TargetCode{Name: "y", Classes: []string{"a", "b", "c"}}}
	if _, err := ObserveStream(learntest.Ctx, got, three, &chunks{d}); err == nil {
		t.Error("three classes were accepted for the hinge loss")
	}
}
