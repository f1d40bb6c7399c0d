package smooth

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
)

// The fixture is written by bench/fixtures/density.R.

func rFixture(t *testing.T) func(name string) []float64 {
	t.Helper()
	text, err := os.ReadFile("testdata/smooth_r.json")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return func(name string) []float64 {
		list, ok := all[name].([]any)
		if !ok {
			t.Fatalf("the fixture has no %q", name)
		}
		out := make([]float64, len(list))
		for i, v := range list {
			out[i] = v.(float64)
		}
		return out
	}
}

func column(v []float64) data.Slice[[]float64] {
	out := make(data.Slice[[]float64], len(v))
	for i := range v {
		out[i] = v[i : i+1]
	}
	return out
}

func agree(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= tol*(1+math.Abs(want[i]))) {
			t.Errorf("%s[%d] = %.12g, want %.12g", what, i, v, want[i])
			return
		}
	}
}

func TestSmoothersOfR(t *testing.T) {
	r := rFixture(t)
	ctx := context.Background()
	x, y, at := r("x"), r("y"), r("at")
	// ksmooth's box of bandwidth b is the mean over |x - at| ≤ b/2.
	nw, err := NadarayaWatson{Smoother: density.Boxcar, Bandwidth: 1.3}.Fit(ctx, column(x), y)
	if err != nil {
		t.Fatal(err)
	}
	got, err := nw.Predict(ctx, column(at))
	if err != nil {
		t.Fatal(err)
	}
	agree(t, "ksmooth", got, r("nw"), 1e-12)
	low, err := LocalRegression{Smoother: density.TriCube, Degree: 1, Span: 0.4, Robust: 3}.Fit(ctx, column(x), y)
	if err != nil {
		t.Fatal(err)
	}
	agree(t, "lowess", low.Fitted(), r("lowess"), 1e-4)
	fit, err := LocalRegression{Smoother: density.TriCube, Degree: 2, Span: 0.5}.Fit(ctx, column(x), y)
	if err != nil {
		t.Fatal(err)
	}
	bands, err := fit.Bands(ctx, column(at[2:13]), 0.95)
	if err != nil {
		t.Fatal(err)
	}
	var mean, se []float64
	for _, b := range bands {
		mean, se = append(mean, b.Mean), append(se, b.StdErr)
	}
	agree(t, "loess", mean, r("loess"), 1e-6)
	agree(t, "loess se", se, r("loess_se"), 1e-6)
	agree(t, "loess sigma", []float64{fit.Sigma()}, r("loess_sigma"), 1e-6)
	agree(t, "loess trace", []float64{fit.Freedom()}, r("loess_trace"), 1e-6)
	agree(t, "loess df", []float64{fit.inverse}, r("loess_df"), 1e-6)
	u := r("u")
	both := make(data.Slice[[]float64], len(x))
	for i := range both {
		both[i] = []float64{x[i], u[i]}
	}
	two, err := LocalRegression{Smoother: density.TriCube, Degree: 1, Span: 0.6}.Fit(ctx, both, y)
	if err != nil {
		t.Fatal(err)
	}
	agree(t, "loess of two inputs", two.Fitted(), r("loess2"), 1e-6)
}
