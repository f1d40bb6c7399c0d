package solve

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// block is the programme restricted to a working set, everything else fixed:
// small enough for the first levels of cache.
type block[F linalg.Float] struct {
	k         linalg.Matrix[F] // K among the variables of the set
	diag      []float64
	beta      []float64
	low, high []float64 // bounds
	// z = c - Kβ where β may still be raised, else -Inf; where it may still be
	// lowered, else +Inf. The infinities stay put under updates.
	up, down []float64
	groups   []span
	scratch  []F
}

type span struct{ lo, hi int }

func newBlock[F linalg.Float](size int) *block[F] {
	b := &block[F]{scratch: make([]F, size*size)}
	b.grow(size)
	return b
}

// grow makes room for size variables, without a matrix of them.
func (b *block[F]) grow(size int) {
	f := func() []float64 { return make([]float64, size) }
	b.diag, b.beta, b.low, b.high, b.up, b.down = f(), f(), f(), f(), f(), f()
}

// resize makes the block ready for a working set of q variables.
func (b *block[F]) resize(q int) {
	b.k = linalg.Matrix[F]{Rows: q, Cols: q, Stride: q, Data: b.scratch[:q*q]}
	b.narrow(q)
}

// narrow sets the number of variables to q, with whatever matrix.
func (b *block[F]) narrow(q int) {
	b.diag, b.beta, b.low, b.high, b.up, b.down = b.diag[:q], b.beta[:q], b.low[:q], b.high[:q], b.up[:q], b.down[:q]
	b.groups = b.groups[:0]
}

// place notes on which sides variable t may still move, given its z.
func (b *block[F]) place(t int, z float64) {
	b.up[t], b.down[t] = math.Inf(-1), math.Inf(1)
	if b.beta[t] < b.high[t] {
		b.up[t] = z
	}
	if b.beta[t] > b.low[t] {
		b.down[t] = z
	}
}

// smallCurvature stands in for a pair along which the objective hardly
// curves, as in LIBSVM.
const smallCurvature = 1e-12

// solve optimises pair after pair until the violation inside the set is at
// most eps; it returns the number of updates.
func (b *block[F]) solve(ctx context.Context, eps float64, limit int) (int, error) {
	for iter := 0; iter < limit; iter++ {
		if iter&1023 == 1023 {
			if err := ctx.Err(); err != nil {
				return iter, err
			}
		}
		i, j, gap := b.pair()
		if gap <= eps || j < 0 {
			return iter, nil
		}
		zi, zj := b.up[i], b.down[j]
		curve := max(b.diag[i]+b.diag[j]-2*float64(b.k.At(i, j)), smallCurvature)
		step := (zi - zj) / curve
		step, b.beta[i], b.beta[j] = stepInBox(step, b.beta[i], b.high[i], b.beta[j], b.low[j])
		ki, kj := b.k.Row(i), b.k.Row(j)
		stepPair(b.up, b.down, ki, kj, step)
		b.place(i, zi-step*(float64(ki[i])-float64(kj[i])))
		b.place(j, zj-step*(float64(ki[j])-float64(kj[j])))
	}
	return limit, nil
}

// stepInBox raises a by step and lowers b by it, less where high or low stops
// them; a variable that reaches its bound is put exactly there.
func stepInBox(step, a, high, b, low float64) (taken, newA, newB float64) {
	roomA, roomB := high-a, b-low
	switch {
	case step < roomA && step < roomB:
		return step, a + step, b - step
	case roomA == roomB:
		return roomA, high, low
	case roomA < roomB:
		return roomA, high, b - roomA
	}
	return roomB, a + roomB, low
}

// stepPair takes step·(kᵢ - kⱼ) from z on both sides.
func stepPair[F linalg.Float](up, down []float64, ki, kj []F, step float64) {
	if x, ok := any(ki).([]float32); ok {
		simd.StepTwo(step, x, any(kj).([]float32), up, down)
		return
	}
	n := len(up)
	down, ki, kj = down[:n], ki[:n], kj[:n]
	for t := range up {
		d := step * (float64(ki[t]) - float64(kj[t]))
		up[t] -= d
		down[t] -= d
	}
}

// pair chooses i with the largest z that may be raised, and of the j that may
// be lowered the one whose pair promises the largest decrease (z_i - z_j)²/curvature,
// over all groups; gap is the largest violation.
func (b *block[F]) pair() (bi, bj int, gap float64) {
	bi, bj, gap = -1, -1, math.Inf(-1)
	gain := 0.0
	for _, s := range b.groups {
		i, zi := simd.Largest(b.up[s.lo:s.hi])
		if i < 0 {
			continue
		}
		i += s.lo
		j, g, low := partner(b.down[s.lo:s.hi], b.diag[s.lo:s.hi], b.k.Row(i)[s.lo:s.hi], zi, b.diag[i])
		gap = max(gap, zi-low)
		if j >= 0 && g > gain {
			bi, bj, gain = i, j+s.lo, g
		}
	}
	return bi, bj, gap
}

// partner is the second half of the choice, with the smallest entry of down.
func partner[F linalg.Float](down, diag []float64, ki []F, zi, kii float64) (at int, gain, low float64) {
	if k, ok := any(ki).([]float32); ok {
		return simd.Partner(zi, kii, smallCurvature, down, diag, k)
	}
	at, low = -1, math.Inf(1)
	diag, ki = diag[:len(down)], ki[:len(down)]
	for t, zj := range down {
		d := zi - zj
		if d <= 0 {
			continue
		}
		if zj < low {
			low = zj
		}
		curve := max(kii+diag[t]-2*float64(ki[t]), smallCurvature)
		// d²/curve > gain, without the division.
		if d*d > gain*curve {
			at, gain = t, d*d/curve
		}
	}
	return at, gain, low
}
