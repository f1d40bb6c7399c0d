package svmtool

import "math"

// chooseNu is choose for the ν machines, whose dual keeps the sum of the
// variables of each sign fixed (Schölkopf et al. 2000): both variables of a pair are of
// the same sign, of the one that promises more.
func (s *pathQP) chooseNu(eps float64) (i, j int) {
	top := map[bool]int{true: -1, false: -1} // by sign, the variable that wants to rise (y > 0) or fall
	high := map[bool]float64{true: math.Inf(-1), false: math.Inf(-1)}
	for t, y := range s.y {
		switch {
		case y > 0 && s.canRise(t) && -s.grad[t] >= high[true]:
			high[true], top[true] = -s.grad[t], t
		case y < 0 && s.canFall(t) && s.grad[t] >= high[false]:
			high[false], top[false] = s.grad[t], t
		}
	}
	low := map[bool]float64{true: math.Inf(-1), false: math.Inf(-1)}
	best := math.Inf(1)
	i, j = -1, -1
	for t, y := range s.y {
		plus := y > 0
		if plus && !s.canFall(t) || !plus && !s.canRise(t) {
			continue
		}
		value := y * s.grad[t]
		low[plus] = max(low[plus], value)
		gap := high[plus] + value
		if gap <= 0 || top[plus] < 0 {
			continue
		}
		a := top[plus]
		curve := s.k.diag[s.point[a]] + s.k.diag[s.point[t]] - 2*float64(s.k.row(s.point[a])[s.point[t]])
		if curve <= 0 {
			curve = tau
		}
		if gain := -gap * gap / curve; gain <= best {
			best, i, j = gain, a, t
		}
	}
	if max(high[true]+low[true], high[false]+low[false]) < eps {
		return i, -1
	}
	return i, j
}

// thresholdsNu finds ρ and r: half the difference and half the sum of the two
// multipliers, each the mean gradient of the variables of its sign inside their box.
func (s *pathQP) thresholdsNu() {
	middle := func(sign float64) float64 {
		upper, lower, sum, free := math.Inf(1), math.Inf(-1), 0.0, 0
		for t, y := range s.y {
			if y != sign {
				continue
			}
			switch {
			case !s.canRise(t):
				lower = max(lower, s.grad[t])
			case !s.canFall(t):
				upper = min(upper, s.grad[t])
			default:
				free++
				sum += s.grad[t]
			}
		}
		if free > 0 {
			return sum / float64(free)
		}
		return (upper + lower) / 2
	}
	plus, minus := middle(1), middle(-1)
	s.rho, s.r = (plus-minus)/2, (plus+minus)/2
}
