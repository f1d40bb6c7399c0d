package model

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/project"
)

// restoreGPLVM: the kernel is of latent points, so that the columns are those of the points beside
// it.
func restoreGPLVM(t *transform) error {
	m, err := project.RestoreGPLVM(t.plain)
	if err != nil {
		return err
	}
	points := t.plain.Arrays["points"]
	t.role = Projection
	t.points, t.size = points.Dims()
	for j := range m.Components() {
		t.names = append(t.names, fmt.Sprintf("latent_%d", j+1))
	}
	t.fact("latent points", "%d coordinates, noise %.4g", m.Components(), m.Noise())
	t.apply = func(ctx context.Context, x data.DenseRows, _ TransformOptions, _ []float64) ([]data.Column, error) {
		if x.Len() == 0 {
			return numberColumns(t.names, nil), nil
		}
		z, err := m.Transform(ctx, x)
		return numberColumns(t.names, z), err
	}
	return nil
}
