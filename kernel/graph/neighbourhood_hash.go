package graph

import (
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// NeighbourhoodHash compares graphs by labels of b bits that a round of hashing spreads to the
// neighbours,
//
//	l_{t+1}(v) = rot₁(l_t(v)) ⊕ l_t(u₁) ⊕ … ⊕ l_t(u_d),
//
// u₁, …, u_d the neighbours of v and rot_s a rotation by s bits. With CountSensitive the o
// neighbours that share a label a count once, as rot_o(a ⊕ o), where otherwise two of them cancel.
// The kernel is the mean over t = 0, …, R = Iterations of
//
//	c_t/(n + n' − c_t),   c_t = Σ_a min(#{v ∈ G: l_t(v) = a}, #{v' ∈ G': l_t(v') = a}),
//
// the shared part of the labels (S. Hido and H. Kashima, A linear-time graph kernel, ICDM 2009).
// Bits is b, 32 when zero, at most 64; few bits make collisions, which is a coarser kernel, not an
// error. The bits of a label at the start are those of a hash of it. Graphs without nodes have
// value 0.
type NeighbourhoodHash struct {
	Iterations     int
	Bits           int
	CountSensitive bool
}

// Name is "neighbourhoodhash".
func (NeighbourhoodHash) Name() string { return "neighbourhoodhash" }

func (k NeighbourhoodHash) width() int {
	if k.Bits == 0 {
		return 32
	}
	return k.Bits
}

// startBits is the label at the start.
func (k NeighbourhoodHash) startBits(label int) uint64 {
	return mix(uint64(label)+0x9e3779b97f4a7c15) >> (64 - k.width())
}

// rotate moves the bits of a label to the left, in a circle.
func (k NeighbourhoodHash) rotate(v uint64, by int) uint64 {
	b := k.width()
	by %= b
	return (v<<by | v>>(b-by)) & (1<<b - 1)
}

// hashed are the sorted labels of a graph for each t.
type hashed [][]uint64

func (k NeighbourhoodHash) prepare(g Graph) hashed {
	f := newForm(g)
	now, next := make([]uint64, f.n), make([]uint64, f.n)
	for i := range now {
		label := 0
		if f.label != nil {
			label = f.label[i]
		}
		now[i] = k.startBits(label)
	}
	var out hashed
	var around []uint64
	for t := range k.Iterations + 1 {
		sorted := slices.Clone(now)
		slices.Sort(sorted)
		out = append(out, sorted)
		if t == k.Iterations {
			break
		}
		for i := range next {
			around = around[:0]
			for _, j := range f.neighbours(i) {
				around = append(around, now[j])
			}
			next[i] = k.rotate(now[i], 1) ^ k.gather(around)
		}
		now, next = next, now
	}
	return out
}

// gather puts the labels of the neighbours into one.
func (k NeighbourhoodHash) gather(around []uint64) uint64 {
	h := uint64(0)
	if !k.CountSensitive {
		for _, v := range around {
			h ^= v
		}
		return h
	}
	slices.Sort(around)
	for i := 0; i < len(around); {
		j := i
		for j < len(around) && around[j] == around[i] {
			j++
		}
		h ^= k.rotate((around[i]^uint64(j-i))&(1<<k.width()-1), j-i)
		i = j
	}
	return h
}

func (k NeighbourhoodHash) between(x, y hashed) float64 {
	if len(x[0]) == 0 && len(y[0]) == 0 {
		return 0
	}
	s := 0.0
	for t := range x {
		a, b, common := x[t], y[t], 0
		for i, j := 0, 0; i < len(a) && j < len(b); {
			switch {
			case a[i] < b[j]:
				i++
			case a[i] > b[j]:
				j++
			default:
				common++
				i++
				j++
			}
		}
		s += float64(common) / float64(len(a)+len(b)-common)
	}
	return s / float64(len(x))
}

// Eval is the mean of the shared parts of the labels.
func (k NeighbourhoodHash) Eval(x, y Graph) float64 { return k.between(k.prepare(x), k.prepare(y)) }

// PreparePoints hashes each graph once.
func (k NeighbourhoodHash) PreparePoints(ctx context.Context, x, y data.Points[Graph]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, k.prepare, k.between)
}

// Params is the number of iterations.
func (k NeighbourhoodHash) Params() []kernel.Param {
	return []kernel.Param{count("neighbourhoodhash.rounds", k.Iterations)}
}

// With sets the number of iterations.
func (k NeighbourhoodHash) With(theta []float64) kernel.Kernel[Graph] {
	k.Iterations = int(theta[0])
	return k
}

// Validate refuses a negative number of iterations, and more bits than 64.
func (k NeighbourhoodHash) Validate() error {
	if k.Bits < 0 || k.Bits > 64 {
		return fmt.Errorf("kernel: neighbourhoodhash: bits = %d, want 1 to 64", k.Bits)
	}
	return mustBeCount("neighbourhoodhash", "rounds", k.Iterations)
}

// CheckPoints refuses graphs that make no sense, and labels on some graphs alone.
func (NeighbourhoodHash) CheckPoints(x data.Points[Graph]) error {
	return checkGraphs("neighbourhoodhash", x)
}

// Properties of a mean of min/max kernels.
func (NeighbourhoodHash) Properties() kernel.Properties { return psd(1) }
