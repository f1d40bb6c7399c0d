package play

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/stat"
)

type testAsked struct {
	Points       PlanePoints `json:"points"`
	Kernel       KernelText  `json:"kernel"`
	Second       KernelText  `json:"second"` // independence: on the other coordinate
	Median       bool        `json:"median"` // Gaussians of the median distance in place of the kernels
	Permutations int         `json:"permutations"`
	Alpha        float64     `json:"alpha"`
	Seed         uint64      `json:"seed"`
	Window       Window      `json:"window"`
}

// Tested is the outcome of a test.
type Tested struct {
	Kernel    KernelFacts  `json:"kernel"`
	Second    *KernelFacts `json:"second,omitempty"`
	Statistic Number       `json:"statistic"`
	Threshold Number       `json:"threshold"`
	Draws     Drawn        `json:"draws"`
	Reject    bool         `json:"reject"`
	Verdict   string       `json:"verdict"`
	Readings  []Reading    `json:"readings"`
	Notes     []string     `json:"notes,omitempty"`
	Surface   *Surface     `json:"surface,omitempty"` // the witness
}

func (q testAsked) settings() (stat.TestSettings, error) {
	if q.Permutations < 20 || q.Permutations > 20000 {
		return stat.TestSettings{}, &Fault{Field: "permutations",
			Message: fmt.Sprintf("%d permutations; give 20 to 20,000", q.Permutations)}
	}
	if !(q.Alpha > 0 && q.Alpha < 1) {
		return stat.TestSettings{}, &Fault{Field: "alpha", Message: fmt.Sprintf("the level is %g; give one between 0 and 1",
			q.Alpha)}
	}
	return stat.TestSettings{Permutations: q.Permutations, Alpha: q.Alpha, Seed: q.Seed}, nil
}

// twoSample asks whether the points of class 0 and those of class 1 come from one distribution.
func twoSample(ctx context.Context, _ *Player, q testAsked, send sender) error {
	if err := q.Points.check(true); err != nil {
		return err
	}
	if err := q.Window.check(); err != nil {
		return err
	}
	settings, err := q.settings()
	if err != nil {
		return err
	}
	x, y := q.Points.ofClass(0), q.Points.ofClass(1)
	if x.Len() < 2 || y.Len() < 2 {
		return &Fault{Field: "points", Message: fmt.Sprintf("%d and %d points; place two or more of each colour", x.Len(),
			y.Len())}
	}
	k, facts, err := q.kernel(q.Kernel, x, y)
	if err != nil {
		return err
	}
	r, err := stat.MMD[vec]{Kernel: k, TestSettings: settings}.Test(ctx, x, y)
	if err != nil {
		return at("kernel", err)
	}
	out := tested(r, facts, "the clouds differ", "no difference is shown")
	witness, err := stat.Witness(ctx, k, x, y)
	if err != nil {
		return err
	}
	out.Readings = append(out.Readings, reading("mmd", "‖witness‖ = MMD (biased)", witness.Norm()))
	for _, n := range []int{coarse, fine} {
		values, err := witness.Evaluate(ctx, q.Window.grid(n))
		if err != nil {
			return at("kernel", err)
		}
		surface := Surface{Size: n, Window: q.Window, Values: columns(values)}
		if n == coarse {
			out.Surface = &surface
			err = send("test", out)
		} else {
			err = send("surface", surface)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// independence asks whether the two coordinates say anything about each other.
func independence(ctx context.Context, _ *Player, q testAsked, send sender) error {
	if err := q.Points.check(false); err != nil {
		return err
	}
	settings, err := q.settings()
	if err != nil {
		return err
	}
	x, y := q.Points.column(0), q.Points.column(1)
	if x.Len() < 4 {
		return &Fault{Field: "points", Message: fmt.Sprintf("%d points; place four or more", x.Len())}
	}
	k, first, err := q.kernel(q.Kernel, x, nil)
	if err != nil {
		return err
	}
	l, second, err := q.kernel(q.Second, y, nil)
	if err != nil {
		return moved("second", err)
	}
	r, err := stat.HSIC[vec, vec]{KernelX: k, KernelY: l, TestSettings: settings}.Test(ctx, x, y)
	if err != nil {
		return at("kernel", err)
	}
	out := tested(r, first, "the coordinates depend on each other", "no dependence is shown")
	out.Second = &second
	return send("test", out)
}

// kernel is the one written, or the Gaussian of the median distance.
func (q testAsked) kernel(t KernelText, x, y data.Points[vec]) (kernel.Kernel[vec], KernelFacts, error) {
	if !q.Median {
		return t.vectors()
	}
	if y == nil { // the median looks at pooled points: one sample is two halves of itself
		half := x.Len() / 2
		x, y = data.Span(x, 0, half), data.Span(x, half, x.Len())
	}
	k, err := stat.MedianKernel(x, y)
	if err != nil {
		return nil, KernelFacts{}, at("points", err)
	}
	text, err := spec.FormatKernel(k)
	if err != nil {
		return nil, KernelFacts{}, err
	}
	return KernelText{Text: text}.vectors()
}

func tested(r *stat.TestResult, facts KernelFacts, yes, no string) *Tested {
	out := &Tested{Kernel: facts, Statistic: Number(r.Statistic), Threshold: Number(r.Threshold), Draws: r.Draws,
		Reject: r.Reject, Verdict: no, Notes: r.Notes}
	if r.Reject {
		out.Verdict = yes
	}
	out.Readings = []Reading{reading("statistic", r.Measure, r.Statistic), reading("p", "p-value", r.P),
		reading("threshold", "rejected beyond", r.Threshold),
		reading("permutations", "permutations", float64(r.Permutations))}
	return out
}

// ofClass is the points of one class.
func (p PlanePoints) ofClass(class int) data.Points[vec] {
	var index []int
	for i, c := range p.Class {
		if c == class {
			index = append(index, i)
		}
	}
	if len(index) == 0 {
		return data.Slice[vec]{}
	}
	return data.Gather(p.rows(), index)
}
