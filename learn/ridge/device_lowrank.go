package ridge

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// deviceLowRank is the preconditioner (FFᵀ + λI)⁻¹ on a device, F = SΦ with the features of all
// points by some of them: by the Woodbury identity
//
//	(I - FA⁻¹Fᵀ/λ)/λ,   A = I + FᵀF/λ.
type deviceLowRank struct {
	f      *gram.FeatureRows
	a      *gram.FeatureMoment
	s      []float64 // of S, nil for ones
	lambda float64
	while  context.Context // ends when the device fails
	stop   context.CancelFunc
	err    error
}

// drawn is in how many rounds points are drawn; jitter is what is tried on the diagonal of theirs.
const drawn = 8

var jitter = []float64{0, 1e-12, 1e-10, 1e-8, 1e-6}

// lowRankOnDevice draws points in rounds, each in proportion to what the ones before leave of k(x,
// x) (blocks of RPCholesky; Chen, Epperly, Tropp and Webber 2022). The features are made anew in
// every round: n·r² operations are little on a device. It is nil where the device cannot.
func (p *ridgeProblem) lowRankOnDevice(ctx context.Context, rank int, seed uint64) *deviceLowRank {
	k, vectors := kernel.Concrete(p.kernel).(kernel.Kernel[kernel.Vec])
	x, also := data.VectorsOf(p.x)
	if p.Device == nil || !vectors || !also {
		return nil
	}
	n := x.Len()
	self := make([]float64, n)
	if kernel.Diag(ctx, k, self, x) != nil {
		return nil
	}
	whole, left := 0.0, slices.Clone(self)
	for _, v := range self {
		whole += v
	}
	rng := rand.New(rand.NewPCG(seed, 0x59c0))
	rows, none := data.NewInMemory(x, nil, 0, nil), make([]bool, len(kernel.Params(k)))
	var index []int
	for {
		index = drawMore(rng, index, left, min(rank, len(index)+(rank+drawn-1)/drawn))
		f, err := gram.NewFeatureRows(ctx, p.Device, k, rows, data.Gather(x, index), none, jitter)
		if err != nil {
			return nil
		}
		rest := 0.0
		for i, v := range f.Known() {
			left[i] = math.Max(self[i]-v, 0)
			rest += left[i]
		}
		if len(index) < rank && rest > leastLeft*whole {
			f.Close()
			continue
		}
		return p.preconditioner(ctx, f)
	}
}

// preconditioner is that of features, which it owns.
func (p *ridgeProblem) preconditioner(ctx context.Context, f *gram.FeatureRows) *deviceLowRank {
	weights := slices.Repeat([]float64{1 / p.lambda}, len(p.keep))
	for i, s := range p.s {
		weights[i] = s * s / p.lambda
	}
	a, err := f.Moment(weights)
	if err != nil {
		f.Close()
		return nil
	}
	d := &deviceLowRank{f: f, a: a, s: p.s, lambda: p.lambda}
	d.while, d.stop = context.WithCancel(ctx)
	return d
}

// drawMore adds distinct places to index, in proportion to weights, until there are count of them.
func drawMore(rng *rand.Rand, index []int, weights []float64, count int) []int {
	sums, taken := make([]float64, len(weights)), make([]bool, len(weights))
	for _, i := range index {
		taken[i] = true
	}
	for len(index) < count {
		total := 0.0
		for i, w := range weights {
			if taken[i] {
				w = 0
			}
			total += w
			sums[i] = total
		}
		if !(total > 0) { // nothing is left of any: the first ones will do
			return append(index, slices.Index(taken, false))
		}
		for tries := count - len(index); tries > 0; tries-- {
			at := rng.Float64() * total
			if i := sort.Search(len(sums), func(i int) bool { return sums[i] > at }); i < len(sums) && !taken[i] {
				taken[i] = true
				index = append(index, i)
			}
		}
	}
	return index
}

// ApplyTo sets dst to the preconditioner times r. Where the device fails, what dst gets is
// worthless, and while ends.
func (d *deviceLowRank) ApplyTo(dst, r *mat.Dense) {
	from, to := linalg.Of(r), linalg.Of(dst)
	u, v := make([]float64, from.Rows), make([]float64, d.f.Dim())
	for c := range from.Cols {
		for i := range u {
			u[i] = d.scale(i) * from.At(i, c) / d.lambda
		}
		if d.err == nil {
			d.err = d.f.TransposedTo(v, u)
		}
		if d.err == nil {
			d.err = d.a.SolveTo(v)
		}
		if d.err == nil {
			d.err = d.f.TimesTo(u, v)
		}
		if d.err != nil {
			d.stop()
			clear(u)
		}
		for i := range u {
			to.Set(i, c, (from.At(i, c)-d.scale(i)*u[i])/d.lambda)
		}
	}
}

func (d *deviceLowRank) scale(i int) float64 {
	if d.s == nil {
		return 1
	}
	return d.s[i]
}

func (d *deviceLowRank) close() {
	d.stop()
	d.a.Close()
	d.f.Close()
}
