package kernel

import "math"

// layers are the layers of a network of infinite width: what each makes of the covariances k(x, y),
// k(x, x) and k(y, y) of what its units see.
type layers struct {
	unit  Activation
	depth int
	alike float64 // a correlation this near 1 is 1: rounding of k(x, y) and k(x, x)
}

// A correlation of two sums of rounded products that is 1 is this near it. The angle is a root of
// what is left, so that what is 1 has to be seen as such.
const (
	alikeDouble = 4e-15
	alikeSingle = 4e-6
)

func newLayers(unit Activation, depth int) layers { return layers{unit, max(depth, 1), alikeDouble} }

// self is k(x, x) after a layer: E max(0, z)^{2n}·2 = (2n-1)!!·s^n for z of variance s.
func (l layers) self(s float64) float64 {
	switch l.unit {
	case StepUnit:
		if s == 0 {
			return 0.5
		}
		return 1
	case RampUnit:
		return s
	case SquareUnit:
		return 3 * s * s
	}
	return 2 / math.Pi * math.Asin(erfCorrelation(s, s, s))
}

// of is k(x, y) after a layer.
func (l layers) of(v, sx, sy float64) float64 {
	if l.unit == ErfUnit {
		return 2 / math.Pi * math.Asin(erfCorrelation(v, sx, sy))
	}
	return arcCosine(int(l.unit), l.correlation(v, sx, sy)) * rootPower(sx, sy, int(l.unit))
}

// correlation is v/√(sx·sy), within [-1, 1], and 0 where it is 0/0. The root of a square is exact,
// so that a point has 1 with itself.
func (l layers) correlation(v, sx, sy float64) float64 {
	p := sx * sy
	var u float64
	switch {
	case p > 1e-290 && p < 1e290:
		u = v / math.Sqrt(p)
	case sx == 0 || sy == 0:
		return 0
	case sx == sy:
		u = v / sx
	default:
		u = v / math.Sqrt(sx) / math.Sqrt(sy)
	}
	if u > 1-l.alike {
		return 1
	}
	return max(u, -1)
}

// erfCorrelation is 2v/√((1+2sx)(1+2sy)), within [-1, 1].
func erfCorrelation(v, sx, sy float64) float64 {
	if math.IsInf(sx, 1) && math.IsInf(sy, 1) { // a bound that is not there
		return 1
	}
	return min(max(2*v/math.Sqrt(1+2*sx)/math.Sqrt(1+2*sy), -1), 1)
}

// rootPower is (sx·sy)^{n/2}.
func rootPower(sx, sy float64, n int) float64 {
	switch n {
	case 1:
		if sx == sy {
			return sx
		}
		return math.Sqrt(sx) * math.Sqrt(sy)
	case 2:
		return sx * sy
	}
	return 1
}

// arcCosine is Jₙ(θ)/π at u = cos θ.
func arcCosine(n int, u float64) float64 {
	theta, sin := math.Acos(u), math.Sqrt((1-u)*(1+u))
	switch n {
	case 0:
		return 1 - theta/math.Pi
	case 1:
		return (sin + (math.Pi-theta)*u) / math.Pi
	}
	return (3*sin*u + (math.Pi-theta)*(1+2*u*u)) / math.Pi
}

// arcCosineSlope is its derivative by u: J₂' = 4J₁, J₁' = J₀ and J₀' = 1/sin θ, which has no limit
// at θ = 0 and π; there it is taken for 0, as k(x, x) does not change with x.
func arcCosineSlope(n int, u float64) float64 {
	switch n {
	case 0:
		sin := math.Sqrt((1 - u) * (1 + u))
		if sin == 0 {
			return 0
		}
		return 1 / (math.Pi * sin)
	case 1:
		return arcCosine(0, u)
	}
	return 4 * arcCosine(1, u)
}

// slope is the derivatives of of by v, sx and sy.
func (l layers) slope(v, sx, sy float64) (byV, byX, byY float64) {
	if l.unit == ErfUnit {
		u, ax, ay := erfCorrelation(v, sx, sy), 1+2*sx, 1+2*sy
		by := 2 / math.Pi / math.Sqrt((1-u)*(1+u))
		if math.Abs(u) == 1 {
			by = 0
		}
		return by * 2 / math.Sqrt(ax) / math.Sqrt(ay), -by * u / ax, -by * u / ay
	}
	n := int(l.unit)
	u := l.correlation(v, sx, sy)
	if sx == 0 || sy == 0 {
		return 0, 0, 0
	}
	value, by, size := arcCosine(n, u), arcCosineSlope(n, u), rootPower(sx, sy, n)
	own := size * (float64(n)*value - by*u) / 2
	return size * by / math.Sqrt(sx) / math.Sqrt(sy), own / sx, own / sy
}

// selfSlope is the derivative of self.
func (l layers) selfSlope(s float64) float64 {
	switch l.unit {
	case StepUnit:
		return 0
	case RampUnit:
		return 1
	case SquareUnit:
		return 6 * s
	}
	byV, byX, byY := l.slope(s, s, s)
	return byV + byX + byY
}

// slopes is the value of the last layer and its derivatives by what the first units see.
func (l layers) slopes(v, sx, sy float64) (value, byV, byX, byY float64) {
	type seen struct{ v, sx, sy float64 }
	at := make([]seen, l.depth, 8)
	for i := range at {
		at[i] = seen{v, sx, sy}
		v, sx, sy = l.of(v, sx, sy), l.self(sx), l.self(sy)
	}
	value, byV = v, 1
	for i := l.depth - 1; i >= 0; i-- {
		s := at[i]
		dv, dx, dy := l.slope(s.v, s.sx, s.sy)
		byX, byY = byV*dx+byX*l.selfSlope(s.sx), byV*dy+byY*l.selfSlope(s.sy)
		byV *= dv
	}
	return value, byV, byX, byY
}
