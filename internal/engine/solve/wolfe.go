package solve

import "math"

// lineSearch finds steps along lines. What it learns of the rounding of a function in one search it
// keeps for the next.
type lineSearch struct {
	noise float64 // by which two equal values of φ may differ, as seen so far
}

// unseen is where a step that promises so little cannot be told from none by the values of φ.
func (s *lineSearch) unseen(slope0 float64) bool { return -slope0 <= s.noise }

// wolfe finds a step t > 0 with sufficient decrease φ(t) ≤ φ(0) + c₁tφ′(0) and
// curvature |φ′(t)| ≤ c₂|φ′(0)| (Nocedal and Wright 2006, algorithms 3.5 and
// 3.6). Near the minimum, where differences of φ drown in rounding, decrease
// is judged by the slope instead (Hager and Zhang 2005, the approximate Wolfe
// conditions). It returns 0 when no step decreases φ.
func (s *lineSearch) wolfe(phi func(float64) (float64, float64), f0, slope0 float64) float64 {
	const (
		c1, c2 = 1e-4, 0.9
		tries  = 60
	)
	noise := max(s.noise, 1e-12*math.Max(1, math.Abs(f0)))
	enough := func(t, f, slope float64) bool {
		return f <= f0+c1*t*slope0 || (f <= f0+noise && slope <= (2*c1-1)*slope0)
	}
	// The bracket [lo, hi]: lo is the best acceptable end so far.
	lo, fLo, dLo := 0.0, f0, slope0
	hi := math.Inf(1)
	var fHi, dHi float64
	t := 1.0
	for range tries {
		f, d := phi(t)
		if e := unexplained(t, f-f0, slope0, d); e > noise && e <= 1e-9*math.Max(1, math.Abs(f0)) {
			noise, s.noise = e, e
		}
		switch {
		case math.IsNaN(f) || math.IsInf(f, 0) || !enough(t, f, d) || (f > fLo && f-fLo > noise):
			hi, fHi, dHi = t, f, d
		case math.Abs(d) <= -c2*slope0:
			return t
		default:
			if d*(hi-lo) >= 0 { // φ falls from t back towards lo
				hi, fHi, dHi = lo, fLo, dLo
			}
			lo, fLo, dLo = t, f, d
		}
		if math.IsInf(hi, 1) {
			t *= 2.5
			continue
		}
		if math.Abs(hi-lo) <= 1e-16*math.Max(1, lo) || math.Abs(hi-lo)*-slope0 <= 1e-3*s.noise {
			break
		}
		t = between(lo, fLo, dLo, hi, fHi, dHi)
	}
	if lo > 0 {
		return lo
	}
	return 0
}

// unexplained is how much of a difference of values the slopes at both ends have no part in, which
// is rounding: where the slope hardly changes, and does so in one direction, |φ(t) - φ(0) -
// t(φ′(0) + φ′(t))/2| ≤ t|φ′(t) - φ′(0)|/2. Nothing where the slope changes more, and anything may
// lie between.
func unexplained(t, change, slope0, slope float64) float64 {
	if !(math.Abs(slope-slope0) <= 0.1*math.Abs(slope0)) {
		return 0
	}
	return math.Abs(change-t*(slope0+slope)/2) - t*math.Abs(slope-slope0)/2
}

// between is the minimiser of the cubic through both ends, kept off them; the midpoint where the
// cubic does not exist. It may come much closer to a, the better end: where the first step of a
// line search was a thousand times too long, a cubic says so at once.
func between(a, fa, da, b, fb, db float64) float64 {
	mid := 0.5 * (a + b)
	c := da + db - 3*(fa-fb)/(a-b)
	disc := c*c - da*db
	if !(disc >= 0) || math.IsInf(disc, 0) {
		return mid
	}
	s := math.Copysign(math.Sqrt(disc), b-a)
	t := b - (b-a)*(db+s-c)/(db-da+2*s)
	switch share := (t - a) / (b - a); {
	case !(share >= 0 && share <= 1):
		return mid
	case share < 1e-3:
		return a + 1e-3*(b-a)
	case share > 0.9:
		return a + 0.9*(b-a)
	}
	return t
}
