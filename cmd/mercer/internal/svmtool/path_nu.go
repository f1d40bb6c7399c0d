package svmtool

import "math"

// chooseNu is choose for the ν machines, whose dual keeps the sum of the
// variables of each sign fixed (Schölkopf et al. 2000): both variables of a pair are of
// the same sign, of the one that promises more.
func (s *pathQP) chooseNu(eps float64) (i, j int) {
	plus, minus := -1, -1 // the variable of each sign that wants to rise along y most
	highPlus, highMinus := math.Inf(-1), math.Inf(-1)
	for t := range s.active {
		if s.y[t] > 0 {
			if s.state[t] != upper && -s.grad[t] >= highPlus {
				highPlus, plus = -s.grad[t], t
			}
		} else if s.state[t] != lower && s.grad[t] >= highMinus {
			highMinus, minus = s.grad[t], t
		}
	}
	var rowPlus, rowMinus []float32
	if plus >= 0 {
		rowPlus = s.k.row(int(s.point[plus]))
	}
	if minus >= 0 {
		rowMinus = s.k.row(int(s.point[minus]))
	}
	lowPlus, lowMinus, best := math.Inf(-1), math.Inf(-1), math.Inf(1)
	j = -1
	try := func(t, partner int, row []float32, gap float64) {
		if !(gap > 0) { // there is no such variable, or the gradient is no number
			return
		}
		curve := s.diag[partner] + s.diag[t] - 2*float64(row[s.point[t]])
		if curve <= 0 {
			curve = tau
		}
		if gain := -float64(gap*gap) / curve; gain <= best {
			best, i, j = gain, partner, t
		}
	}
	for t := range s.active {
		if s.y[t] > 0 {
			if s.state[t] != lower {
				lowPlus = max(lowPlus, s.grad[t])
				try(t, plus, rowPlus, highPlus+s.grad[t])
			}
		} else if s.state[t] != upper {
			lowMinus = max(lowMinus, -s.grad[t])
			try(t, minus, rowMinus, highMinus-s.grad[t])
		}
	}
	if max(highPlus+lowPlus, highMinus+lowMinus) < eps {
		return i, -1
	}
	return i, j
}

// thresholdsNu finds ρ and r: half the difference and half the sum of the two
// multipliers, each the mean gradient of the variables of its sign inside their box.
func (s *pathQP) thresholdsNu() {
	middle := func(sign float64) float64 {
		least, most, sum, inside := math.Inf(1), math.Inf(-1), 0.0, 0
		for t, y := range s.y {
			if y != sign {
				continue
			}
			switch s.state[t] {
			case upper:
				most = max(most, s.grad[t])
			case lower:
				least = min(least, s.grad[t])
			default:
				inside++
				sum += s.grad[t]
			}
		}
		if inside > 0 {
			return sum / float64(inside)
		}
		return (least + most) / 2
	}
	plus, minus := middle(1), middle(-1)
	s.rho, s.r = (plus-minus)/2, (plus+minus)/2
}
