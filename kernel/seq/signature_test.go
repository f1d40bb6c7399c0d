package seq

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/kernel"
)

// tensors is an element of the tensor algebra up to a level: level m has dᵐ numbers.
type tensors [][]float64

func tensorProduct(a, b tensors) tensors {
	out := make(tensors, len(a))
	for m := range out {
		out[m] = make([]float64, len(a[m]))
		for p := range m + 1 {
			for i, u := range a[p] {
				for j, v := range b[m-p] {
					out[m][i*len(b[m-p])+j] += u * v
				}
			}
		}
	}
	return out
}

// signatureOf is the product over the steps of Σ_{q≤order} Δ^{⊗q}/q!, by Chen's identity.
func signatureOf(s Series, level, order int) tensors {
	d := s.Channels()
	one := make(tensors, level+1)
	for m, size := 0, 1; m <= level; m, size = m+1, size*d {
		one[m] = make([]float64, size)
	}
	one[0][0] = 1
	total := one
	for i := 1; i < s.Len(); i++ {
		step := make(tensors, level+1)
		for m := range step {
			step[m] = make([]float64, len(one[m]))
		}
		step[0][0] = 1
		for m := 1; m <= min(level, order); m++ {
			for q, v := range step[m-1] {
				for c := range d {
					step[m][q*d+c] = v * (s.At(i)[c] - s.At(i - 1)[c]) / float64(m)
				}
			}
		}
		total = tensorProduct(total, step)
	}
	return total
}

func tensorDot(a, b tensors) float64 {
	s := 0.0
	for m := range a {
		s += inner(a[m], b[m])
	}
	return s
}

func TestSignatureEqualsTensors(t *testing.T) {
	for _, channels := range []int{1, 2, 3} {
		all := walks(31, 8, 6, channels)
		for level := 1; level <= 4; level++ {
			for order := 1; order <= level; order++ {
				for _, x := range all {
					for _, y := range all {
						want := tensorDot(signatureOf(x, level, order), signatureOf(y, level, order))
						agree(t, "signature", Signature{Level: level, Order: order}.Eval(x, y), want, 1e-12)
						agree(t, "static", Signature{Level: level, Order: order, Static: kernel.Linear{}}.Eval(x, y), want, 1e-11)
						if order == 1 {
							agree(t, "low rank, whole", LowRankSignature{Level: level, Rank: 81}.Eval(x, y), want, 1e-12)
						}
					}
				}
			}
		}
	}
}

func TestSignaturePDE(t *testing.T) {
	// One step each: u(1, 1) = Σ Δᵐ/(m!)².
	for _, delta := range []float64{0.5, -0.8, 3} {
		want, term := 1.0, 1.0
		for m := 1.0; m < 40; m++ {
			term *= delta / (m * m)
			want += term
		}
		x, y := Univariate([]float64{0, 1}), Univariate([]float64{2, 2 + delta})
		agree(t, "straight lines", SignaturePDE{}.Eval(x, y), want, 1e-14)
		agree(t, "straight lines, grid", SignaturePDE{Grid: 256}.Eval(x, y), want, 1e-5)
	}
	// Paths of many lines, against a signature of so many levels that the rest is below rounding;
	// the error of the grid falls as 1/Grid².
	for _, channels := range []int{1, 2} {
		all := walks(33, 5, 7, channels)
		for _, x := range all {
			for _, y := range all {
				want := Signature{Level: 16, Order: 16}.Eval(x, y)
				agree(t, "all levels", SignaturePDE{}.Eval(x, y), want, 1e-12)
				coarse := math.Abs(SignaturePDE{Grid: 8}.Eval(x, y) - want)
				fine := math.Abs(SignaturePDE{Grid: 32}.Eval(x, y) - want)
				if fine > 1e-3*(1+math.Abs(want)) || coarse > 1e-6 && (fine > coarse/10 || fine < coarse/25) {
					t.Errorf("errors %v and, four times as fine, %v, at %v", coarse, fine, want)
				}
			}
		}
	}
}

// Over seeds the mean of the projected kernel is the exact one.
func TestLowRankSignatureIsUnbiased(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	x, y := walk(rng, 6, 3), walk(rng, 5, 3)
	want := Signature{Level: 3}.Eval(x, y)
	for _, rank := range []int{5, 20} {
		mean, square, seeds := 0.0, 0.0, 3000.0
		for seed := range int(seeds) {
			v := LowRankSignature{Level: 3, Rank: rank, Seed: uint64(seed)}.Eval(x, y)
			mean += v / seeds
			square += (v - want) * (v - want) / seeds
		}
		if se := math.Sqrt(square / seeds); math.Abs(mean-want) > 5*se || se == 0 {
			t.Errorf("rank %d: the mean is %v ± %v, want %v", rank, mean, se, want)
		}
	}
	// With all steps as landmarks the Nyström features are those of the static kernel.
	static := kernel.Gaussian{Lengthscale: 1.5}
	var landmarks []kernel.Vec
	for _, s := range []Series{x, y} {
		for i := range s.Len() {
			landmarks = append(landmarks, s.At(i))
		}
	}
	lifted := LowRankSignature{Level: 2, Rank: 1000, Static: static, Landmarks: landmarks}
	agree(t, "landmarks", lifted.Eval(x, y), Signature{Level: 2, Static: static}.Eval(x, y), 1e-8)
	three := walks(35, 8, 6, 3)
	kerneltest.Run[Series](t, lifted, kerneltest.Options[Series]{Points: three})
	if err := lifted.CheckPoints(walks(36, 3, 5, 2)); err == nil ||
		!strings.Contains(err.Error(), "row 0 has 2 channels") {
		t.Errorf("series with other channels than the landmarks give the error %v", err)
	}
	if f := (LowRankSignature{Level: 2}).Features(Univariate([]float64{1, 3})); len(f) != 3 || f[0] != 1 || f[1] != 2 ||
		f[2] != 0 {
		t.Errorf("the features of one step are %v", f)
	}
}

