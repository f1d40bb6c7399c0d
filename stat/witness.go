package stat

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
)

// Witness is the function that tells the samples apart best among those of
// norm one, up to its length: f = (1/m)Σ k(xᵢ, ·) − (1/n)Σ k(yⱼ, ·), positive
// where x is denser, negative where y is. Its norm is the biased MMD.
func Witness[T any](ctx context.Context, k kernel.Kernel[T], x, y data.Points[T]) (*rkhs.Func[T], error) {
	f, err := witness(ctx, kernel.Erase(k), data.Erase(x), data.Erase(y))
	return rkhs.Typed(k, f), err
}

func witness(ctx context.Context, k kernel.Kernel[any], x, y data.Points[any]) (*rkhs.Func[any], error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if length(x) == 0 || length(y) == 0 {
		return nil, fault.Errorf("stat", "witness of samples of %d and %d points", length(x), length(y))
	}
	if k == nil {
		return nil, fault.Errorf("stat", "witness: no kernel")
	}
	if err := kernel.CheckPair(k, x, y); err != nil {
		return nil, fault.Errorf("stat", "witness: %w", err)
	}
	m, n := x.Len(), y.Len()
	coef := linalg.New[float64](m+n, 1)
	for i := range coef.Data {
		coef.Data[i] = 1 / float64(m)
		if i >= m {
			coef.Data[i] = -1 / float64(n)
		}
	}
	return rkhs.New(k, pool(x, y), linalg.Dense(coef), nil)
}

// Difference is a point at which a witness is large.
type Difference struct {
	Sample int     // 0: the point is of x, 1: of y
	Index  int     // in that sample
	Value  float64 // of the witness there; positive where x is denser
}

// LargestDifferences are the count points of both samples at which the
// witness is largest in absolute value, largest first.
func LargestDifferences[T any](
	ctx context.Context, f *rkhs.Func[T], x, y data.Points[T], count int,
) ([]Difference, error) {
	return largestDifferences(ctx, rkhs.Erase(f), []data.Points[any]{data.Erase(x), data.Erase(y)}, count)
}

func largestDifferences(
	ctx context.Context, f *rkhs.Func[any], samples []data.Points[any], count int,
) ([]Difference, error) {
	if count < 0 {
		return nil, fault.Errorf("stat", "%d points of largest difference", count)
	}
	var all []Difference
	for which, p := range samples {
		if length(p) == 0 {
			continue
		}
		v, err := apply.New(ctx, f, p)
		if err != nil {
			return nil, fault.Errorf("stat", "witness: %c: %w", 'x'+rune(which), err)
		}
		for i := range p.Len() {
			all = append(all, Difference{which, i, v.At(i, 0)})
		}
	}
	slices.SortStableFunc(all, func(a, b Difference) int { return cmp.Compare(math.Abs(b.Value), math.Abs(a.Value)) })
	return all[:min(count, len(all))], nil
}
