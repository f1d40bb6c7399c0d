package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/files"
	"github.com/mercer-ml/mercer/internal/format/libsvm"
	"github.com/mercer-ml/mercer/internal/format/npy"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/spf13/cobra"
)

type gramOptions struct {
	Data, Target, Kernel, Output, To string
	plotOptions
	Repair      string
	was         gram.PSD // before it was repaired
	Input       inputOptions
	Encoding    encodingOptions
	JSON, Quiet bool
}

func newGram(a *App) *cobra.Command {
	o := &gramOptions{}
	cmd := &cobra.Command{
		Use:   "gram DATA",
		Short: "Compute a Gram matrix: write it, check it, show its spectrum",
		Example: `  mercer gram iris --kernel 'gaussian(lengthscale=2)'
  mercer gram iris --kernel 'matern(nu=1.5)' -o k.npy --plot spectrum.svg
  mercer gram iris --kernel 'linear()' -o k.txt --to libsvm  # svm-train -t 4`,
		Args: dataArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Data = args[0]
			return a.gram(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Kernel, "kernel", "",
		"the kernel, as in 'matern(nu=1.5)' or 'wl(h=3) on graph' (see: mercer kernels); default: gaussian(lengthscale=1); "+
			"of strings, trees, graphs and the like, what mercer fit tries first")
	repairFlag(f, &o.Repair)
	f.StringVar(&o.Target, "target", "", "column that is no feature; default: the last, where it can be one")
	f.StringVarP(&o.Output, "output", "o", "", "file to write the matrix to (.npy, .csv or LIBSVM)")
	f.StringVar(&o.To, "to", "", "format to write: npy, csv or libsvm; default: from the name")
	o.plotFlags(f, "the spectrum")
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "say nothing but errors")
	f.BoolVar(&o.JSON, "json", false, "write JSON")
	o.Input.flags(f)
	o.Encoding.flags(f)
	return cmd
}

// mostGram is the most rows whose whole matrix is formed and decomposed here.
const mostGram = 8000

func (a *App) gram(ctx context.Context, o *gramOptions) error {
	if err := o.checkPlot(jsonOutput(o.JSON)); err != nil {
		return err
	}
	repair, err := parseRepair(o.Repair)
	if err != nil {
		return err
	}
	in, err := o.Input.options(a)
	if err != nil {
		return err
	}
	in.Target = o.Target
	d, err := a.read(ctx, o.Data, in)
	if err != nil {
		return err
	}
	t, k, err := o.points(ctx, d)
	if err != nil {
		return err
	}
	if n := t.len(); n > mostGram {
		return usage("%s: %s rows: a full Gram matrix needs %s and its spectrum n³ work; give %s rows or fewer", o.Data,
			phrase.Thousands(n), sizeText(8*int64(n)*int64(n)), phrase.Thousands(mostGram))
	}
	if err := kernel.Check(k, t.points()); err != nil {
		return usage("--kernel: %w", err)
	}
	g, err := gram.New(ctx, k, t.points(), gram.Options{})
	if err != nil {
		return inputError(err)
	}
	psd, err := gram.CheckPSD(g, 0)
	if err != nil {
		return err
	}
	if repair != gram.NoRepair && !psd.OK {
		if g, err = gram.Repair(g, repair, 0); err != nil {
			return err
		}
		o.was = psd
		if psd, err = gram.CheckPSD(g, 0); err != nil {
			return err
		}
	}
	values, err := gram.Spectrum(g)
	if err != nil {
		return err
	}
	if o.Plot != "" {
		f, err := plot.Spectrum(values, 0)
		if err != nil {
			return err
		}
		if err := a.writePlot(f, &o.plotOptions, "Spectrum of "+o.Kernel+" on "+titleName(d.Name)); err != nil {
			return err
		}
	}
	if o.Output != "" {
		if err := writeGram(d, t.Kept, g, o); err != nil {
			return err
		}
	}
	if o.Quiet {
		return nil
	}
	return a.tellGram(o, g, psd, values)
}

// points makes points of the columns that are features, and finds the kernel.
func (o *gramOptions) points(ctx context.Context, d *data.Dataset) (*table, kernel.Kernel[any], error) {
	var features []string
	for _, c := range d.Features() {
		features = append(features, c.Name)
	}
	t := &table{Name: d.Name, Data: d}
	look := exploreOptions{Input: o.Input, Encoding: o.Encoding, Seed: 1}
	if err := t.encode(features, &look, "--kernel", o.Kernel); err != nil {
		return nil, nil, err
	}
	k, err := t.How.Kernel()
	if err != nil {
		return nil, nil, kernelError("--kernel", err)
	}
	if k == nil && t.vectors() {
		k = kernel.OnVectors(kernel.Gaussian{Lengthscale: 1})
	}
	if k == nil {
		if k, err = t.likeliest(look.Seed); err != nil {
			return nil, nil, lookError(d.Name, err)
		}
	}
	if o.Kernel == "" {
		o.Kernel = t.kernelText(k)
	}
	k, err = t.learn(ctx, "--kernel", k, 0)
	return t, k, err
}

