package kernel_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// words counts common words: a kernel that maps each text once.
type words struct{ mapped *int }

func (k words) counts(x string) map[string]float64 {
	if k.mapped != nil {
		*k.mapped++
	}
	out := map[string]float64{}
	for _, w := range strings.Fields(x) {
		out[w]++
	}
	return out
}

func (k words) Eval(x, y string) float64 {
	s, u := 0.0, words{}.counts(y)
	for w, c := range (words{}).counts(x) {
		s += c * u[w]
	}
	return s
}

func (k words) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	return kernel.PrepareSparse(ctx, x, y, k.counts)
}

// lengths is min(|x|, |y|), by prepared pairs.
type lengths struct{}

func (lengths) Eval(x, y string) float64 { return float64(min(len(x), len(y))) }
func (lengths) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, func(s string) int { return len(s) },
		func(u, v int) float64 { return float64(min(u, v)) })
}

var texts = data.Slice[string]{"to be or not to be", "", "be quick", "or not", "a b c d e f g to to"}

// Every point is mapped once, the algebra goes through, and values are those of Eval.
func TestPreparedKernels(t *testing.T) {
	calls := 0
	others := data.Slice[string]{"not to be", "be"}
	for name, k := range map[string]kernel.Kernel[string]{
		"sparse": words{}, "pairs": lengths{}, "composed": kernel.Sum(kernel.Scale(2, kernel.Kernel[string](words{})),
			kernel.Normalize(kernel.Kernel[string](lengths{}))),
	} {
		for _, y := range []data.Points[string]{texts, others} {
			got := mat.NewDense(texts.Len(), y.Len(), nil)
			kernel.Block(context.Background(), k, got, texts, y)
			for i := range texts {
				for j := range y.Len() {
					if want := k.Eval(texts[i], y.At(j)); math.Abs(got.At(i, j)-want) > 1e-12 {
						t.Errorf("%s: (%d, %d) is %g, want %g", name, i, j, got.At(i, j), want)
					}
				}
			}
		}
	}
	kernel.Block(context.Background(), words{&calls}, mat.NewDense(5, 5, nil), texts, texts)
	if calls != len(texts) {
		t.Errorf("%d points were mapped %d times", len(texts), calls)
	}
}

func ExamplePreparer() {
	k := words{}
	fill := k.PreparePoints(context.Background(), texts, texts)
	dst := mat.NewDense(1, 2, nil)
	fill(dst, 0, 2) // rows from 0, columns from 2
	fmt.Println(mat.Formatted(dst))
	// Output: [2  2]
}

func ExamplePrepareSparse() {
	ctx := context.Background()
	fill := kernel.PrepareSparse(ctx, texts, texts, words{}.counts)
	dst := mat.NewDense(1, 1, nil)
	fill(dst, 0, 0)
	fmt.Println(dst.At(0, 0))
	// Output: 10
}

func ExamplePreparePairs() {
	fill := kernel.PreparePairs(context.Background(), texts, texts, strings.Fields,
		func(u, v []string) float64 { return float64(len(u) * len(v)) })
	dst := mat.NewDense(1, 2, nil)
	fill(dst, 0, 2)
	fmt.Println(mat.Formatted(dst))
	// Output: [12  12]
}

func ExamplePairsOf() {
	fill := kernel.PairsOf(context.Background(), []int{1, 2}, []int{3, 4, 5},
		func(u, v int) float64 { return float64(u * v) })
	dst := mat.NewDense(1, 2, nil)
	fill(dst, 1, 1)
	fmt.Println(mat.Formatted(dst))
	// Output: [ 8  10]
}

func ExampleMapPoints() {
	fmt.Println(kernel.MapPoints(context.Background(), texts, func(s string) int { return len(s) }))
	// Output: [18 0 8 6 19]
}

func ExampleMapBoth() {
	u, v := kernel.MapBoth(context.Background(), texts, texts, func(s string) int { return len(s) })
	fmt.Println(&u[0] == &v[0])
	// Output: true
}

func ExampleSamePoints() {
	fmt.Println(kernel.SamePoints(texts, texts), kernel.SamePoints(texts, texts[1:]))
	// Output: true false
}
