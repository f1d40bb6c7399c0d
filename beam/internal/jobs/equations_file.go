package jobs

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/mercer-ml/mercer/beam/internal/store"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/container"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"gonum.org/v1/gonum/mat"
)

func equationsFile(k int) string { return fmt.Sprintf("equations-%d", k) }

// writeEquations puts equations into a file: all workers add up the same ones, to the bit, whatever
// processor they have.
func writeEquations(ctx context.Context, file string, e *nystrom.Equations[kernel.Vec]) error {
	text, err := spec.FormatKernel(e.Kernel)
	if err != nil {
		return err
	}
	m := e.Centers.Len()
	var centers, factor []float64
	for i := range m {
		centers = append(centers, e.Centers.At(i)...)
		if e.Factor != nil {
			factor = append(factor, e.Factor.RawRowView(i)...)
		}
	}
	c := &container.File{
		Metadata: map[string]string{"kernel": text, "classes": strconv.Itoa(e.Classes),
			"intercept": strconv.FormatBool(e.Intercept)},
		Tensors: map[string]container.Tensor{
			"centres": container.Float64s(centers, m, len(centers)/m), "scale": container.Float64s([]float64{e.Scale}, 1),
			"center": container.Float64s(e.Center, m), "shift": container.Float64s(e.Shift, len(e.Shift)),
		},
	}
	if e.Factor != nil {
		c.Tensors["factor"] = container.Float64s(factor, m, m)
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
	c, err := container.Read(b)
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
	for _, name := range []string{"centres", "factor", "scale", "center", "shift"} {
		if _, there := c.Tensors[name]; !there && name == "factor" {
			continue
		}
		if array[name], err = c.Tensors[name].Float64s(); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, name, err)
		}
	}
	m := len(array["center"])
	factor := array["factor"]
	if m == 0 || len(array["centres"])%m != 0 || len(factor) != m*m && factor != nil || len(array["scale"]) != 1 {
		return nil, fmt.Errorf("%s: %d numbers of %d centres", file, len(array["centres"]), m)
	}
	e.Centers, e.Center, e.Shift, e.Scale = data.Rows(mat.NewDense(m, len(array["centres"])/m, array["centres"])),
		array["center"], array["shift"], array["scale"][0]
	if factor != nil {
		e.Factor = mat.NewDense(m, m, factor)
	}
	return e, nil
}
