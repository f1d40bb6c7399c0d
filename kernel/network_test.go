package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// Closed forms, written down as the papers have them. Cho and Saul 2009, equations 4 to 6:
// J₀(θ) = π-θ, J₁ = sin θ + (π-θ)cos θ, J₂ = 3 sin θ cos θ + (π-θ)(1 + 2cos²θ).
func TestArcCosineIsTheClosedForm(t *testing.T) {
	x, y := Vec{1, 2, -1}, Vec{0.5, -1, 3}
	dot := func(a, b Vec) (s float64) {
		for i := range a {
			s += a[i] * b[i]
		}
		return s
	}
	nx, ny := math.Sqrt(dot(x, x)), math.Sqrt(dot(y, y))
	angle := math.Acos(dot(x, y) / (nx * ny))
	want := []float64{
		1 - angle/math.Pi,
		nx * ny / math.Pi * (math.Sin(angle) + (math.Pi-angle)*math.Cos(angle)),
		nx * nx * ny * ny / math.Pi * (3*math.Sin(angle)*math.Cos(angle) + (math.Pi-angle)*(1+2*math.Cos(angle)*math.Cos(angle))),
	}
	for n, w := range want {
		if got := ArcCosine[Vec](Linear{}, n, 1).Eval(x, y); math.Abs(got-w) > 1e-13*math.Abs(w) {
			t.Errorf("order %d: %v, want %v", n, got, w)
		}
	}
	// k(x, x) = ‖x‖^{2n}·(2n-1)!!, and the fixed values at right angles and opposite points.
	for n, w := range []float64{1, dot(x, x), 3 * dot(x, x) * dot(x, x)} {
		if got := ArcCosine[Vec](Linear{}, n, 1).Eval(x, x); math.Abs(got-w) > 1e-14*w {
			t.Errorf("order %d: k(x, x) = %v, want %v", n, got, w)
		}
	}
	for n, w := range []float64{0.5, 1 / math.Pi, 0.5} {
		if got := ArcCosine[Vec](Linear{}, n, 1).Eval(Vec{1, 0}, Vec{0, 1}); math.Abs(got-w) > 1e-15 {
			t.Errorf("order %d at right angles: %v, want %v", n, got, w)
		}
		if got := ArcCosine[Vec](Linear{}, n, 1).Eval(Vec{1, 0}, Vec{-2, 0}); math.Abs(got) > 1e-15 {
			t.Errorf("order %d of opposite points: %v", n, got)
		}
	}
	// Williams 1998, equation 11, with x̃ = (1, x) and Σ = I.
	one := func(a, b Vec) float64 { return 1 + dot(a, b) }
	w := 2 / math.Pi * math.Asin(2*one(x, y)/math.Sqrt((1+2*one(x, x))*(1+2*one(y, y))))
	if got := ArcSine(Sum[Vec](Linear{}, ConstantOf[Vec]{1}), 1).Eval(x, y); math.Abs(got-w) > 1e-15 {
		t.Errorf("arcsine: %v, want %v", got, w)
	}
}

// A deep kernel is the shallow one of the kernel before it.
func TestDepthIsComposition(t *testing.T) {
	x, y := Vec{1, 2, -1}, Vec{0.5, -1, 3}
	base := Sum[Vec](Scale[Vec](0.3, Linear{}), ConstantOf[Vec]{0.2})
	for unit := StepUnit; unit <= ErfUnit; unit++ {
		nested := Kernel[Vec](base)
		for depth := 1; depth <= 4; depth++ {
			nested = NetworkOf[Vec]{nested, unit, 1}
			deep := NetworkOf[Vec]{base, unit, depth}
			for _, p := range [][2]Vec{{x, y}, {x, x}, {y, y}} {
				if got, want := deep.Eval(p[0], p[1]), nested.Eval(p[0], p[1]); math.Abs(got-want) > 1e-13*math.Abs(want) {
					t.Errorf("%d layers of unit %d: %v, want %v", depth, unit, got, want)
				}
			}
		}
	}
}

// The mean over networks that were drawn is the kernel: 2·E[max(0, ⟨w,x⟩)ⁿ·max(0, ⟨w,y⟩)ⁿ], and
// E[erf⟨w,x⟩·erf⟨w,y⟩]; the error of m draws is below five of its standard errors.
func TestNetworksHaveTheKernelAsCovariance(t *testing.T) {
	const draws = 200_000
	x, y := Vec{1, 2, -1}, Vec{0.5, -1, 3}
	for unit := StepUnit; unit <= ErfUnit; unit++ {
		t.Run(fmt.Sprint(unit), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, uint64(unit)))
			mean, square := 0.0, 0.0
			for range draws {
				zx, zy := 0.0, 0.0
				for i := range x {
					w := rng.NormFloat64()
					zx, zy = zx+w*x[i], zy+w*y[i]
				}
				v := drawnUnit(unit, zx) * drawnUnit(unit, zy)
				mean, square = mean+v/draws, square+v*v/draws
			}
			want := NetworkOf[Vec]{Linear{}, unit, 1}.Eval(x, y)
			if se := math.Sqrt((square - mean*mean) / draws); math.Abs(mean-want) > 5*se {
				t.Errorf("mean of networks %v ± %v, kernel %v", mean, se, want)
			}
		})
	}
}

// drawnUnit is √2·max(0, z)ⁿ, whose products have the kernel as mean, or erf z.
func drawnUnit(unit Activation, z float64) float64 {
	if unit == ErfUnit {
		return math.Erf(z)
	}
	if z <= 0 {
		return 0
	}
	return math.Sqrt2 * math.Pow(z, float64(unit))
}

// Points at 0, huge and tiny ones, and a depth that is not there.
func TestNetworkEdges(t *testing.T) {
	zero, x := Vec{0, 0}, Vec{3, 4}
	for order, want := range []float64{0.5, 0, 0} {
		k := ArcCosine[Vec](Linear{}, order, 1)
		for _, y := range []Vec{zero, x} {
			if got := k.Eval(zero, y); got != want {
				t.Errorf("order %d: k(0, %v) = %v, want %v", order, y, got, want)
			}
		}
	}
	for _, s := range []float64{1e-160, 1e150} {
		big := Vec{3 * s, 4 * s}
		if got := ArcCosine[Vec](Linear{}, 0, 3).Eval(big, big); got != 1 {
			t.Errorf("k(x, x) at %g is %v", s, got)
		}
	}
	for what, k := range map[string]Kernel[Vec]{"order": ArcCosine[Vec](Linear{}, 3, 1),
		"large order": ArcCosine[Vec](Linear{}, 4, 1), "negative order": ArcCosine[Vec](Linear{}, -1, 1),
		"depth": ArcSine[Vec](Linear{}, -1), "deep": ArcSine[Vec](Linear{}, 1001)} {
		if Validate(k) == nil {
			t.Errorf("%s is accepted", what)
		}
	}
	if err := Check(ArcCosine[Vec](Linear{}, 2, 12), data.Points[Vec](data.Slice[Vec]{{30, 40}})); err == nil {
		t.Error("a value beyond all numbers is accepted")
	}
}
