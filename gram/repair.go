package gram

import (
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// How is a way to make an indefinite matrix positive semi-definite.
type How int

// The ways (Wu, Chang and Zhang 2005; Chen et al. 2009).
const (
	NoRepair How = iota // the matrix stays as it is
	Clip                // negative eigenvalues become 0: the nearest PSD matrix in Frobenius norm
	Flip                // λ becomes |λ|: negative directions are kept as positive ones
	Shift               // |λmin| is added to the diagonal: off-diagonal similarities stay as they are
)

var repairs = [...]string{"none", "clip", "flip", "shift"}

func (h How) String() string {
	if h < NoRepair || h > Shift {
		return fmt.Sprintf("How(%d)", int(h))
	}
	return repairs[h]
}

// RepairByName is the repair that is called "clip", "flip", "shift" or "none".
func RepairByName(name string) (How, error) {
	at := slices.Index(repairs[:], name)
	if at < 0 {
		return NoRepair, fault.Errorf("gram", "unknown repair %q; give clip, flip, shift or none", name)
	}
	return How(at), nil
}

// Repaired is a positive semi-definite matrix made from an indefinite one, and
// what was changed.
type Repaired struct {
	Dense
	Before   PSD     // the finding that made it necessary
	How      How     // what was done
	Negative int     // eigenvalues below -Tolerance
	Moved    float64 // ‖K' - K‖_F
	Relative float64 // ‖K' - K‖_F / ‖K‖_F

	values  []float64 // eigenvalues before, the least first
	sign    []float64 // what each eigenvalue was multiplied by
	vectors linalg.Matrix[float64]
}

// Repair returns the repaired matrix; g is not changed. A matrix that is
// already positive semi-definite within its tolerance comes back as it is.
func Repair(g Accessor, how How, threads int) (*Repaired, error) {
	n, c := g.Dims()
	if n != c {
		return nil, fault.Errorf("gram", "cannot repair a %d×%d matrix", n, c)
	}
	if how < Clip || how > Shift {
		return nil, fault.Errorf("gram", "unknown repair %d", int(how))
	}
	k := toDense(g)
	values, u, err := linalg.SymEigen(threads, k.Clone())
	if err != nil {
		return nil, fault.Errorf("gram", "repair: %w", err)
	}
	r := &Repaired{How: how, values: values, sign: make([]float64, n), vectors: u}
	r.Dense = Dense{stored[float64]{m: k, threads: threads, symmetric: true, why: "repaired by " + how.String()}}
	r.Before = PSD{Min: values[0], Max: values[n-1], Vector: make([]float64, n)}
	for i := range n {
		r.Before.Vector[i] = u.At(i, 0)
	}
	r.Before.Tolerance = float64(n) * epsilon(g) * math.Max(math.Abs(values[0]), math.Abs(values[n-1]))
	r.Before.OK = values[0] >= -r.Before.Tolerance
	size, moved := 0.0, 0.0
	for i, v := range values {
		r.sign[i] = 1
		size += v * v
		if v >= -r.Before.Tolerance {
			continue
		}
		r.Negative++
		switch how {
		case Clip:
			r.sign[i] = 0
			moved += v * v
		case Flip:
			r.sign[i] = -1
			moved += 4 * v * v
		}
	}
	if r.Before.OK {
		return r, nil
	}
	if how == Shift {
		for i := range n {
			k.Row(i)[i] -= values[0]
		}
		moved = float64(n) * values[0] * values[0]
	} else {
		r.rebuild(values)
	}
	r.Moved = math.Sqrt(moved)
	r.Relative = r.Moved / math.Sqrt(size)
	return r, nil
}

// rebuild sets the storage to U·|Λ'|·Uᵀ as a product of a matrix with its own
// transpose, so that rounding cannot bring negative eigenvalues back.
func (r *Repaired) rebuild(values []float64) {
	n := len(values)
	f := linalg.New[float64](n, n)
	for i := range n {
		row := f.Row(i)
		for j := range row {
			row[j] = r.vectors.At(i, j) * math.Sqrt(math.Max(0, r.sign[j]*values[j]))
		}
	}
	linalg.Gemm(r.threads, linalg.NoTrans, linalg.Trans, 1, f, f, 0, r.m)
	mirror(r.threads, r.m, choice{}.ended)
}

// CrossTo transforms K(test, X) consistently with the repair, in place: by
// U·S·Uᵀ with S the factor each eigenvalue got (Chen et al. 2009, §4). Shift
// changes only the value of a point with itself and leaves K(test, X) alone.
func (r *Repaired) CrossTo(kstar *mat.Dense) {
	star := linalg.Of(kstar)
	if r.How == Shift || r.Before.OK {
		return
	}
	w := linalg.New[float64](star.Rows, star.Cols)
	linalg.Gemm(r.threads, linalg.NoTrans, linalg.NoTrans, 1, star, r.vectors, 0, w)
	for i := range w.Rows {
		row := w.Row(i)
		for j := range row {
			row[j] *= r.sign[j]
		}
	}
	linalg.Gemm(r.threads, linalg.NoTrans, linalg.Trans, 1, w, r.vectors, 0, star)
}
