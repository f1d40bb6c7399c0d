package gallery

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/project"
	"github.com/mercer-ml/mercer/stat"
	"gonum.org/v1/gonum/mat"
	gonum "gonum.org/v1/gonum/stat"
)

// right counts the points that a machine of a kernel gets right, and returns the machine.
func right(
	t *testing.T, k kernel.Kernel[kernel.Vec], price float64, x data.Points[kernel.Vec], class []int,
) (int, *svm.Classifier[kernel.Vec, int]) {
	t.Helper()
	m, err := svm.Classification[kernel.Vec, int]{Kernel: k, C: price}.Fit(t.Context(), x, class)
	if err != nil {
		t.Fatal(err)
	}
	labels, err := m.Predict(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for i := range class {
		if labels[i] == class[i] {
			count++
		}
	}
	return count, m
}

// No line has more than three of the four corners right; the product of the coordinates tells them
// apart, and so does degree two.
func TestXOR(t *testing.T) {
	x, class := data.Slice[kernel.Vec]{{-1, -1}, {1, 1}, {-1, 1}, {1, -1}}, []int{0, 0, 1, 1}
	phi := kernel.Features(func(x kernel.Vec) kernel.Vec { return kernel.Vec{x[0], x[1], x[0] * x[1]} })
	if n, _ := right(t, kernel.Linear{}, 100, x, class); n > 3 {
		t.Errorf("a line has %d of 4 right", n)
	}
	for _, k := range []kernel.Kernel[kernel.Vec]{phi, kernel.Polynomial{Degree: 2, Gamma: 1, Offset: 1}} {
		if n, _ := right(t, k, 100, x, class); n != 4 {
			t.Errorf("%v: %d of 4 right", k, n)
		}
	}
	// In (x₁, x₂, x₁x₂) the widest strip is |x₁x₂| ≤ 1: f = −x₁x₂ for the class 0, of norm 1.
	_, m := right(t, phi, 100, x, class)
	near(t, "‖f‖", m.Func().Norm(), 1, 1e-3)
}

// The margin of a machine without errors is twice the distance of its nearest point, in features
// where an ellipse is a line.
func TestMarginAndEllipse(t *testing.T) {
	const a, b = 1.5, 0.8
	rng := rand.New(rand.NewPCG(1, 1))
	var x data.Slice[kernel.Vec]
	var class []int
	for len(x) < 120 {
		p := kernel.Vec{4.4*rng.Float64() - 2.2, 2.8*rng.Float64() - 1.4}
		if r := p[0]*p[0]/(a*a) + p[1]*p[1]/(b*b); r < 0.85 || r > 1.15 {
			x, class = append(x, kernel.Vec{p[0] * p[0], p[1] * p[1]}), append(class, map[bool]int{true: 0, false: 1}[r < 1])
		}
	}
	n, m := right(t, kernel.Linear{}, math.Inf(1), x, class)
	if n != len(x) {
		t.Errorf("%d of %d right", n, len(x))
	}
	f := m.Func()
	least := math.Inf(1)
	for i := range x {
		least = min(least, math.Abs(f.At(x[i])[0])/f.Norm())
	}
	near(t, "the distance of the nearest point", least, 1/f.Norm(), 1e-3)
	bias := f.At(kernel.Vec{0, 0})[0]
	near(t, "the first half axis", math.Sqrt(-bias/(f.At(kernel.Vec{1, 0})[0]-bias)), a, 0.1)
	near(t, "the second half axis", math.Sqrt(-bias/(f.At(kernel.Vec{0, 1})[0]-bias)), b, 0.05)
}

// Of three λ the one in the middle has the least error of points left out.
func TestFits(t *testing.T) {
	d := data.Sinc(40, 0.15, 3)
	path, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 0.4}, Intercept: true}.Path(t.Context(),
		data.Line(d.Columns[0].Numbers), d.Columns[1].Numbers)
	if err != nil {
		t.Fatal(err)
	}
	var left [3]float64
	for i, lambda := range []float64{30, 0.2, 1e-8} {
		if left[i], err = path.LeaveOneOutError(lambda); err != nil {
			t.Fatal(err)
		}
	}
	if left[1] > 0.5*left[0] || left[1] > 0.01*left[2] {
		t.Errorf("errors of points left out, squared: %.3g", left)
	}
}

