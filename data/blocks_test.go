package data

import (
	"context"
	"errors"
	"reflect"
	"testing"
)

// Two passes give the same rows with what belongs to them, in blocks of the size asked for,
// whatever the points are.
func TestInMemoryPasses(t *testing.T) {
	const n, d = 11, 3
	dense := RowsOf(General3{n, d, make([]float64, n*d), d})
	rows := make([]SparseVec, n)
	var plain Slice[[]float64]
	targets, weights := make([]float64, 2*n), make([]float64, n)
	for i := range n {
		for j := range d {
			dense.At(i)[j] = float64(i*d + j)
		}
		plain = append(plain, dense.At(i))
		rows[i] = SparseVec{[]int32{int32(i % d)}, []float64{float64(i)}}
		targets[2*i], targets[2*i+1], weights[i] = float64(i), -float64(i), float64(i)/2
	}
	checkPasses[[]float64](t, dense, targets, weights)
	checkPasses[[]float64](t, plain, targets, nil)
	checkPasses[SparseVec](t, SparseOf(rows, d), targets, weights)
	checkPasses[int](t, Indices(n), targets, weights)
	checkPasses[[]float64](t, Number[[]float64](dense), targets, nil)
	whole := Number[[]float64](dense)
	if part, ok := Span[[]float64](whole, 4, 7).(*Numbered[[]float64]); !ok ||
		!reflect.DeepEqual(part.number, []int{4, 5, 6}) {
		t.Error("numbered points forget their numbers")
	}
}

// General3 has the shape of a General.
type General3 struct {
	Rows, Cols int
	Data       []float64
	Stride     int
}

func checkPasses[T any](t *testing.T, x Points[T], targets, weights []float64) {
	t.Helper()
	for _, size := range []int{1, 4, 11, 100} {
		s := NewInMemory(x, targets, 2, weights)
		for range 2 {
			next := 0
			if err := s.Pass(t.Context(), size, func(b Block[T]) error {
				if b.First != next || b.Len() != min(size, x.Len()-next) {
					t.Errorf("%T: block of %d rows at %d, expected at %d", x, b.Len(), b.First, next)
				}
				for i := range b.Len() {
					weight := 1.0
					if weights != nil {
						weight = weights[next]
					}
					if !reflect.DeepEqual(b.Points.At(i), x.At(next)) || b.Target(i)[0] != targets[2*next] ||
						b.Target(i)[1] != targets[2*next+1] || b.Weight(i) != weight {
						t.Errorf("%T: row %d is another", x, next)
					}
					next++
				}
				return nil
			}); err != nil || next != x.Len() {
				t.Errorf("%T: %d rows, %v", x, next, err)
			}
		}
	}
	stop := errors.New("enough")
	if err := NewInMemory(x, targets, 2, weights).Pass(t.Context(), 3, func(Block[T]) error { return stop }); err != stop {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := NewInMemory(x, targets, 2, weights).Pass(ctx, 3, func(Block[T]) error {
		t.Error("a block after the end")
		return nil
	}); err != context.Canceled {
		t.Error(err)
	}
}
