package gram

import (
	"cmp"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// A device that does what is queued as late as can be gives the same bits: nothing is read before
// it is there, and nothing written over that is still to be copied.
func TestDevicePairLate(t *testing.T) {
	const n, m, piece = 500, 20, 25
	x, y, v := points(n, 6, 1), points(m, 6, 2), random(m, 2, 3)
	between := func(b data.Block[kernel.Vec], kv, u *mat.Dense) {
		for i := range b.Len() {
			for c := range 2 {
				u.Set(i, c, float64(1+b.First+i))
				if kv != nil {
					u.Set(i, c, kv.At(i, c)*float64(1+b.First+i))
				}
			}
		}
	}
	for name, o := range map[string]PairOptions{
		"single": {Precision: Single}, "single, streamed": {Precision: Single, Stream: true}, "double": {},
		"double, streamed": {Stream: true},
	} {
		var want [2]*mat.Dense // by products that have no v, and that have
		for _, late := range []bool{false, true} {
			dev := &Device{always: true}
			for range 2 {
				dev.chips = append(dev.chips, cuda.Emulate(cuda.Emulated{Hopper: true, Late: late}))
			}
			p := smallPieces(t, dev, gauss, data.NewInMemory[kernel.Vec](x, nil, 0, nil), y, o, piece)
			for i := range 4 {
				got, in := mat.NewDense(m, 2, nil), []*mat.Dense{nil, v}[i%2]
				if err := p.MulTo(t.Context(), got, in, between); err != nil {
					t.Fatal(name, err)
				}
				if want[i%2] == nil {
					want[i%2] = got
				} else if !mat.Equal(got, want[i%2]) {
					t.Errorf("%s, late %v, with v %v: other bits", name, late, in != nil)
				}
			}
			if notes := dev.Notes(); len(notes) > 0 {
				t.Error(name, notes)
			}
			_ = p.Close()
			for _, chip := range dev.chips {
				if left := cuda.Left(chip); left != "" {
					t.Error(name, "left", left)
				}
			}
		}
	}
}

// Pieces are no more than there are rows and memory for, and where they can be they are full rounds
// of the chip.
func TestDevicePieces(t *testing.T) {
	dev := emulated(1, 0)
	for _, dim := range []int{1, 6, 28, 5000} {
		y, round := points(2, dim, 1), cmp.Or(cuda.FullRows(dev.chips[0], cuda.Single, dim), leastPiece)
		for _, n := range []int{1, 100, round, 60_000, 1_000_000, 10_000_000, 1_000_000_000} {
			for _, piece := range []int{leastPiece, 1000, 3 * round, pieceRows} {
				p := smallPieces(t, dev, gauss, data.NewInMemory[kernel.Vec](y, nil, 0, nil), y, PairOptions{Precision: Single},
					piece)
				p.n = n
				rows := p.pieceFor(1)
				switch {
				case rows < 1 || rows > n || rows > piece || rows > max(pieceBytes/(4*dim), fewestRows):
					t.Errorf("%d rows of %d columns, at most %d: pieces of %d", n, dim, piece, rows)
				case rows < n && piece >= round && rows%round != 0:
					t.Errorf("%d rows of %d columns, at most %d: pieces of %d are not full rounds of %d", n, dim, piece, rows, round)
				case piece == pieceRows && dim <= 28 && n >= 30*fewestRows && rows < fewestRows:
					t.Errorf("%d rows of %d columns: pieces of %d are not worth a launch", n, dim, rows)
				}
			}
		}
	}
}