// The error of points left out is least near λ = 0.1, and σ = 0.6.
func TestLambdaAndSigma(t *testing.T) {
	x, y, _ := draw.Peaks()
	left := func(sigma, lambda float64) float64 {
		path, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: sigma}}.Path(t.Context(), data.Line(x),
			y)
		if err != nil {
			t.Fatal(err)
		}
		square, err := path.LeaveOneOutError(lambda)
		if err != nil {
			t.Fatal(err)
		}
		return square
	}
	best := left(0.6, 0.1)
	for _, lambda := range []float64{10, 1e-7} {
		if left(0.6, lambda) < 1.3*best {
			t.Errorf("λ = %g is as good as 0.1", lambda)
		}
	}
	for _, sigma := range []float64{3, 0.05} {
		if left(sigma, 0.1) < 1.2*best {
			t.Errorf("σ = %g is as good as 0.6", sigma)
		}
	}
}

// Three points hold the margin at a high price; at a low one it is wider, and nearly half of the
// points are in it.
func TestSupportVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	var x data.Slice[kernel.Vec]
	var class []int
	for i := range 60 {
		side := float64(2*(i%2) - 1)
		x, class = append(x, kernel.Vec{1.6*side + rng.NormFloat64(), 1.2*side + 0.8*rng.NormFloat64()}), append(class, i%2)
	}
	_, dear := right(t, kernel.Linear{}, 100, x, class)
	_, cheap := right(t, kernel.Linear{}, 0.02, x, class)
	if len(dear.Support()) != 3 || len(cheap.Support()) != 28 || cheap.Func().Norm() > 0.2*dear.Func().Norm() {
		t.Errorf("%d and %d support vectors, ‖f‖ %.2f and %.2f", len(dear.Support()), len(cheap.Support()),
			dear.Func().Norm(), cheap.Func().Norm())
	}
	for _, i := range dear.Support() {
		near(t, "|f| at a support vector", math.Abs(dear.Func().At(x[i])[0]), 1, 1e-2)
	}
}

// Two components tell three clusters apart; each of the next three lies within one of them.
func TestPCA(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var x data.Slice[kernel.Vec]
	for i := range 90 {
		centre := []kernel.Vec{{-0.8, -0.4}, {0, 0.8}, {0.8, -0.1}}[i%3]
		spread := []float64{0.1, 0.08, 0.12}[i%3]
		x = append(x, kernel.Vec{centre[0] + spread*rng.NormFloat64(), centre[1] + spread*rng.NormFloat64()})
	}
	m, err := project.PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: math.Sqrt(0.05)},
		Components: 8}.Fit(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	z := m.Scores()
	for i := range x {
		for j := range x {
			away := math.Hypot(z.At(i, 0)-z.At(j, 0), z.At(i, 1)-z.At(j, 1))
			if i%3 != j%3 && away < 0.3 {
				t.Errorf("points %d and %d of different clusters are %.2f apart", i, j, away)
			}
		}
	}
	for c := 2; c < 5; c++ {
		var energy [3]float64
		for i := range x {
			energy[i%3] += z.At(i, c) * z.At(i, c)
		}
		if largest := max(energy[0], energy[1], energy[2]); largest < 0.75*(energy[0]+energy[1]+energy[2]) {
			t.Errorf("component %d is spread over clusters: %.2f", c+1, energy)
		}
	}
}

