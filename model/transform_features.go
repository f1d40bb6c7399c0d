package model

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mapped"
)

// restoreFeatures is a feature map: rows become coordinates whose inner products are about the
// kernel.
func restoreFeatures(t *transform) error {
	m, err := mapped.Restore(t.plain)
	if err != nil {
		return err
	}
	t.role, t.size, t.points = roleProjection, t.dimOf(0), t.plain.Funcs[0].Centers.Len()
	for j := range m.Dim() {
		t.names = append(t.names, fmt.Sprintf("feature_%d", j+1))
	}
	rms, largest, sampled := m.Error()
	t.fact("features", "%d, whose inner products are about the kernel", m.Dim())
	t.fact("error", "%.3g in the root mean square, at most %.3g, of the kernel on %d rows fitted on", rms, largest,
		sampled)
	t.apply = func(ctx context.Context, x input, _ TransformOptions, _ []float64) ([]data.Column, error) {
		if x.len() == 0 {
			return numberColumns(t.names, nil), nil
		}
		z, err := m.FeaturesOf(ctx, x.of(0))
		if err != nil {
			return nil, err
		}
		return numberColumns(t.names, z), nil
	}
	return nil
}
