package nodes

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// Search says how settings are chosen.
type Search struct {
	Candidates []Candidate
	Lambdas    []float64 // increasing; nil: Lambdas()
	Folds      int       // parts that the known nodes are dealt into; 0: 5
	Turns      int       // parts that take a turn in being held out; 0: all
	Seed       uint64
	Over       func() bool // whether the time is over, asked between candidates; nil: never
}

// Cell is a setting and how it did on nodes held out.
type Cell struct {
	Setting
	Score     float64 // share of nodes that were classified right, or the root of the mean squared error
	Error     float64 // standard error of the score over the folds; NaN of one
	Loss      float64 // of classes the log loss of calibrated probabilities; else the score
	Slope     float64 // of classes: what made the probabilities
	Converged bool    // every system was solved to the accuracy that a choice takes
	// Held is the known nodes that were held out, by place, and Values what was said of each.
	Held   []int
	Values *mat.Dense
}

// Choice is what a search found.
type Choice struct {
	Best  Cell
	Cells []Cell // in the order in which they were tried
	Tried int    // candidates, of those that there were
	Fits  int
}

// Folds deals known nodes into parts, those of one class in turn, in random order.
func (k Known) Folds(parts int, seed uint64) (part []int) {
	rng := rand.New(rand.NewPCG(seed, 0x6e6f646573))
	part = make([]int, len(k.Y))
	order, next := rng.Perm(len(k.Y)), 0
	for c := range max(k.Classes, 1) {
		for _, i := range order {
			if k.Classes == 0 || int(k.Y[i]) == c {
				part[i] = next % parts
				next++
			}
		}
	}
	return part
}

// Choose tries candidates with every λ on folds of the known nodes, and takes the one that
// classifies most nodes held out right (of equals the one with the least log loss), or that has the
// least squared error.
func (s *Space) Choose(ctx context.Context, known Known, o Search) (*Choice, error) {
	if err := known.check(s.nodes); err != nil {
		return nil, err
	}
	if o.Lambdas == nil {
		o.Lambdas = Lambdas()
	}
	if o.Folds == 0 {
		o.Folds = 5
	}
	if o.Folds > len(known.Nodes) {
		o.Folds = len(known.Nodes)
	}
	if o.Turns == 0 || o.Turns > o.Folds {
		o.Turns = o.Folds
	}
	if o.Folds < 2 || len(o.Candidates) == 0 {
		return nil, fmt.Errorf("nodes: %d candidates to choose from by %d known nodes; at least one and two are needed",
			len(o.Candidates), len(known.Nodes))
	}
	part := known.Folds(o.Folds, o.Seed)
	out, start := &Choice{}, time.Now()
	told := s.Resources.Trace
	s.Resources.Trace = nil // steps here are candidates
	defer func() { s.Resources.Trace = told }()
	for _, c := range o.Candidates {
		if out.Tried > 0 && o.Over != nil && o.Over() {
			break
		}
		cells, err := s.try(ctx, known, c, part, o)
		if err != nil {
			return nil, err
		}
		out.Cells = append(out.Cells, cells...)
		out.Tried++
		out.Fits += o.Turns * len(o.Lambdas)
		told.Report(trace.Step{Iteration: out.Tried, Objective: math.NaN(), Residual: math.NaN(), Elapsed: time.Since(start)})
	}
	best := -1
	for i, c := range out.Cells {
		if best < 0 || c.better(out.Cells[best], known.Classes > 0) {
			best = i
		}
	}
	out.Best = out.Cells[best]
	return out, nil
}

// Better says that a cell is to be taken before another.
func (c *Choice) Better(a, b Cell) bool { return a.better(b, a.Slope != 0) }

// better says that a cell is to be taken before another. One whose systems were not solved is not
// what a last fit would be.
func (c Cell) better(o Cell, classes bool) bool {
	switch {
	case c.Converged != o.Converged:
		return c.Converged
	case c.Score != o.Score:
		return c.Score > o.Score == classes
	}
	return c.Loss < o.Loss
}

