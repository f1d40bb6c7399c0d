package cli

import (
	"errors"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/tune"
)

// kernel reads --kernel. One that names columns, or compares objects, is made when the columns are
// encoded.
func (o *fitOptions) kernel(out *tune.AutoOptions, d *data.Dataset) error {
	if o.Kernel == "" {
		return nil
	}
	w, err := tune.ReadKernel(d, o.Kernel)
	if err != nil {
		return kernelError("--kernel", err)
	}
	out.Written, out.Kernel = o.Kernel, w.Kernel
	if w.Columns == nil {
		return nil
	}
	out.Encoder.Texts = w.Texts
	out.Columns = &tune.ColumnKernels{
		Rows: func(s mixed.Schema) (kernel.Kernel[mixed.Row], error) {
			k, err := w.Columns.Rows(s)
			return k, kernelError("--kernel", err)
		},
		Features: func(s mixed.Schema) (kernel.Kernel[kernel.Vec], error) {
			k, err := w.Columns.Features(s)
			return k, kernelError("--kernel", err)
		},
	}
	return nil
}

// parseKernel reads a kernel from a flag and points at what is wrong.
func parseKernel(flag, text string) (kernel.Kernel[kernel.Vec], error) {
	k, err := spec.ParseKernel(text)
	return k, kernelError(flag, err)
}

// asSpec is a fault of the text of a kernel.
func asSpec(err error) (*spec.Error, bool) { return errors.AsType[*spec.Error](err) }

// kernelError is the fault of a flag with the place in its text.
func kernelError(flag string, err error) error {
	bad, ok := asSpec(err)
	switch {
	case ok:
		return usage("%s: %w\n%s", flag, bad, indent(bad.Point()))
	case err != nil:
		return usage("%s: %w", flag, err)
	}
	return nil
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
