package gram_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func ExampleNewFeatureRows() {
	device := gram.EmulatedDevice(1, 1<<20, 0)
	defer device.Close()
	ctx := context.Background()
	x := data.Rows(mat.NewDense(4, 1, []float64{0, 0.5, 1, 2}))
	z := data.Rows(mat.NewDense(2, 1, []float64{0, 2}))
	f, err := gram.NewFeatureRows(ctx, device, kernel.Gaussian{Lengthscale: 1},
		data.NewInMemory[kernel.Vec](x, nil, 0, nil), z, nil, []float64{0})
	if err != nil {
		panic(err)
	}
	defer f.Close()
	must := func(errs ...error) {
		for _, err := range errs {
			if err != nil {
				panic(err)
			}
		}
	}
	l := mat.NewDense(2, 2, nil)
	must(f.FactorTo(l))
	u, v := make([]float64, 4), make([]float64, 2)
	must(f.TimesTo(u, []float64{1, 0}), f.TransposedTo(v, []float64{0, 0, 0, 1}))
	fmt.Printf("%d points, known %.4f, jitter %g, ⟨φ, e₁⟩ %.4f, φ of the last row %.4f, L₂₂ %.4f\n", f.Dim(), f.Known(),
		f.Jitter(), u, v, l.At(1, 1))

	// The derivative by ℓ of Σ aφ₁, with a of every row: a term whose weights are 0.
	none := make([]float64, 4)
	m, err := f.Moment(none)
	must(err)
	defer m.Close()
	grad := make([]float64, 1)
	must(f.SlopesTo(ctx, grad, nil, []gram.FeatureTerm{{Pull: []float64{1, 1, 1, 1}, Mean: []float64{1, 0}, Moment: m}},
		nil))
	fmt.Printf("by ℓ %.4f\n", grad[0])

	// A matrix of one's own in place of a moment: here the moment itself.
	a := mat.NewDense(2, 2, nil)
	must(f.MomentTo(a, []float64{1, 1, 1, 1}))
	given, err := f.Precision(a)
	must(err)
	defer given.Close()
	fmt.Printf("log det %.4f\n", given.LogDet())
	// Output:
	// 2 points, known [1.0000 0.8217 0.6481 1.0000], jitter 0, ⟨φ, e₁⟩ [1.0000 0.8825 0.6065 0.1353], φ of the last row [0.1353 0.9908], L₂₂ 0.9908
	// by ℓ 1.3685
	// log det 1.9297
}

func ExampleFeatureMoment() {
	device := gram.EmulatedDevice(1, 1<<20, 0)
	defer device.Close()
	x := data.Rows(mat.NewDense(3, 1, []float64{0, 1, 2}))
	f, err := gram.NewFeatureRows(context.Background(), device, kernel.Gaussian{Lengthscale: 1},
		data.NewInMemory[kernel.Vec](x, nil, 0, nil), data.Span[kernel.Vec](x, 0, 1), nil, []float64{0})
	if err != nil {
		panic(err)
	}
	defer f.Close()
	m, err := f.Moment([]float64{2, 2, 2}) // 1 + 2·Σφ²
	if err != nil {
		panic(err)
	}
	defer m.Close()
	a, same := mat.NewDense(1, 1, nil), mat.NewDense(1, 1, nil)
	v, spread := []float64{1}, make([]float64, 3)
	trace, err := m.InverseTrace()
	for _, err := range []error{err, m.MatrixTo(a), f.MomentTo(same, []float64{2, 2, 2}), m.SolveTo(v),
		m.SpreadTo(spread)} {
		if err != nil {
			panic(err)
		}
	}
	fmt.Printf("A %.4f, %.4f; log det %.4f, A⁻¹ %.4f, its trace %.4f, φᵀA⁻¹φ %.4f\n", a.At(0, 0), same.At(0, 0),
		m.LogDet(), v[0], trace, spread)
	// Output: A 3.7724, 3.7724; log det 1.3277, A⁻¹ 0.2651, its trace 0.2651, φᵀA⁻¹φ [0.2651 0.0975 0.0049]
}
