package gram

import (
	"errors"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/kernel"
)

// Pieces are filled when they are free and not before, in their order, to the bytes of one piece at
// a time by any number of goroutines; one that is closed early leaves nothing behind, and a panic
// is the caller's.
func TestFiller(t *testing.T) {
	const rows, d = 1300, 3
	x := points(4*rows-100, d, 1)
	tree, _ := newDeviceTree(kernel.Gaussian{}, x)
	s, err := cuda.NewSums(cuda.Emulate(cuda.Emulated{}), tree.tree, cuda.Single, []float64{10}, 1<<10)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	pieces := func(fit fitness) (all []*moving) {
		for lo := 0; lo < x.Len(); lo += rows {
			part := data.Span(x, lo, min(lo+rows, x.Len()))
			all = append(all, newMoving(tree, s, make([]byte, s.HostBytes(part.Len())), part, fit))
		}
		return all
	}
	for _, threads := range []int{1, 3, 40} {
		all := pieces(nil)
		f := newFiller(threads, all)
		for i := range all {
			f.release(i)
			if i == 1 { // the next two are not free
				continue
			}
			for j := range i + 1 {
				m := f.await(j)
				want := make([]byte, len(m.host))
				far, _ := fillCoordinates(tree, 1, s, want, m.x, nil)
				if reach, even := m.reach(); string(m.host) != string(want) || !even || reach[0] != far[0] {
					t.Fatalf("%d goroutines, piece %d: other bytes, or reach %g for %g", threads, j, reach, far)
				}
			}
			for _, m := range all[i+1:] {
				for _, b := range m.host {
					if b != 0 {
						t.Fatal("a piece was written before it was free")
					}
				}
			}
		}
		f.close(len(all))
		f = newFiller(threads, pieces(nil))
		f.release(0)
		f.await(0)
		f.close(1)
	}
	newFiller(2, nil).close(0)
	bad := errors.New("a point that nobody expects")
	f := newFiller(3, pieces(func(x data.Points[kernel.Vec]) bool { panic(bad) }))
	defer func() {
		if recover() != bad {
			t.Error("the panic was lost")
		}
		f.close(1)
	}()
	f.release(0)
	f.await(0)
	t.Error(math.NaN())
}
