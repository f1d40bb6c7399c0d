package rkhs

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
)

// insensitive is max(0, |z-y| - 0.1), with two kinks; quantile is the loss of the 0.8 quantile.
var (
	insensitive = LossFunc(func(y, z float64) (float64, float64) {
		if r := z - y; math.Abs(r) > 0.1 {
			return math.Abs(r) - 0.1, math.Copysign(1, r)
		}
		return 0, 0
	})
	quantile = LossFunc(func(y, z float64) (float64, float64) {
		if z < y {
			return 0.8 * (y - z), -0.8
		}
		return 0.2 * (z - y), 0.2
	})
)

// With a bias a loss that is linear far out holds nothing in place: of the hinge a bias of 1e42 was
// given for a solution where λ is 0.266 or 20.
func TestKinksWithBias(t *testing.T) {
	x, y, one := points(24, 2, 1), signs(24), make([]float64, 24)
	values := make([]float64, 24)
	for i := range values {
		one[i] = 1
		values[i] = math.Sin(2*x.At(i)[0]) + 0.3*float64(i%7)
	}
	for name, c := range map[string]struct {
		loss Loss
		y    []float64
	}{"hinge": {HingeLoss{}, y}, "hinge of one class": {HingeLoss{}, one}, "absolute": {AbsoluteLoss{}, values},
		"insensitive": {insensitive, values}, "quantile": {quantile, values}} {
		for _, lambda := range []float64{1e-3, 0.1, 0.266, 1, 20, 1e3} {
			r := Representer[vec]{Kernel: kernel.Gaussian{Lengthscale: 0.8}, Loss: c.loss, Lambda: lambda, WithBias: true,
				Tol: 1e-6}
			f, cert, err := r.Solve(ctx, x, c.y)
			if err != nil || !cert.Converged {
				t.Errorf("%s, λ = %g: %+v, %v", name, lambda, cert, err)
				continue
			}
			least, most := c.y[0], c.y[0]
			at, zero := 0.5*lambda*f.Norm()*f.Norm(), 0.0
			for i, v := range c.y {
				least, most = min(least, v), max(most, v)
				here, _ := c.loss.Value(v, f.At(x.At(i))[0])
				there, _ := c.loss.Value(v, 0)
				at, zero = at+here/24, zero+there/24
			}
			near(t, name+": J", cert.Objective, at, 1e-9)
			if b := f.Bias[0]; !(b > least-1 && b < most+1) || at > zero+1e-9 {
				t.Errorf("%s, λ = %g: the bias is %g, J %g and at f = 0 %g", name, lambda, b, at, zero)
			}
			if name == "hinge of one class" && !(at < 1e-6) { // f = 0 and b = 1 have no loss
				t.Errorf("λ = %g: one class has J = %g", lambda, at)
			}
		}
	}
}

// Where all rows are of one class, more bias is always better, and less of it with each step: the
// solver ends, at a derivative that is small.
func TestLogisticOneClassWithBias(t *testing.T) {
	x, y := points(24, 2, 1), make([]float64, 24)
	for i := range y {
		y[i] = 1
	}
	f, cert, err := Representer[vec]{Kernel: kernel.Gaussian{Lengthscale: 0.8}, Loss: LogisticLoss{}, Lambda: 0.1,
		WithBias: true}.Solve(ctx, x, y)
	if err != nil || !cert.Converged || !(cert.Objective > 0 && cert.Objective < 1e-4) ||
		!(f.Bias[0] > 5 && f.Bias[0] < 40) || !(cert.BiasSlope < 0) {
		t.Errorf("%+v, %v, %v", cert, f, err)
	}
}

// The dual point of an envelope is a derivative of the loss however far out it is asked: as a
// difference of places it was 0 there, which made Σs = 0 and certified any bias.
func TestEnvelopeFarOut(t *testing.T) {
	y := []float64{1, -1}
	e := &envelope{loss: func(i int, z float64) (float64, float64) { return HingeLoss{}.Value(y[i], z) },
		s: []float64{-0.3, 0.2}, sigma: 1e-3}
	for _, c := range []struct {
		i       int
		z, want float64
	}{{0, -1e42, -1}, {0, 1e42, 0}, {1, 1e42, 1}, {1, -1e42, 0}} {
		if _, s, _ := e.at(c.i, c.z); s != c.want {
			t.Errorf("point %d at %g: %g, want %g", c.i, c.z, s, c.want)
		}
	}
}

