package model

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/project"
	"github.com/mercer-ml/mercer/rkhs"
)

// restoreGPLVM: the kernel is of latent points, so that the columns are those of the points beside
// it.
func restoreGPLVM(t *transform) error {
	plain := t.numbers()
	for _, f := range t.plain.Funcs {
		on, ok := rkhs.OnVectors(f)
		if !ok {
			return fmt.Errorf("latent points that are no vectors")
		}
		plain.Funcs = append(plain.Funcs, on)
	}
	m := new(project.GPLVMModel)
	err := m.Restore(plain)
	if err != nil {
		return err
	}
	points := t.plain.Arrays["points"]
	t.role = roleProjection
	t.points, t.size = points.Dims()
	for j := range m.Components() {
		t.names = append(t.names, fmt.Sprintf("latent_%d", j+1))
	}
	t.fact("latent points", "%d coordinates, noise %.4g", m.Components(), m.Noise())
	t.apply = func(ctx context.Context, in input, _ TransformOptions, _ []float64) ([]data.Column, error) {
		x := in.rows
		if x.Len() == 0 {
			return numberColumns(t.names, nil), nil
		}
		z, err := m.Transform(ctx, x)
		return numberColumns(t.names, z), err
	}
	return nil
}
