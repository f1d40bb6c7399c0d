package cli

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/project"
	"github.com/mercer-ml/mercer/stat"
	"gonum.org/v1/gonum/mat"
)

// conditional tests x and y given z: both are regressed on z, whatever z is, and HSIC looks at what
// is left over.
func (o *independenceOptions) conditional(
	ctx context.Context, s []*side, settings stat.TestSettings,
) (*stat.TestResult, error) {
	z := s[2]
	t := stat.ConditionalIndependence[any]{TestSettings: settings}
	if o.Kernel != "" || !z.vectors() {
		t.Kernels = []kernel.Kernel[any]{z.Kernel}
	} else {
		widths, err := kernel.WidthQuantiles(z.Rows, 0.1, 0.5, 0.9)
		if err != nil {
			return nil, err
		}
		for _, w := range append(widths, 4*widths[2]) {
			t.Kernels = append(t.Kernels, kernel.OnVectors(kernel.Gaussian{Lengthscale: w}))
		}
	}
	var notes []string
	var of [2]data.Points[kernel.Vec]
	for i := range of {
		var note string
		var err error
		if of[i], note, err = s[i].coordinates(ctx, o); err != nil {
			return nil, err
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	r, err := t.Test(ctx, of[0], of[1], z.points())
	if err != nil {
		return nil, err
	}
	r.Notes = append(r.Notes, notes...)
	return &r.TestResult, nil
}

// Objects are regressed by their coordinates in feature space: so many principal components at
// most, or as many as have this share of the variance.
const (
	mostCoordinates  = 30
	coordinatesShare = 0.95
)

// coordinates is a variable as vectors, of which a regression leaves something over: numbers as
// they are, objects by their kernel principal components. A regression of φ(x) on z in feature
// space is one of all its coordinates, and distances of what is left over are those in feature
// space.
func (s *side) coordinates(ctx context.Context, o *independenceOptions) (data.Points[kernel.Vec], string, error) {
	if s.vectors() {
		return s.Rows, "", nil
	}
	m, err := project.PCA[any]{Kernel: s.Kernel, Components: min(mostCoordinates, s.len()-1), Seed: o.Seed,
		Threads: o.par()}.Fit(ctx, s.points())
	if err != nil {
		return nil, "", err
	}
	kept, share := 0, 0.0
	for _, v := range m.ExplainedRatio() {
		if kept++; share+v >= coordinatesShare {
			share += v
			break
		}
		share += v
	}
	scores := m.Scores()
	note := fmt.Sprintf("a regression needs numbers: %s by %s of the kernel, %.0f%% of the variance", namesOf(s.Columns),
		plural(kept, "principal component"), 100*share)
	return data.Rows(mat.DenseCopyOf(scores.Slice(0, s.len(), 0, kept))), note, nil
}
