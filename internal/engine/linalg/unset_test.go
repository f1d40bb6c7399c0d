package linalg_test

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// TestUnsetIsNaN holds that tests see what was not set, in both precisions and for any size that is
// not cleared, and that the memory is as long as the matrix.
func TestUnsetIsNaN(t *testing.T) {
	for _, side := range []int{200, 256, 1100} {
		m, half := linalg.Unset[float64](side, side), linalg.Unset[float32](side, side)
		if len(m.Data) != side*side || len(half.Data) != side*side || m.Stride != side {
			t.Fatalf("%d: %d and %d numbers, stride %d", side, len(m.Data), len(half.Data), m.Stride)
		}
		for i, v := range m.Data {
			if !math.IsNaN(v) || half.Data[i] == half.Data[i] {
				t.Fatalf("%d: entry %d is %g and %g", side, i, v, half.Data[i])
			}
			m.Data[i] = 1 // to the end, so that the race detector's checks see all of it
		}
	}
}

// TestUnsetOfNothing: no entries are no memory.
func TestUnsetOfNothing(t *testing.T) {
	if m := linalg.Unset[float64](0, 3); len(m.Data) != 0 || m.Rows != 0 || m.Cols != 3 {
		t.Errorf("%+v", m)
	}
	if m := linalg.Unset[float32](3, 0); len(m.Data) != 0 || m.Stride != 1 {
		t.Errorf("%+v", m)
	}
}
