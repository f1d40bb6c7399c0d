package cli

import (
	"errors"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/spec"
	"github.com/mercer-ml/mercer/tune"
)

// kernel reads --kernel. One that names columns, or compares objects, is made when the columns are
// encoded.
func (o *fitOptions) kernel(out *tune.AutoOptions, d *data.Dataset) error {
	if o.Kernel == "" {
		return nil
	}
	e, err := spec.Parse(o.Kernel)
	if err != nil {
		return kernelError("--kernel", err)
	}
	out.Written = o.Kernel
	if !spec.OfTable(e) {
		out.Kernel, err = parseKernel("--kernel", o.Kernel)
		return err
	}
	for name, kind := range spec.ColumnKinds(e) {
		c, err := d.Column(name)
		if err != nil || c.Kind == kind {
			continue // a column that is not there is the kernel's to say
		}
		as, err := c.As(kind)
		if err != nil {
			return usage("--kernel: column %q is no %s: %w", name, kind, err)
		}
		*c = as
	}
	var texts []string
	for _, c := range d.Features() {
		if c.Kind == data.Text {
			texts = append(texts, c.Name)
		}
	}
	out.Encoder.Texts = spec.TextPolicies(e, texts)
	out.Columns = &tune.ColumnKernels{
		Rows: func(s mixed.Schema) (kernel.Kernel[mixed.Row], error) {
			k, err := spec.ParseRows(s, o.Kernel)
			return k, kernelError("--kernel", err)
		},
		Features: func(s mixed.Schema) (kernel.Kernel[kernel.Vec], error) {
			k, err := spec.ParseFeatures(s, o.Kernel)
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

// kernelError is the fault of a flag with the place in its text.
func kernelError(flag string, err error) error {
	var bad *spec.Error
	switch {
	case errors.As(err, &bad):
		return usage("%s: %w\n%s", flag, bad, indent(bad.Point()))
	case err != nil:
		return usage("%s: %w", flag, err)
	}
	return nil
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
