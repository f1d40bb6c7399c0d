package rkhs

import (
	"context"
	"math"
)

// spanned is the largest ratio of the λ of a path that is walked whole.
const spanned = 1e15

// wholePath finds the least R(s) + r(s) over all norms s of a path for a penalty of which nothing
// is known but that it increases. Between two norms a < b on the path R is at least R(b), which
// decreases with the norm, and r at least r(a): R(b) + r(a) is below all that lies between, and
// where that is least a function more is looked at, until nothing below the best by more than the
// goal can be left. Norms beyond that of the least λ, where f all but interpolates, are not looked
// at.
func (r Representer[T]) wholePath(
	ctx context.Context, p *regularised, state []float64, goal float64,
) (Certificate, error) {
	top := firstLambda(p) * 1e3
	iterations := 0
	visit := func(lambda float64, from []float64) (*onPath, error) {
		f, err := r.at(ctx, p, lambda, from, goal/100)
		if err == nil {
			iterations += f.c.Iterations
		}
		return f, err
	}
	var path []*onPath // in the order of their norms
	from := state
	for lambda := top; lambda > top/spanned; lambda /= 8 {
		f, err := visit(lambda, from)
		if err != nil {
			return Certificate{}, err
		}
		path, from = append(path, f), f.state
	}
	for len(path) < mostOnPath {
		best, place, floor := r.bound(path)
		best.c.Gap = max(0, best.c.Objective-floor)
		if best.c.Gap <= goal {
			break
		}
		b := path[place]
		next := 64 * b.lambda // nearer to 0 than the first
		if place > 0 {
			next = math.Sqrt(path[place-1].lambda) * math.Sqrt(b.lambda)
		}
		if next == b.lambda || math.IsInf(next, 0) || place > 0 && next == path[place-1].lambda {
			break
		}
		f, err := visit(next, b.state)
		if err != nil {
			return Certificate{}, err
		}
		path = append(path[:place], append([]*onPath{f}, path[place:]...)...)
	}
	best, _, floor := r.bound(path)
	best.c.Gap = max(0, best.c.Objective-floor)
	return best.end(state, goal, iterations), nil
}

// bound is the best function of a path, and the place before which the least could lie that is
// possible, with that least. Place 0 is before the first, where f is all but 0.
func (r Representer[T]) bound(path []*onPath) (best *onPath, place int, floor float64) {
	below, _ := r.Penalty.Value(0)
	floor = math.Inf(1)
	for i, f := range path {
		if best == nil || f.c.Objective < best.c.Objective {
			best = f
		}
		if least := f.risk - f.inner + below; least < floor {
			place, floor = i, least
		}
		below, _ = r.Penalty.Value(f.norm)
	}
	return best, place, floor
}
