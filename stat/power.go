package stat

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// PowerOptions says how a kernel is chosen by the power it gives.
type PowerOptions struct {
	Fraction float64 // of each sample that chooses the kernel; 0 means one half
	Linear   bool    // for the linear-time test: the ratio of its mean and standard deviation
	Seed     uint64  // of the split
	Threads  int     // 0 means all
	Bytes    int64   // budget of the Gram matrix; 0 means a quarter of the machine's memory
}

// PowerSelection is the kernel chosen and the points left for the test.
type PowerSelection[T any] struct {
	Kernel       kernel.Kernel[T]
	Index        int       // of Kernel among the candidates
	Ratios       []float64 // the criterion of each candidate
	TestX, TestY data.Points[T]
}

// SelectByPower chooses the candidate with which a test has the most power
// against the difference seen on one part of the samples; the test must then
// be made on TestX and TestY, which had no part in the choice, to keep its
// level.
//
// As n grows the power of the unbiased test is governed by the ratio
//
//	J(k) = MMD²ᵤ / √(σ̂² + ε),  σ̂² = 4(Σᵢ(Σⱼ Hᵢⱼ)²/n³ − (Σᵢⱼ Hᵢⱼ)²/n⁴),
//
// Hᵢⱼ = k(xᵢ,xⱼ) + k(yᵢ,yⱼ) − k(xᵢ,yⱼ) − k(yᵢ,xⱼ), the statistic over its
// standard deviation under the alternative (D. Sutherland et al., Generative
// models and model criticism via optimized MMD, ICLR 2017; F. Liu et al.,
// ICML 2020, with ε = 1e-8). For the linear-time test the ratio is that of the
// terms h (A. Gretton et al., Optimal kernel choice, NIPS 2012).
func SelectByPower[T any](
	ctx context.Context, candidates []kernel.Kernel[T], x, y data.Points[T], o PowerOptions,
) (*PowerSelection[T], error) {
	found, err := selectByPower(ctx, eraseAll(candidates), data.Erase(x), data.Erase(y), o)
	if err != nil {
		return nil, err
	}
	sel := &PowerSelection[T]{Kernel: candidates[found.Index], Index: found.Index, Ratios: found.Ratios}
	sel.TestX, _ = data.Typed[T](found.TestX)
	sel.TestY, _ = data.Typed[T](found.TestY)
	return sel, nil
}

func selectByPower(
	ctx context.Context, candidates []kernel.Kernel[any], x, y data.Points[any], o PowerOptions,
) (*PowerSelection[any], error) {
	if o.Fraction == 0 {
		o.Fraction = 0.5
	}
	if !(o.Fraction > 0 && o.Fraction < 1) {
		return nil, fault.Errorf("stat", "choice of a kernel: fraction %g; want between 0 and 1", o.Fraction)
	}
	if len(candidates) == 0 {
		return nil, fault.Errorf("stat", "choice of a kernel: no candidates")
	}
	least := 4
	m, n := int(o.Fraction*float64(length(x))), int(o.Fraction*float64(length(y)))
	if m < least || n < least || length(x)-m < 2 || length(y)-n < 2 {
		return nil, fault.Errorf("stat",
			"choice of a kernel: %g of %d and %d points are too few; want at least %d to choose by and 2 to test with",
			o.Fraction, length(x), length(y), least)
	}
	sel := &PowerSelection[any]{Ratios: make([]float64, len(candidates)), Index: -1}
	s := TestSettings{Seed: o.Seed}
	var trainX, trainY data.Points[any]
	trainX, sel.TestX = split(s, 0, x, m)
	trainY, sel.TestY = split(s, 1, y, n)
	for i, k := range candidates {
		if err := checkSamples(k, x, y); err != nil {
			return nil, fmt.Errorf("candidate %d: %w", i, err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		if sel.Ratios[i], err = powerRatio(ctx, k, trainX, trainY, o); err != nil {
			return nil, err
		}
		if math.IsNaN(sel.Ratios[i]) {
			return nil, fault.Errorf("stat",
				"choice of a kernel: the ratio of candidate %d is not a number: its values overflow", i)
		}
		if sel.Index < 0 || sel.Ratios[i] > sel.Ratios[sel.Index] {
			sel.Index = i
		}
	}
	sel.Kernel = candidates[sel.Index]
	return sel, nil
}

// split draws size points at random; the others are the second part.
func split(s TestSettings, which int, x data.Points[any], size int) (first, second data.Points[any]) {
	p := make([]int32, x.Len())
	permutation(p, s.stream(drawSplit, which))
	index := make([]int, len(p))
	for i, v := range p {
		index[i] = int(v)
	}
	return data.Gather(x, index[:size]), data.Gather(x, index[size:])
}

// powerEpsilon keeps the ratio finite where the variance estimate is zero.
const powerEpsilon = 1e-8

func powerRatio(ctx context.Context, k kernel.Kernel[any], x, y data.Points[any], o PowerOptions) (float64, error) {
	if o.Linear {
		mean, variance := meanVariance(linearTerms(o.Threads, k, x, y))
		return mean / math.Sqrt(variance+powerEpsilon), nil
	}
	n := min(x.Len(), y.Len()) // the variance is of pairs (xᵢ, yᵢ)
	index := par.Indices(0, n)
	g, err := gram.New(ctx, k, pool(data.Gather(x, index), data.Gather(y, index)),
		gram.Options{Threads: o.Threads, Bytes: o.Bytes})
	if err != nil {
		return 0, fault.Errorf("stat", "choice of a kernel: %w", err)
	}
	// column i of K·w with w = (1, …, −1, …) gives Σⱼ Hᵢⱼ as the difference of rows i and n+i
	w, kw := linalg.New[float64](2*n, 1), linalg.New[float64](2*n, 1)
	for i := range n {
		w.Data[i], w.Data[n+i] = 1, -1
	}
	g.MulTo(linalg.Dense(kw), linalg.Dense(w), false)
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	diag := make([]float64, 2*n)
	g.Diag(diag)
	var sum, squares, self float64
	for i := range n {
		h := kw.Data[i] - kw.Data[n+i]
		sum += h
		squares += h * h
		self += diag[i] + diag[n+i] - 2*k.Eval(x.At(i), y.At(i)) // Hᵢᵢ
	}
	f := float64(n)
	variance := 4 * (squares/(f*f*f) - sum*sum/(f*f*f*f))
	return (sum - self) / (f * (f - 1)) / math.Sqrt(math.Max(0, variance)+powerEpsilon), nil
}
