package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/spec"
	"github.com/spf13/cobra"
)

type kernelsOptions struct {
	Text string // a name or an expression; empty: all
	JSON bool
	Plot string
}

func newKernels(a *App) *cobra.Command {
	o := &kernelsOptions{}
	cmd := &cobra.Command{
		Use:   "kernels [NAME | EXPRESSION]",
		Short: "List the kernels with formula, parameters and properties",
		Long: `List the kernels that --kernel understands, or describe one of them, or say what
is known of an expression: kernels are added, multiplied by each other and by
numbers, and raised to powers. Some compare columns of text, series, trees, sets, rankings,
bags or graphs: 'gaussian() on price + ssk(k=4) on title'.`,
		Example: "  mercer kernels\n  mercer kernels matern\n  mercer kernels 'matern(nu=1.5)' --plot matern.png\n  mercer kernels '0.5*gaussian(lengthscale=2) + linear()^2'",
		Args:    dataArgs(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Text = args[0]
			}
			return a.kernels(o)
		},
		ValidArgs: spec.Vectors().Names(),
	}
	cmd.Flags().StringVar(&o.Plot, "plot", "", "file (.svg or .png) for a picture of the kernel on the line")
	cmd.Flags().BoolVar(&o.JSON, "json", false, "write JSON")
	return cmd
}

// kernelEntry is what is said of a kernel.
type kernelEntry struct {
	Name       string           `json:"name"`
	Formula    string           `json:"formula"`
	On         string           `json:"on,omitempty"` // kind of column that it compares; empty: vectors
	Parameters []spec.Parameter `json:"parameters,omitempty"`
	Properties string           `json:"properties,omitempty"`
}

func (a *App) kernels(o *kernelsOptions) error {
	var out []kernelEntry
	for _, e := range spec.Vectors() {
		if o.Text == "" || e.Name == o.Text {
			out = append(out, kernelEntry{Name: e.Name, Formula: e.Formula, Parameters: e.Params, Properties: propertiesOf(e.Name, e.Params)})
		}
	}
	for _, e := range spec.ObjectKernels() {
		if o.Text == "" || e.Name == o.Text {
			out = append(out, kernelEntry{Name: e.Name, Formula: e.Formula, On: e.On.String(), Parameters: e.Params, Properties: e.Properties})
		}
	}
	if len(out) == 0 {
		k, err := parseKernel("kernels", o.Text)
		if err != nil {
			return err
		}
		text, err := spec.FormatKernel(k)
		if err != nil {
			return err
		}
		out = []kernelEntry{{Name: text, Properties: kernel.PropertiesOf(k).String()}}
	}
	if o.Plot != "" {
		if err := drawKernel(o, out); err != nil {
			return err
		}
	}
	if o.JSON {
		enc := json.NewEncoder(a.Out)
		enc.SetIndent("", " ")
		enc.SetEscapeHTML(false)
		return enc.Encode(out)
	}
	for i, e := range out {
		if i > 0 {
			fmt.Fprintln(a.Out)
		}
		fmt.Fprintf(a.Out, "%-18s %s\n", e.Name, e.Formula)
		for _, p := range e.Parameters {
			value := "required"
			if p.Default != "" {
				value = "default " + p.Default
			}
			fmt.Fprintf(a.Out, "  %-16s %s (%s)\n", p.Name, p.Meaning, value)
		}
		if e.On != "" {
			fmt.Fprintf(a.Out, "  %-16s %s\n", "on", e.On+" columns")
		}
		if e.Properties != "" {
			fmt.Fprintf(a.Out, "  %-16s %s\n", "properties", e.Properties)
		}
	}
	return nil
}

// drawKernel writes the picture of the one kernel that was asked for.
func drawKernel(o *kernelsOptions, asked []kernelEntry) error {
	if o.Text == "" {
		return usage("--plot: name the kernel to draw, as in mercer kernels matern --plot %s", o.Plot)
	}
	if asked[0].On != "" {
		return usage("--plot: %s is a kernel on %s columns; what can be drawn is a kernel on numbers", o.Text, asked[0].On)
	}
	text := o.Text
	if asked[0].Formula != "" { // a name
		text = atDefaults(text, asked[0].Parameters)
	}
	k, err := parseKernel("kernels", text)
	if err != nil {
		return err
	}
	f, err := kernelFigure(text, k)
	if err != nil {
		return usage("--plot: %w", err)
	}
	return writePlot(f, o.Plot)
}

// propertiesOf describes a kernel at its default parameters, those without a
// default set to 1; empty where that is no kernel.
func propertiesOf(name string, params []spec.Parameter) string {
	k, err := spec.ParseKernel(atDefaults(name, params))
	if err != nil {
		return ""
	}
	return kernel.PropertiesOf(k).String()
}

// atDefaults writes a kernel with 1 for each parameter that has no default.
func atDefaults(name string, params []spec.Parameter) string {
	var args []string
	for _, p := range params {
		if p.Default == "" {
			args = append(args, p.Name+"=1")
		}
	}
	return name + "(" + strings.Join(args, ",") + ")"
}