func (a *App) tellGram(o *gramOptions, g gram.Accessor, psd gram.PSD, values []float64) error {
	sum, square, rank := 0.0, 0.0, 0
	for _, v := range values {
		sum, square = sum+v, square+v*v
		if v > psd.Tolerance {
			rank++
		}
	}
	verdict := "yes, to rounding"
	switch {
	case !psd.OK:
		verdict = fmt.Sprintf("no: smallest eigenvalue %.3g is below -%.1g; repair it with --repair clip, flip or shift",
			psd.Min, psd.Tolerance)
	case o.was.Min < 0:
		verdict += fmt.Sprintf("; repaired by %s (smallest eigenvalue %.3g)", o.Repair, o.was.Min)
	}
	if o.JSON {
		enc := json.NewEncoder(a.Out)
		enc.SetIndent("", " ")
		return enc.Encode(map[string]any{"rows": len(values), "kernel": o.Kernel, "psd": psd.OK, "min": psd.Min,
			"max": psd.Max, "tolerance": psd.Tolerance,
			"trace": sum, "rank": rank, "eigenvalues": values})
	}
	return writeFields(a.Out, []field{
		{"kernel", o.Kernel},
		{"matrix", fmt.Sprintf("%d × %d, %s", len(values), len(values), g.Describe())},
		{"positive", verdict},
		{"eigenvalues", fmt.Sprintf("%.6g (largest) to %.3g (smallest)", psd.Max, psd.Min)},
		{"trace", fmt.Sprintf("%.6g", sum)},
		{"numerical rank", strconv.Itoa(rank)},
		{"effective rank", fmt.Sprintf("%.3g (trace² / sum of squares)", sum*sum/square)},
	})
}

func writeGram(d *data.Dataset, kept []int, g gram.Accessor, o *gramOptions) error {
	n, _ := g.Dims()
	row := make([]float64, n)
	to := o.To
	if to == "" {
		switch {
		case len(o.Output) > 4 && o.Output[len(o.Output)-4:] == ".npy":
			to = "npy"
		case len(o.Output) > 4 && o.Output[len(o.Output)-4:] == ".csv":
			to = "csv"
		default:
			return usage("%s: say the format with --to npy, csv or libsvm", o.Output)
		}
	}
	var write func(w io.Writer) error
	switch to {
	case "npy":
		write = func(w io.Writer) error {
			out, err := npy.NewWriter(w, n, n)
			if err != nil {
				return err
			}
			for i := range n {
				g.Row(row, i)
				if err := out.Write(row); err != nil {
					return err
				}
			}
			return out.Close()
		}
	case "csv", "libsvm":
		label := func(i int) string { return "" }
		if to == "libsvm" {
			label = labels(d, kept)
		}
		write = func(w io.Writer) error {
			b := bufio.NewWriter(w)
			for i := range n {
				g.Row(row, i)
				if to == "libsvm" {
					fmt.Fprintf(b, "%s 0:%d", label(i), i+1)
				}
				for j, v := range row {
					switch {
					case to == "libsvm":
						fmt.Fprintf(b, " %d:%s", j+1, phrase.Number(v))
					case j > 0:
						b.WriteString("," + phrase.Number(v))
					default:
						b.WriteString(phrase.Number(v))
					}
				}
				b.WriteByte('\n')
			}
			return b.Flush()
		}
	default:
		return usage("--to: %q; give npy, csv or libsvm", to)
	}
	return files.WriteAtomic(o.Output, write)
}

// labels writes the target as LIBSVM wants it: numbers as they are, classes by
// their number from 1.
func labels(d *data.Dataset, kept []int) func(i int) string {
	c, err := d.Column(d.Target)
	if err != nil {
		return func(int) string { return "0" }
	}
	if n, err := c.As(data.Numeric); err == nil {
		return func(i int) string { return libsvm.FormatG(n.Numbers[kept[i]], 17) }
	}
	if n, err := c.As(data.Categorical); err == nil {
		return func(i int) string { return strconv.Itoa(int(n.Codes[kept[i]]) + 1) }
	}
	return func(int) string { return "0" }
}