// The nearest neighbour in the plane is of another phase for 20 of the hundred flows by principal
// components, for 12 by those of a Gaussian kernel and for 4 by latent points (Lawrence 2005: 20,
// 13 and 4).
func TestOilFlow(t *testing.T) {
	file := "../../../shared/data/oilflow100.csv"
	if _, err := os.Stat(file); err != nil {
		t.Skipf("NOT TESTED: needs the data set oilflow100.csv in ../shared/data: %v", err)
	}
	d, err := load.Read(t.Context(), file, load.Options{Told: data.Kinds(map[string]data.Kind{"label": data.Numeric})})
	if err != nil {
		t.Fatal(err)
	}
	x, scaled, phase := mat.NewDense(d.Len(), 12, nil), mat.NewDense(d.Len(), 12, nil), d.Columns[12].Numbers
	for j := range 12 {
		x.SetCol(j, d.Columns[j].Numbers)
		mean, std := gonum.PopMeanStdDev(d.Columns[j].Numbers, nil)
		for i, v := range d.Columns[j].Numbers {
			scaled.Set(i, j, (v-mean)/std)
		}
	}
	strangers := func(z *mat.Dense) int { return draw.Strangers(z, phase) }
	components := func(k kernel.Kernel[kernel.Vec], x *mat.Dense) *mat.Dense {
		m, err := project.PCA[kernel.Vec]{Kernel: k, Components: 2}.Fit(t.Context(), data.Rows(x))
		if err != nil {
			t.Fatal(err)
		}
		return m.Scores()
	}
	latent, err := project.GPLVM{Iterations: 300}.Fit(t.Context(), data.Rows(x))
	if err != nil {
		t.Fatal(err)
	}
	linear, curved, process := strangers(components(kernel.Linear{}, x)),
		strangers(components(kernel.Gaussian{Lengthscale: 1.58}, scaled)), strangers(latent.Latent())
	if linear != 20 || curved != 12 || process != 4 {
		t.Errorf("%d, %d and %d errors", linear, curved, process)
	}
}

// The witness is negative at the peak of the Laplace distribution, and its squared norm is the
// biased estimate.
func TestWitness(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	normal, laplace := make([]float64, 600), make([]float64, 600)
	for i := range normal {
		normal[i] = rng.NormFloat64()
		laplace[i] = math.Copysign(rng.ExpFloat64()/math.Sqrt2, rng.Float64()-0.5)
	}
	k := kernel.Gaussian{Lengthscale: 0.5}
	f, err := stat.Witness(t.Context(), k, data.Line(normal), data.Line(laplace))
	if err != nil {
		t.Fatal(err)
	}
	if at0, at1 := f.At(kernel.Vec{0})[0], f.At(kernel.Vec{1.3})[0]; at0 > -0.05 || at1 < 0.02 {
		t.Errorf("the witness is %.3f at 0 and %.3f at 1.3", at0, at1)
	}
	r, err := stat.MMD[kernel.Vec]{Kernel: k, Estimate: stat.Biased,
		TestSettings: stat.TestSettings{Permutations: 99, Seed: 1}}.Test(t.Context(), data.Line(normal), data.Line(laplace))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "MMD²", r.Statistic, f.Norm()*f.Norm(), 1e-12)
	near(t, "p", r.P, 0.01, 1e-12) // none of 99 is larger
}

func TestHSIC(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := make([]float64, 200), make([]float64, 200)
	for i := range x {
		s, c := math.Sincos(2 * math.Pi * rng.Float64())
		x[i], y[i] = c+0.1*rng.NormFloat64(), s+0.1*rng.NormFloat64()
	}
	k := kernel.Gaussian{Lengthscale: 0.5}
	r, err := stat.HSIC[kernel.Vec, kernel.Vec]{KernelX: k, KernelY: k,
		TestSettings: stat.TestSettings{Permutations: 99, Seed: 1}}.Test(t.Context(), data.Line(x), data.Line(y))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "p", r.P, 0.01, 1e-12)
	near(t, "the correlation", gonum.Correlation(x, y, nil), 0, 2/math.Sqrt(200))
}