func TestSeriesGetStartAndTime(t *testing.T) {
	s := Univariate([]float64{5, 6, 8})
	if b := s.WithStart(); b.Len() != 4 || b.At(0)[0] != 0 || b.At(3)[0] != 8 {
		t.Errorf("with a start: %v", b)
	}
	if b := s.WithTime(); b.Channels() != 2 || b.At(1)[0] != 0.5 || b.At(2)[1] != 8 {
		t.Errorf("with time: %v", b)
	}
	if b := Univariate(nil).WithTime(); b.Len() != 0 || b.Channels() != 2 {
		t.Errorf("nothing with time: %v", b)
	}
}

// TestLagsOfSeries: the channels of the step before, and the area between a series and itself a
// step later, which is half its quadratic variation.
func TestLagsOfSeries(t *testing.T) {
	s := Univariate([]float64{5, 6, 8})
	for want, b := range map[string]Series{"[5 5 6 5 8 6]": s.WithLag(), "[5 5 6 5 6 6 8 6 8 8]": s.LeadLag(),
		"[]": Univariate(nil).LeadLag()} {
		if got := fmt.Sprint(b.values); got != want || b.Channels() != 2 {
			t.Errorf("%d channels of %s in place of %s", b.Channels(), got, want)
		}
	}
	b, area := s.LeadLag(), 0.0
	for i := 1; i < b.Len(); i++ {
		lead, lag := b.At(i - 1)[0], b.At(i - 1)[1]
		area += (lag*(b.At(i)[0]-lead) - lead*(b.At(i)[1]-lag)) / 2
	}
	if want := (1.0 + 4.0) / 2; math.Abs(area+want) > 1e-12 {
		t.Errorf("the area is %g, half the quadratic variation is %g", area, want)
	}
}

func TestSeriesKernelsRefuseBadParameters(t *testing.T) {
	for want, k := range map[string]kernel.Kernel[Series]{
		"gak: width = -1":              GlobalAlignment{-1},
		"tga: band = 0":                TriangularAlignment{1, 0},
		"signature: level = -1":        Signature{Level: -1},
		"gaussian":                     Signature{Static: kernel.Gaussian{Lengthscale: -1}},
		"sigpde: grid = -1":            SignaturePDE{Grid: -1},
		"lowranksignature: 0 landmark": LowRankSignature{Static: kernel.Linear{}},
		"dtw: band = -1":               Warping{Band: -1},
		"autoregressive: prior = -1":   Autoregressive{Prior: -1},
		"fourierseries: decay = 1":     FourierSeries{1},
		"windows: length = -1":         Windows{Length: -1},
	} {
		if err := kernel.Validate(k); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	err := kernel.Check(kernel.Kernel[Series](Windows{Kernel: kernel.ChiSquare{}}),
		data.Points[Series](data.Slice[Series]{Univariate([]float64{1}), Univariate([]float64{-1})}))
	if err == nil || !strings.Contains(err.Error(), "row 1") {
		t.Errorf("windows that the inner kernel refuses give the error %v", err)
	}
	if err := (Autoregressive{Degrees: 0.5}).CheckPoints(walks(1, 3, 4, 2)); err == nil {
		t.Error("too few degrees of freedom are accepted")
	}
}

// allTerms is u(1, 1) of the Goursat problem with as many powers in every cell as the worst one
// needs, term by term.
func allTerms(nabla table) float64 {
	n := terms(nabla)
	lower := make([][]float64, nabla.cols)
	for j := range lower {
		lower[j] = make([]float64, n)
		lower[j][0] = 1
	}
	for i := range nabla.rows {
		left := make([]float64, n)
		left[0] = 1
		for j, delta := range nabla.row(i) {
			upper, right := make([]float64, n), make([]float64, n)
			c := newTable(n, n)
			for p := range n {
				for q := range n {
					switch v := &c.v[p*n+q]; {
					case q == 0:
						*v = lower[j][p]
					case p == 0:
						*v = left[q]
					default:
						*v = delta * c.v[(p-1)*n+q-1] / float64(p*q)
					}
					upper[p] += c.v[p*n+q]
					right[q] += c.v[p*n+q]
				}
			}
			lower[j], left = upper, right
		}
	}
	sum := 0.0
	for _, v := range lower[nabla.cols-1] {
		sum += v
	}
	return sum
}

func TestGoursatCellsLeaveOutWhatDoesNotCount(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	for _, size := range [][2]int{{1, 1}, {1, 30}, {30, 1}, {40, 25}, {60, 60}} {
		for _, scale := range []float64{0, 1e-8, 0.05, 0.3, 1} {
			nabla := newTable(size[0], size[1])
			x, y := make([]float64, size[0]), make([]float64, size[1])
			for i := range x {
				x[i] = scale * r.NormFloat64()
			}
			for j := range y {
				y[j] = scale * r.NormFloat64()
			}
			for i := range nabla.rows {
				for j, v := range y {
					nabla.row(i)[j] = x[i]*v + scale*0.01
				}
			}
			agree(t, fmt.Sprint(size, scale), goursatSeries(nabla), allTerms(nabla), 1e-11)
		}
	}
}
