package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func TestRidgeInterpolatesAsLambdaVanishes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	x := mat.NewDense(30, 2, nil)
	y := make([]float64, 30)
	for i := range y {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
		y[i] = math.Sin(x.At(i, 0)) * x.At(i, 1)
	}
	m, err := Ridge[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 0.7}, Lambda: 1e-9}.Fit(context.Background(), data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range m.Predict(nil, data.Rows(x)) {
		if math.Abs(p-y[i]) > 1e-5 {
			t.Fatalf("point %d: predicted %g, want %g", i, p, y[i])
		}
	}
}
