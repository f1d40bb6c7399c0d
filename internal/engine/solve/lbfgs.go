package solve

import "context"

// LBFGS minimises f from x, which it overwrites, by limited-memory BFGS
// (Liu and Nocedal 1989) with strong Wolfe steps, in the geometry of f.Dot.
func LBFGS(ctx context.Context, f Smooth, x []float64, s Settings) (Minimum, error) {
	run := &descent{Settings: s.withDefaults(), f: f, x: x}
	var pairs []pair
	coef := make([]float64, run.Memory)
	direction := func(d []float64) {
		for i, v := range run.g {
			d[i] = -v
		}
		for i := len(pairs) - 1; i >= 0; i-- {
			p := pairs[i]
			coef[i] = f.Dot(p.s, d) / p.sy
			axpy(d, -coef[i], p.y)
		}
		if n := len(pairs); n > 0 {
			p := pairs[n-1]
			scale := p.sy / f.Dot(p.y, p.y)
			for i := range d {
				d[i] *= scale
			}
		} else if run.norm > 1 {
			for i := range d { // a first step of length 1
				d[i] /= run.norm
			}
		}
		for i, p := range pairs {
			axpy(d, coef[i]-f.Dot(p.y, d)/p.sy, p.s)
		}
	}
	moved := func(step, dg []float64) {
		sy := f.Dot(step, dg)
		if !(sy > 1e-16*f.Dot(step, step)) {
			return // no curvature seen: the pair would spoil the metric
		}
		if len(pairs) == run.Memory {
			recycled := pairs[0]
			copy(pairs, pairs[1:])
			copy(recycled.s, step)
			copy(recycled.y, dg)
			pairs[len(pairs)-1] = pair{recycled.s, recycled.y, sy}
			return
		}
		pairs = append(pairs, pair{append([]float64(nil), step...), append([]float64(nil), dg...), sy})
	}
	return run.run(ctx, direction, moved)
}

// pair is a step s and the change of gradient y it made, with sy = ⟨s, y⟩ > 0.
type pair struct {
	s, y []float64
	sy   float64
}

func axpy(dst []float64, a float64, x []float64) {
	for i, v := range x {
		dst[i] += a * v
	}
}
