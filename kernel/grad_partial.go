package kernel

// partial is a Differentiable kernel some of whose derivatives may be left out: a row of dtheta
// that is nil is not wanted. The others always get all rows.
type partial interface {
	profileGrads(dm []float64, dtheta [][]float64, m []float64)
}

// profileGrads is ProfileGrad for the rows of dtheta that are not nil. It asks for the very types:
// a user's kernel that embeds one of them has its own ProfileGrad, but would inherit this method.
func profileGrads(k Differentiable, dm []float64, dtheta [][]float64, m []float64) {
	switch k.(type) {
	case Gaussian, Laplace, LaplaceL1, RationalQuadratic, Matern, maternTable, maternClosed:
		k.(partial).profileGrads(dm, dtheta, m)
		return
	}
	var spare []float64
	all := dtheta
	for i, d := range dtheta {
		if d != nil {
			continue
		}
		if spare == nil {
			spare, all = make([]float64, len(m)), append([][]float64(nil), dtheta...)
		}
		all[i] = spare
	}
	k.ProfileGrad(dm, all, m)
}

// exponentialSlopes sets dm = c·e^{c·m} and, where it is there, d = s·m·e^{c·m}: the derivatives
// of κ(m) = e^{cm} by m and by what c depends on, s being dc over that.
func exponentialSlopes(dm, d, m []float64, c, s float64) {
	copy(dm, m)
	expScale(dm, c)
	if d != nil {
		for i, v := range dm {
			d[i] = s * m[i] * v
		}
	}
	scaleBy(dm, c)
}
