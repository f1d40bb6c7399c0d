package project

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// TestPreimageOfATrainingPoint: with all components the projection of a
// training point is its image, whose pre-image is the point, whatever the
// method and however far away it starts.
func TestPreimageOfATrainingPoint(t *testing.T) {
	x := gaussianRows(30, 2, 5)
	ctx := context.Background()
	for _, k := range []kernel.Kernel[kernel.Vec]{
		kernel.Gaussian{Lengthscale: 1.5},
		kernel.RationalQuadratic{Alpha: 1, Lengthscale: 1.5},
		kernel.Matern{Nu: 2.5, Lengthscale: 2},
		kernel.Sum[kernel.Vec](kernel.Scale[kernel.Vec](0.5, kernel.Gaussian{Lengthscale: 1}),
			kernel.Gaussian{Lengthscale: 3}),
	} {
		m, err := PCA[kernel.Vec]{Kernel: k}.Fit(ctx, data.Rows(x))
		if err != nil {
			t.Fatal(err)
		}
		start := mat.DenseCopyOf(x)
		for i := range 30 {
			start.Set(i, 0, start.At(i, 0)+0.3)
			start.Set(i, 1, start.At(i, 1)-0.2)
		}
		for _, p := range []Preimager{FixedPoint{Model: m, MaxIterations: 20000, Tolerance: 1e-11}, Gradient{Model: m}} {
			got, err := p.Preimages(ctx, m.Scores(), data.Rows(start))
			if err != nil {
				t.Fatal(err)
			}
			within(t, "pre-image", got, x, 2e-4)
			// From the nearest training point in the plane: the point itself.
			if got, err = p.Preimages(ctx, m.Scores(), nil); err != nil {
				t.Fatal(err)
			}
			within(t, "pre-image without start", got, x, 2e-4)
		}
	}
	// A kernel that is no function of the distance: the gradient serves.
	m, err := PCA[kernel.Vec]{Kernel: kernel.Polynomial{Degree: 3, Offset: 1, Gamma: 1}}.Fit(ctx, data.Rows(x))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Gradient{Model: m}.Preimages(ctx, m.Scores(), data.Rows(x))
	if err != nil {
		t.Fatal(err)
	}
	within(t, "pre-image of a polynomial kernel", got, x, 1e-4)
	if _, err := (FixedPoint{Model: m}).Preimages(ctx, m.Scores(), nil); err == nil ||
		!strings.Contains(err.Error(), "Gradient") {
		t.Errorf("fixed point took a polynomial kernel: %v", err)
	}
	if _, err := (Gradient{Model: m}).Preimages(ctx, mat.NewDense(1, 1, nil), nil); err == nil {
		t.Error("scores of the wrong width were taken")
	}
}

// TestLearnedMap: with little regularisation the map recovers training points;
// with a linear kernel everywhere it is the linear reconstruction of PCA.
func TestLearnedMap(t *testing.T) {
	ctx := context.Background()
	x := gaussianRows(60, 3, 6)
	m, err := PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 2}}.Fit(ctx, data.Rows(x))
	if err != nil {
		t.Fatal(err)
	}
	l, err := MapLearner{Lambda: 1e-9}.Fit(ctx, m.Scores(), data.Rows(x))
	if err != nil {
		t.Fatal(err)
	}
	got, err := l.Preimages(ctx, m.Scores(), nil)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "learned pre-image", got, x, 1e-3)

	if m, err = (PCA[kernel.Vec]{Kernel: kernel.Linear{}, Components: 3}).Fit(ctx, data.Rows(x)); err != nil {
		t.Fatal(err)
	}
	if l, err = (MapLearner{Kernel: kernel.Linear{}, Lambda: 1e-10}).Fit(ctx, m.Scores(), data.Rows(x)); err != nil {
		t.Fatal(err)
	}
	if got, err = Denoise[kernel.Vec](ctx, m, l, data.Rows(x)); err != nil {
		t.Fatal(err)
	}
	within(t, "linear reconstruction", got, x, 1e-8)
	if _, err := (MapLearner{}).Fit(ctx, m.Scores(), data.Rows(gaussianRows(2, 3, 1))); err == nil {
		t.Error("2 vectors for 60 rows of scores were taken")
	}
}

// TestDenoiseHalfCircle: points off a half circle are brought back toward it.
func TestDenoiseHalfCircle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	n := 200
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		a := math.Pi * rng.Float64()
		r := 1 + 0.1*rng.NormFloat64()
		x.SetRow(i, []float64{r * math.Cos(a), r * math.Sin(a)})
	}
	off := func(m *mat.Dense) float64 {
		s := 0.0
		for i := range n {
			d := math.Hypot(m.At(i, 0), m.At(i, 1)) - 1
			s += d * d
		}
		return math.Sqrt(s / float64(n))
	}
	ctx := context.Background()
	m, err := PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Components: 3}.Fit(ctx, data.Rows(x))
	if err != nil {
		t.Fatal(err)
	}
	l, err := MapLearner{Lambda: 1}.Fit(ctx, m.Scores(), data.Rows(x))
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]Preimager{"fixed point": FixedPoint{Model: m}, "gradient": Gradient{Model: m},
		"learned": l} {
		clean, err := Denoise[kernel.Vec](ctx, m, p, data.Rows(x))
		if err != nil {
			t.Fatal(err)
		}
		if before, after := off(x), off(clean); !(after < 0.75*before) {
			t.Errorf("%s: off the circle by %.3f before, %.3f after", name, before, after)
		} else {
			t.Logf("%s: off the circle by %.3f before, %.3f after", name, before, after)
		}
	}
}
