package kernel_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// commonPrefix is a kernel on strings: one method is all it takes.
type commonPrefix struct{}

func (commonPrefix) Eval(a, b string) float64 {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return float64(n)
}

func ExampleKernel() {
	var k kernel.Kernel[string] = commonPrefix{}
	fmt.Println(k.Eval("kernel", "kettle"), kernel.Exp(k).Eval("a", "b"))
	// Output: 2 1
}

func ExampleBlocker() {
	var k kernel.Blocker[int] = kernel.Precomputed{K: mat.NewDense(2, 2, []float64{1, 0.5, 0.5, 1})}
	dst := mat.NewDense(1, 2, nil)
	k.Block(dst, data.Slice[int]{1}, data.Slice[int]{0, 1})
	fmt.Println(dst.RawRowView(0))
	// Output: [0.5 1]
}

func ExampleProfiled() {
	var k kernel.Profiled = kernel.Gaussian{Lengthscale: 1}
	m := []float64{0, 2}
	k.Profile(m) // κ of the squared distances 0 and 2
	fmt.Printf("%v %.4f\n", k.Metric(), m)
	// Output: squared distance [1.0000 0.3679]
}

func ExampleProfiled32() {
	var k kernel.Profiled32 = kernel.Gaussian{Lengthscale: 1}
	m := []float32{0, 2}
	k.Profile32(m)
	fmt.Printf("%.4f\n", m)
	// Output: [1.0000 0.3679]
}

func ExampleDifferentiable() {
	var k kernel.Differentiable = kernel.Gaussian{Lengthscale: 1}
	m, slope, byLengthscale := []float64{2}, []float64{0}, []float64{0}
	k.ProfileGrad(slope, [][]float64{byLengthscale}, m)
	fmt.Printf("%.4f %.4f\n", slope, byLengthscale)
	// Output: [-0.1839] [0.7358]
}

func ExamplePairDifferentiable() {
	var k kernel.PairDifferentiable[kernel.Vec] = kernel.Fourier{Coef: []float64{1, 0.5}}
	d := make([]float64, 2)
	k.EvalGrad(kernel.Vec{0}, kernel.Vec{math.Pi}, d) // 1 and 2cos π
	fmt.Println(d)
	// Output: [1 -2]
}

func ExampleInputDifferentiable() {
	var k kernel.InputDifferentiable = kernel.Sobolev{Order: 1}
	d := make(kernel.Vec, 1)
	k.InputGrad(d, kernel.Vec{0.2}, kernel.Vec{0.5}) // of 1 + min(x, y)
	fmt.Println(d)
	// Output: [1]
}

func ExampleNamed() {
	var k kernel.Named = kernel.RationalQuadratic{}
	fmt.Println(k.Name())
	// Output: rq
}

func ExampleValidator() {
	var k kernel.Validator = kernel.Gaussian{Lengthscale: -2}
	fmt.Println(k.Validate())
	// Output: kernel: gaussian: lengthscale = -2, want a finite number > 0
}

func ExamplePointChecker() {
	var k kernel.PointChecker[kernel.Vec] = kernel.Sobolev{}
	fmt.Println(k.CheckPoints(data.Slice[kernel.Vec]{{0.5}, {1.5}}))
	// Output: kernel: sobolev: row 1, column 0 is 1.5, outside [0, 1] (scale the column)
}

func ExampleTunable() {
	var k kernel.Tunable[kernel.Vec] = kernel.Gaussian{Lengthscale: 2}
	fmt.Println(k.Params()[0].Name, k.Params()[0].Value, k.With([]float64{3}))
	// Output: gaussian.lengthscale 2 {3}
}

func ExamplePropertied() {
	var k kernel.Propertied = kernel.Matern{Nu: 2.5}
	fmt.Println(k.Properties())
	// Output: psd yes, strict yes, k(x,x) ≤ 1, continuous yes, smoothness 2, analytic no, stationary yes, isotropic yes, universal yes, characteristic yes
}

func ExampleProperties() {
	p := kernel.PropertiesOf[kernel.Vec](kernel.Sinc{})
	fmt.Println(p.Universal, p.Characteristic)
	// Output: yes no
}

func ExampleTri() {
	fmt.Println(kernel.Yes, kernel.No, kernel.Unknown)
	// Output: yes no unknown
}

func ExampleDomain() {
	d := kernel.Domain{Low: 0, High: math.Inf(1), OpenLow: true}
	fmt.Println(d, d.Contains(1), d.Contains(0))
	// Output: (0, +Inf) true false
}

