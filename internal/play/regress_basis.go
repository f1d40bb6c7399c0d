package play

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/ridge"
)

// Design is the matrix of basis functions at the points, a row for each point in the order of their
// inputs.
type Design struct {
	Rows   int   `json:"rows"`
	Values Drawn `json:"values"` // row after row
}

// basis is K functions k(·, μⱼ) at even centres, of which a linear model is made.
type basis struct {
	kernel     kernel.Kernel[vec]
	centers    []float64
	normalised bool // divided by their sum, where it is not 0
}

// basisOf spreads centres evenly over the inputs.
func basisOf(s lineSettings, x data.Points[vec]) basis {
	low, high := x.At(0)[0], x.At(0)[0]
	for i := range x.Len() {
		low, high = min(low, x.At(i)[0]), max(high, x.At(i)[0])
	}
	b := basis{kernel: s.kernel, centers: []float64{(low + high) / 2}, normalised: s.params["normalised"] != 0}
	if n := int(s.params["centres"]); n > 1 {
		b.centers = spread(low, high, n)
	}
	return b
}

// at is φ(x).
func (b basis) at(x vec) vec {
	out, sum := make(vec, len(b.centers)), 0.0
	for j, c := range b.centers {
		out[j] = b.kernel.Eval(x, vec{c})
		sum += out[j]
	}
	if b.normalised && sum != 0 {
		for j := range out {
			out[j] /= sum
		}
	}
	return out
}

// model is ridge regression on the features, λ‖w‖² the penalty: by the kernel φ(x)ᵀφ(y).
func (b basis) model(lambda float64) ridge.Regression[vec] {
	return ridge.Regression[vec]{Kernel: kernel.Features(b.at), Lambda: lambda, Intercept: true}
}

// mostCenters is how many columns of a design matrix can be told apart.
const mostCenters = 100

func fitBasis(ctx context.Context, s lineSettings, x data.Points[vec], y []float64) (*lineModel, error) {
	if n := s.params["centres"]; n < 1 || n > mostCenters {
		return nil, &Fault{Field: "params.centres", Message: "give 1 to 100 centres"}
	}
	if x.Len() == 0 {
		return nil, &Fault{Field: "points", Message: "no points; place two or more"}
	}
	b := basisOf(s, x)
	m, err := b.model(s.params["lambda"]).Fit(ctx, x, y)
	if err != nil {
		return nil, err
	}
	f := m.Func()
	w := make(vec, len(b.centers)) // Σ αᵢφ(xᵢ)
	for i := range f.Centers.Len() {
		for j, v := range b.at(f.Centers.At(i)) {
			w[j] += f.Coef.At(i, 0) * v
		}
	}
	return &lineModel{predict: m.Predict, report: m.Report(), bias: f.Bias,
		terms: func(x []float64) []Drawn { return b.curves(x, w) },
		more: func(_ context.Context, out *Regressed, _ data.Points[vec]) error {
			ones := make(vec, len(w))
			for j := range ones {
				ones[j] = 1
			}
			out.Basis, out.Design = b.curves(out.X, ones), b.design(x)
			out.Readings = append(out.Readings, reading("norm", "‖w‖", f.Norm()))
			return nil
		}}, nil
}

// curves is wⱼφⱼ along a line.
func (b basis) curves(x []float64, w vec) []Drawn {
	out := make([]Drawn, len(w))
	for j := range out {
		out[j] = make(Drawn, len(x))
	}
	for i, v := range x {
		for j, phi := range b.at(vec{v}) {
			out[j][i] = w[j] * phi
		}
	}
	return out
}

func (b basis) design(x data.Points[vec]) *Design {
	inputs := make([]float64, x.Len())
	for i := range inputs {
		inputs[i] = x.At(i)[0]
	}
	slices.Sort(inputs)
	out := &Design{Rows: len(inputs)}
	for _, v := range inputs {
		out.Values = append(out.Values, b.at(vec{v})...)
	}
	return out
}

// leaveOutBasis has all λ from one eigendecomposition, the centres as they are.
func leaveOutBasis(ctx context.Context, s lineSettings, x data.Points[vec], y, values []float64) ([]float64, error) {
	return pathErrors(ctx, basisOf(s, x).model(0), x, y, values)
}