// A direction whose carried z is not Kα says that J falls below its tangent, which no convex
// function does.
func TestAlongIsAboveItsTangent(t *testing.T) {
	x, y := points(6, 2, 1), signs(6)
	g, err := gram.New(ctx, kernel.Kernel[vec](kernel.Gaussian{Lengthscale: 0.8}), x, gram.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &regularised{g: g, y: y, lambda: 1, bias: true,
		point: func(i int, z float64) (float64, float64) { return HingeLoss{}.Value(y[i], z) }}
	state, right, wrong := make([]float64, 13), make([]float64, 13), make([]float64, 13)
	for i := range 6 {
		right[i], wrong[i] = float64(i)-2, float64(i)-2
	}
	p.image(right)
	for i := 6; i < 12; i++ {
		wrong[i] = -right[i]
	}
	if v, _ := p.Along(state, right)(10); math.IsNaN(v) {
		t.Error("a function is refused")
	}
	if v, _ := p.Along(state, wrong)(10); !math.IsNaN(v) {
		t.Errorf("J = %g along what is no function", v)
	}
}

// Losses with kinks are solved to a gap that holds, with and without a bias; the kinks are where
// the solution sits. The optimality conditions are the oracle: -λnαᵢ is a derivative of ℓ at the
// prediction, one of those between both sides at a kink.
func TestRepresenterThroughKinks(t *testing.T) {
	x, y := points(60, 2, 1), signs(60)
	values := make([]float64, 60)
	for i := range values {
		values[i] = math.Sin(2*x.At(i)[0]) + 0.3*float64(i%7)
	}
	for name, c := range map[string]struct {
		loss      Loss
		y         []float64
		low, high float64 // slopes
	}{
		"hinge": {HingeLoss{}, y, -1, 0}, "absolute": {AbsoluteLoss{}, values, -1, 1},
		"pinball": {quantile, values, -0.8, 0.2},
	} {
		for _, lambda := range []float64{1e-3, 0.1} {
			for _, bias := range []bool{false, true} {
				r := Representer[vec]{Kernel: kernel.Gaussian{Lengthscale: 0.8}, Loss: c.loss, Lambda: lambda, WithBias: bias}
				f, cert, err := r.Solve(ctx, x, c.y)
				if err != nil {
					t.Fatal(name, err)
				}
				atZero := 0.0
				for _, v := range c.y {
					l, _ := c.loss.Value(v, 0)
					atZero += l / 60
				}
				if !cert.Converged || cert.Gap > 1e-8*atZero {
					t.Errorf("%s, λ = %g, bias %v: %+v", name, lambda, bias, cert)
				}
				j, sum := 0.5*lambda*f.Norm()*f.Norm(), 0.0
				kinks := 0
				for i := range 60 {
					z := f.At(x.At(i))[0]
					v, d := c.loss.Value(c.y[i], z)
					j += v / 60
					s := -60 * lambda * f.Coef.At(i, 0)
					sum += s / 60
					_, left := c.loss.Value(c.y[i], z-1e-3)
					_, right := c.loss.Value(c.y[i], z+1e-3)
					if left == right && math.Abs(s-d) > 1e-6 || !(s >= left-1e-6 && s <= right+1e-6) {
						t.Errorf("%s, λ = %g, bias %v: point %d has the slope %g, between %g and %g", name, lambda, bias, i, s, left,
							right)
					}
					if left != right {
						kinks++
					}
				}
				if kinks == 0 {
					t.Errorf("%s, λ = %g: no point at a kink, which is what this is about", name, lambda)
				}
				near(t, name+": J", cert.Objective, j, 1e-10)
				if bias {
					near(t, name+": Σs", sum, 0, 1e-4)
				}
			}
		}
	}
}