func ExampleMetric() {
	fmt.Println(kernel.SqDist, kernel.SqDist.Between(x, y), kernel.MinSum.Between(x, y))
	// Output: squared distance 5 2
}

func ExampleFeatureMapper() {
	var k kernel.FeatureMapper = kernel.Monomials{Degree: 2}
	phi := make(kernel.Vec, k.FeatureDim(1))
	k.Features(phi, kernel.Vec{3})
	fmt.Println(phi)
	// Output: [1 3 9]
}

func ExampleTiles() {
	t := kernel.Prepare[kernel.Vec](context.Background(), kernel.Linear{}, three, three)
	r, c := t.Dims()
	double, single := mat.NewDense(1, 2, nil).RawMatrix(),
		blas32.General{Rows: 1, Cols: 2, Stride: 2, Data: make([]float32, 2)}
	t.Tile(double, 2, 1)
	t.Tile32(single, 2, 1)
	fmt.Println(r, c, double.Data, single.Data, t.Err())
	// Output: 3 3 [50 100] [50 100] <nil>
}

func ExampleSelector() {
	t := kernel.Prepare[kernel.Vec](context.Background(), kernel.Linear{}, three, three).(kernel.Selector)
	part := t.Select([]int{2, 1}, []int{1})
	dst := mat.NewDense(2, 1, nil).RawMatrix()
	part.Tile(dst, 0, 0)
	fmt.Println(dst.Data)
	// Output: [50 25]
}

func ExampleOperator() {
	var k kernel.Operator[kernel.Vec] = kernel.Separable[kernel.Vec]{Kernel: kernel.Linear{},
		B: mat.NewSymDense(2, []float64{1, 0.5, 0.5, 1})}
	m := mat.NewDense(k.Outputs(), k.Outputs(), nil)
	k.EvalTo(m, x, y)
	fmt.Println(mat.Formatted(m))
	// Output:
	// ⎡  5  2.5⎤
	// ⎣2.5    5⎦
}

func ExampleSeparable_Scalar() {
	k := kernel.Separable[kernel.Vec]{Kernel: kernel.Linear{}, B: mat.NewSymDense(2, []float64{1, 0.5, 0.5, 1})}
	s := k.Scalar()
	fmt.Println(s.Eval(kernel.Output[kernel.Vec]{First: x, Second: 0}, kernel.Output[kernel.Vec]{First: y, Second: 1}))
	// Output: 2.5
}

func ExampleConvention_Lengthscale() {
	fmt.Println(kernel.SklearnGamma.Lengthscale(0.5))
	// Output: 1
}

// cosineWave is a user's stationary kernel that knows its spectral measure: ±1.
type cosineWave struct{}

func (cosineWave) Eval(x, y kernel.Vec) float64 { return math.Cos(x[0] - y[0]) }
func (cosineWave) SpectralMeasure(int) (kernel.Spectral, error) {
	return kernel.SpectralOf(kernel.Fourier{Coef: []float64{0, 0.5}}, 1)
}

func ExampleStationarity() {
	var k kernel.Stationarity = cosineWave{}
	s, err := k.SpectralMeasure(1)
	fmt.Println(s.Mass(), err)
	// Output: 1 <nil>
}

func ExampleSpectral() {
	s, _ := kernel.SpectralOf(kernel.Fourier{Coef: []float64{0, 0.5}}, 1)
	w := make([]float64, 1)
	s.SampleFrequency(w, rand.New(rand.NewPCG(1, 1)))
	fmt.Println(math.Abs(w[0]), s.Mass())
	// Output: 1 1
}

func ExampleIndependentSpectral() {
	s, _ := kernel.SpectralOf(kernel.Sinc{Bandwidth: 2}, 3)
	fmt.Println(s.(kernel.IndependentSpectral).Quantile(0.25)) // uniform on [-2, 2]
	// Output: -1
}

// rowsWith has rows of kernel values for its second argument: nothing to compare dimensions with.
type rowsWith struct{ kernel.Linear }

func (rowsWith) CheckPair(x, y data.Points[kernel.Vec]) error {
	for i := range y.Len() {
		if len(y.At(i)) < x.Len() {
			return fmt.Errorf("row %d has %d values for %d objects", i, len(y.At(i)), x.Len())
		}
	}
	return nil
}

func ExamplePairChecker() {
	var k kernel.PairChecker[kernel.Vec] = rowsWith{}
	objects := data.Slice[kernel.Vec]{{0}, {1}}
	fmt.Println(k.CheckPair(objects, data.Slice[kernel.Vec]{{3, 4}, {5}}))
	// Output: row 1 has 1 values for 2 objects
}
