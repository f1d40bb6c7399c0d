package data

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// chunked is a table in memory.
type chunked []*Dataset

func (c chunked) Pass(ctx context.Context, f func(*Dataset) error) error {
	for _, d := range c {
		if err := f(d); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// TestEncodedRows: whatever the chunks and the blocks, rows are those of the table encoded whole,
// but for those left out.
func TestEncodedRows(t *testing.T) {
	d := tableOf(700, true)
	e, err := FitEncoder(d, EncoderOptions{Task: Regression, Missing: missingDrop})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := e.TransformLabelled(d)
	if err != nil {
		t.Fatal(err)
	}
	except := []int{699, 0, 3, 400, 401} // 3 lacks a value: it is left out anyway
	var want []int
	for i, row := range whole.Kept {
		if !slices.Contains(except, row) {
			want = append(want, i)
		}
	}
	for _, sizes := range [][]int{{700}, {13, 100}} {
		rows, err := NewEncodedRows(t.Context(), chunked(parts(d, sizes...)), e, except)
		if err != nil {
			t.Fatal(err)
		}
		if rows.Len() != len(want) || rows.Outputs() != 1 {
			t.Fatalf("%d rows, want %d", rows.Len(), len(want))
		}
		for _, size := range []int{1, 64, 5000} {
			at := 0
			err := rows.Pass(t.Context(), size, func(b Block[[]float64]) error {
				if b.First != at || b.Len() > size || b.Len() < size && at+b.Len() != len(want) {
					t.Fatalf("block of %d rows from %d", b.Len(), b.First)
				}
				for i := range b.Len() {
					if !slices.Equal(b.Points.At(i), whole.Dense.At(want[at+i])) || b.Target(i)[0] != whole.Target[want[at+i]] ||
						b.Weight(i) != 1 {
						t.Fatalf("row %d differs", at+i)
					}
				}
				at += b.Len()
				return nil
			})
			if err != nil || at != len(want) {
				t.Errorf("blocks of %d: %d rows, %v", size, at, err)
			}
		}
		stop := errors.New("enough")
		if err := rows.Pass(t.Context(), 10, func(Block[[]float64]) error { return stop }); err != stop {
			t.Errorf("stopped: %v", err)
		}
	}
	// A table that has fewer rows in a later pass.
	shrinking := chunked(parts(d, 100))
	rows, err := NewEncodedRows(t.Context(), shrinking, e, nil)
	if err != nil {
		t.Fatal(err)
	}
	*shrinking[6] = *shrinking[6].Gather([]int{0, 1})
	if err := rows.Pass(t.Context(), 64, func(Block[[]float64]) error { return nil }); !errors.Is(err, ErrChanged) {
		t.Errorf("fewer rows: %v", err)
	}
}
