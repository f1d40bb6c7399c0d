package nodes

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/kernel/graph"
)

// Candidate is a transform of a Laplacian, to be tried with every λ.
type Candidate struct {
	Combinatorial bool
	Transform     graph.Transform
}

// Lambdas are the weights of the penalty that are tried, in units of the mean of k(i, i): from a
// noise that is a hundredth of what the kernel explains to ten times as much.
func Lambdas() []float64 { return []float64{0.01, 0.1, 1, 10} }

// Candidates are the transforms that a search tries of one Laplacian, their widths from narrow to
// wide; families, by name, are those asked for (none: all). They are ordered so that a search that
// is cut short has tried some of each. Reasons say why one could not be tried.
//
// Widths are in units of the mean eigenvalue: of a combinatorial Laplacian the mean degree. A step
// keeps the first 1, 2, 4, 8 times as many eigenvectors as there are classes, cut in the middle of
// the gap after them.
func (s *Space) Candidates(
	ctx context.Context, combinatorial bool, classes int, families ...string,
) (out []Candidate, reasons []string, err error) {
	k, err := s.kind(ctx, combinatorial)
	if err != nil {
		return nil, nil, err
	}
	epsilons, sigmas, steps := []float64{0.1, 0.01, 0.001, 1}, []float64{8, 4, 2}, []int{16, 4, 1}
	if s.exact() {
		epsilons, sigmas, steps = []float64{0.1, 0.01, 1, 0.001}, []float64{4, 2, 8, 1}, []int{4, 1, 16, 2, 8, 32}
	}
	asked := func(name string) bool {
		for _, f := range families {
			if f == name {
				return true
			}
		}
		return len(families) == 0
	}
	var lists [][]graph.Transform
	if asked("regularised") {
		var list []graph.Transform
		for _, e := range epsilons {
			list = append(list, graph.Regularised{Epsilon: e * k.degree})
		}
		lists = append(lists, list)
	}
	if asked("diffusion") {
		var list []graph.Transform
		for _, v := range sigmas {
			list = append(list, graph.Diffusion{Sigma: v / math.Sqrt(k.degree)})
		}
		lists = append(lists, list)
	}
	if asked("walksteps") {
		var list []graph.Transform
		reach := max(k.l.Largest()/(2*k.degree), 1) // how much further α is from the mean than it need be
		for _, p := range steps {
			list = append(list, graph.WalkSteps{Steps: int(min(math.Round(float64(p)*reach), 1000))})
		}
		lists = append(lists, list)
	}
	if asked("inversecosine") {
		if r := (graph.InverseCosine{}); r.Validate(k.l.Largest()) == nil {
			lists = append(lists, []graph.Transform{r})
		} else {
			reasons = append(reasons, "inversecosine needs the normalised Laplacian")
		}
	}
	if asked("cutoff") {
		list, why, err := s.cuts(ctx, k, classes)
		if err != nil {
			return nil, nil, err
		}
		if why != "" {
			reasons = append(reasons, why)
		}
		lists = append(lists, list)
	}
	for i := 0; ; i++ {
		any := false
		for _, list := range lists {
			if i < len(list) {
				any = true
				out = append(out, Candidate{combinatorial, list[i]})
			}
		}
		if !any {
			return out, reasons, nil
		}
	}
}

// cuts are step functions between eigenvalues.
func (s *Space) cuts(ctx context.Context, k *kind, classes int) (out []graph.Transform, why string, err error) {
	var values []float64
	if s.exact() {
		if values, _, err = k.l.Eigen(); err != nil {
			return nil, "", err
		}
	} else {
		low, err := s.lowest(ctx, k, max(classes, 2)+2)
		if err != nil {
			return nil, "", err
		}
		values = low.Values
		if n := len(values); n > 0 && low.Next > values[n-1] {
			values = append(append([]float64(nil), values...), low.Next)
		}
	}
	last := 0.0
	for q := max(classes, 2); q < len(values); q *= 2 {
		// The last gap that is one, at q pairs or before: eigenvalues may be repeated.
		at := q
		for at > 0 && values[at]-values[at-1] <= 1e-6*k.l.Largest() {
			at--
		}
		if at == 0 {
			continue
		}
		if cut := (values[at-1] + values[at]) / 2; cut > last {
			out, last = append(out, graph.Cutoff{Cut: cut}), cut
		}
	}
	if len(out) == 0 && !s.exact() {
		// Fewer pairs than classes: the gap after the last of them.
		for at := len(values) - 1; at > 0; at-- {
			if values[at]-values[at-1] > 1e-6*k.l.Largest() {
				return []graph.Transform{graph.Cutoff{Cut: (values[at-1] + values[at]) / 2}}, "", nil
			}
		}
	}
	if len(out) == 0 {
		why = fmt.Sprintf("cutoff: no gap was found between the %d smallest eigenvalues of the %s Laplacian", len(values),
			laplacianName(k == s.kinds[1]))
	}
	return out, why, nil
}
