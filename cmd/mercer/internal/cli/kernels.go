package cli

import (
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/spf13/cobra"
)

type kernelsOptions struct {
	Text string // a name or an expression; empty: all
	JSON bool
	plotOptions
	Spectrum string   // data set on whose rows the kernel is decomposed
	Columns  []string // of it
	Terms    int
}

func newKernels(a *App) *cobra.Command {
	o := &kernelsOptions{}
	cmd := &cobra.Command{
		Use:   "kernels [NAME | EXPRESSION]",
		Short: "List the kernels with formula, parameters and properties",
		Long: `List the kernels that --kernel understands, or describe one of them, or say what
is known of an expression: kernels are added, multiplied by each other and by
numbers, and raised to powers. Some compare columns of text, series, trees,
sets, rankings, bags or graphs: 'gaussian() on price + ssk(k=4) on title'.
--spectrum decomposes a kernel on the rows of a data set: its Mercer
eigenvalues, and for the Gaussian kernel those of normal columns in closed form.`,
		Example: "  mercer kernels\n  mercer kernels matern\n  mercer kernels 'matern(nu=1.5)' --plot matern.png\n  mercer " +
			"kernels '0.5*gaussian(lengthscale=2) + linear()^2'\n  mercer kernels 'gaussian(lengthscale=2)' --spectrum iris " +
			"--plot spectrum.png",
		Args: dataArgs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Text = args[0]
			}
			if o.Spectrum != "" {
				if err := o.checkPlot(jsonOutput(o.JSON)); err != nil {
					return err
				}
				return a.kernelSpectrum(cmd.Context(), o)
			}
			return a.kernels(o)
		},
		ValidArgs: spec.Vectors().Names(),
	}
	o.plotFlags(cmd.Flags(), "the kernel on the line, or its eigenvalues")
	cmd.Flags().StringVar(&o.Spectrum, "spectrum", "", "data set on whose rows the kernel's Mercer eigenvalues are found")
	cmd.Flags().StringSliceVar(&o.Columns, "columns", nil,
		"columns of the data set of --spectrum; default: all but classes")
	cmd.Flags().IntVar(&o.Terms, "terms", 10, "how many eigenvalues --spectrum shows")
	cmd.Flags().BoolVar(&o.JSON, "json", false, "write JSON")
	return cmd
}

// kernelEntry is what is said of a kernel.
type kernelEntry struct {
	Name       string
	Formula    string
	On         string // kind of column that it compares; empty: vectors
	Parameters []spec.Parameter
	Others     []spec.Parameter // other ways to write one of them
	Operator   bool             // it makes a kernel of others
	Properties *kernel.Properties
	Of         string // the kernel that has them, where that is not the one at its defaults
}

func (a *App) kernels(o *kernelsOptions) error {
	var out []kernelEntry
	for _, e := range spec.Vectors() {
		if o.Text == "" || e.Name == o.Text {
			out = append(out, describeKernel(e))
		}
	}
	for _, e := range spec.Algebra() {
		if o.Text == "" || e.Name == o.Text && e.Name != "" {
			out = append(out, describeKernel(e))
		}
	}
	for _, e := range spec.ObjectKernels() {
		if o.Text == "" || e.Name == o.Text {
			out = append(out, kernelEntry{Name: e.Name, Formula: e.Formula, On: e.On.String(), Parameters: e.Params,
				Properties: &e.Properties})
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
		known := kernel.PropertiesOf(k)
		out = []kernelEntry{{Name: text, Properties: &known}}
	}
	if err := o.checkPlot(jsonOutput(o.JSON)); err != nil {
		return err
	}
	if o.Plot != "" {
		if err := a.drawKernel(o); err != nil {
			return err
		}
	}
	if o.JSON {
		return writeKernels(a.Out, out)
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
		for _, p := range e.Others {
			fmt.Fprintf(a.Out, "  %-16s instead: %s\n", p.Name, p.Meaning)
		}
		if e.Operator {
			fmt.Fprintf(a.Out, "  %-16s makes a kernel of others, on points of any kind\n", "operator")
		}
		if e.On != "" {
			fmt.Fprintf(a.Out, "  %-16s %s\n", "on", e.On+" columns")
		}
		if e.Of != "" {
			fmt.Fprintf(a.Out, "  %-16s %s\n", "for one", e.Of)
		}
		if e.Properties != nil {
			fmt.Fprintf(a.Out, "  %-16s %s\n", "properties", e.Properties)
		}
	}
	return nil
}

// isKernel says that the catalogues have a kernel or an operator of that name.
func isKernel(name string) bool {
	named := func(e spec.Entry) bool { return e.Name == name }
	return slices.ContainsFunc(spec.Vectors(), named) || slices.ContainsFunc(spec.Algebra(), named) ||
		slices.ContainsFunc(spec.ObjectKernels(), func(e spec.ObjectKernel) bool { return e.Name == name })
}

// drawKernel writes the picture of the one kernel that was asked for.
func (a *App) drawKernel(o *kernelsOptions) error {
	if o.Text == "" {
		return usage("--plot: name the kernel to draw, as in mercer kernels matern --plot %s", o.Plot)
	}
	for _, e := range spec.ObjectKernels() {
		if e.Name == o.Text {
			return usage("--plot: %s is a kernel on %s columns; what can be drawn is a kernel on numbers", o.Text, e.On)
		}
	}
	text := o.Text
	for _, e := range append(spec.Vectors(), spec.Algebra()...) {
		if e.Name == text {
			text, _ = shownAs(e)
		}
	}
	k, err := parseKernel("kernels", text)
	if err != nil {
		return err
	}
	f, err := kernelFigure(text, k)
	if err != nil {
		return usage("--plot: %w", err)
	}
	return a.writePlot(f, &o.plotOptions, text)
}

// describeKernel is what is said of an entry of the catalogue.
func describeKernel(e spec.Entry) kernelEntry {
	out := kernelEntry{Name: e.Name, Formula: e.Formula, Parameters: e.Params, Others: e.Others}
	if e.Operates() {
		out.Operator = true
		if e.Name == "" {
			out.Name = e.Sign
		}
	}
	text, isDefault := shownAs(e)
	k, err := spec.ParseKernel(text)
	if err != nil {
		return out
	}
	known := kernel.PropertiesOf(k)
	out.Properties = &known
	if !isDefault {
		out.Of = text
	}
	return out
}

// shownAs is the kernel that stands for an entry: the one at its defaults, or a sample where
// something has to be given, such as the kernel that it changes.
func shownAs(e spec.Entry) (text string, isDefault bool) {
	if e.Name == "" {
		return e.Samples[0], false
	}
	for _, p := range e.Params {
		if p.Default == "" && len(e.Samples) > 0 {
			return e.Samples[0], false
		}
	}
	return e.Name + "()", true
}