// try judges a candidate with all λ.
func (s *Space) try(ctx context.Context, known Known, c Candidate, part []int, o Search) ([]Cell, error) {
	k, err := s.kind(ctx, c.Combinatorial)
	if err != nil {
		return nil, err
	}
	cells := make([]Cell, len(o.Lambdas))
	var held []int
	for i, p := range part {
		if p < o.Turns {
			held = append(held, i)
		}
	}
	row := map[int]int{}
	for r, i := range held {
		row[i] = r
	}
	for j, l := range o.Lambdas {
		cells[j] = Cell{Setting: Setting{c.Combinatorial, c.Transform, l}, Held: held, Converged: true,
			Values: mat.NewDense(len(held), known.outputs(), nil)}
	}
	tests, systems, biases := make([][]int, o.Turns), make([]system, o.Turns), make([][]float64, o.Turns)
	for turn := range o.Turns {
		var train []int
		for i, p := range part {
			if p == turn {
				tests[turn] = append(tests[turn], i)
			} else {
				train = append(train, i)
			}
		}
		systems[turn], biases[turn] = s.system(known.Gather(train))
		systems[turn].want = []int{}
		for _, i := range tests[turn] {
			if at := s.place[known.Nodes[i]]; at >= 0 {
				systems[turn].want = append(systems[turn].want, int(at))
			}
		}
	}
	found, err := s.solveAll(ctx, k, c.Transform, systems, o.Lambdas, trial)
	var not *solve.NotPositive
	if errors.As(err, &not) { // rounding is more than the smallest λ
		found, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	folds := make([][]float64, len(cells)) // scores
	for turn, test := range tests {
		for j := range cells {
			next := 0
			cells[j].Converged = found != nil && cells[j].Converged && found[turn][j].converged
			for _, i := range test {
				to := cells[j].Values.RawRowView(row[i])
				copy(to, biases[turn])
				if found == nil || s.place[known.Nodes[i]] < 0 {
					continue
				}
				for l, v := range found[turn][j].f.Row(next) {
					to[l] += v
				}
				next++
			}
			folds[j] = append(folds[j], known.score(cells[j].Values, test, row))
		}
	}
	for j := range cells {
		known.judge(&cells[j], row, folds[j])
	}
	return cells, nil
}

// system is the ridge problem of known nodes, all of which are in the part.
func (s *Space) system(known Known) (system, []float64) {
	y, bias := known.targets()
	sys := system{y: linalg.Of(y), at: make([]int, len(known.Nodes))}
	for i, v := range known.Nodes {
		sys.at[i] = int(s.place[v])
	}
	return sys, bias
}

// score is the share of some known nodes that were classified right, or the root of the mean squared
// error.
func (k Known) score(values *mat.Dense, of []int, row map[int]int) float64 {
	sum := 0.0
	for _, i := range of {
		v := values.RawRowView(row[i])
		if k.Classes == 0 {
			sum += (v[0] - k.Y[i]) * (v[0] - k.Y[i])
		} else if classOf(v) == int(k.Y[i]) {
			sum++
		}
	}
	sum /= float64(len(of))
	if k.Classes == 0 {
		return math.Sqrt(sum)
	}
	return sum
}

// judge fills in what the values of a cell are worth.
func (k Known) judge(c *Cell, row map[int]int, folds []float64) {
	c.Score, c.Error = k.score(c.Values, c.Held, row), math.NaN()
	c.Loss = c.Score
	if n := len(folds); n > 1 {
		mean, sum := 0.0, 0.0
		for _, v := range folds {
			mean += v / float64(n)
		}
		for _, v := range folds {
			sum += (v - mean) * (v - mean)
		}
		c.Error = math.Sqrt(sum / float64(n-1) / float64(n))
	}
	if k.Classes == 0 {
		return
	}
	scores, codes := make([]float64, 0, len(c.Held)*k.Classes), make([]int, len(c.Held))
	for r, i := range c.Held {
		scores, codes[r] = append(scores, classScores(c.Values.RawRowView(r))...), int(k.Y[i])
	}
	c.Slope = learn.FitSlope(scores, codes, k.Classes)
	c.Loss = 0
	p := make([]float64, k.Classes)
	for r, code := range codes {
		softmax(p, scores[r*k.Classes:(r+1)*k.Classes], c.Slope)
		c.Loss -= math.Log(max(p[code], 1e-15)) / float64(len(codes))
	}
}
