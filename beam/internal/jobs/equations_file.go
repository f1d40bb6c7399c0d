package jobs

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/mercer-ml/mercer/beam/internal/store"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/spec"
	"gonum.org/v1/gonum/mat"
)

func equationsFile(k int) string { return fmt.Sprintf("equations-%d", k) }

// writeEquations puts equations into a file: all workers add up the same ones, to the bit, whatever processor they have.
func writeEquations(ctx context.Context, file string, e *nystrom.Equations[kernel.Vec]) error {
	text, err := spec.FormatKernel(e.Kernel)
	if err != nil {
		return err
	}
	m := e.Centers.Len()
	var centers, factor []float64
	for i := range m {
		centers = append(centers, e.Centers.At(i)...)
		factor = append(factor, e.Factor.RawRowView(i)...)
	}
	c := &model.Container{
		Metadata: map[string]string{"kernel": text, "classes": strconv.Itoa(e.Classes), "intercept": strconv.FormatBool(e.Intercept)},
		Tensors: map[string]model.Tensor{
			"centres": model.Float64s(centers, m, len(centers)/m), "factor": model.Float64s(factor, m, m),
			"center": model.Float64s(e.Center, m), "shift": model.Float64s(e.Shift, len(e.Shift)),
		},
	}
	return store.Write(ctx, file, func(w io.Writer) error {
		_, err := c.WriteTo(w)
		return err
	})
}

func readEquations(ctx context.Context, file string) (*nystrom.Equations[kernel.Vec], error) {
	b, err := store.Read(ctx, file)
	if err != nil {
		return nil, err
	}
	c, err := model.ReadContainer(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	e := &nystrom.Equations[kernel.Vec]{Intercept: c.Metadata["intercept"] == "true"}
	if e.Classes, err = strconv.Atoi(c.Metadata["classes"]); err != nil {
		return nil, err
	}
	if e.Kernel, err = spec.ParseKernel(c.Metadata["kernel"]); err != nil {
		return nil, err
	}
	array := map[string][]float64{}
	for _, name := range []string{"centres", "factor", "center", "shift"} {
		if array[name], err = c.Tensors[name].Float64s(); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, name, err)
		}
	}
	m := len(array["center"])
	if m == 0 || len(array["centres"])%m != 0 || len(array["factor"]) != m*m {
		return nil, fmt.Errorf("%s: %d numbers of %d centres", file, len(array["centres"]), m)
	}
	e.Centers, e.Factor = data.Rows(mat.NewDense(m, len(array["centres"])/m, array["centres"])), mat.NewDense(m, m, array["factor"])
	e.Center, e.Shift = array["center"], array["shift"]
	return e, nil
}
