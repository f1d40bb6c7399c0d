package cli

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/stat"
)

// spectrumRows is how many rows of a sample are looked at: the matrix of all pairs is decomposed.
const spectrumRows = 2000

// spectrum is the Mercer eigenvalues of a kernel on a sample, largest first.
type spectrum struct {
	kernel string
	table  *table
	rows   int
	values []float64 // of the integral operator f ↦ ∫ k(·, y)f(y)dP(y), P the sample
	closed []float64 // those of a normal P in closed form; nil where there is none
	trace  float64   // the sum of all
	why    string    // why there is no closed form
}

// kernelSpectrum decomposes the kernel on the rows of --spectrum.
func (a *App) kernelSpectrum(ctx context.Context, o *kernelsOptions) error {
	if o.Text == "" {
		return usage("--spectrum: name the kernel, as in mercer kernels 'gaussian(lengthscale=2)' --spectrum %s",
			shellWord(o.Spectrum))
	}
	if o.Terms < 1 {
		return usage("--terms: %d; give 1 or more", o.Terms)
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
	s, err := a.decompose(ctx, o, text, k)
	if err != nil {
		return err
	}
	if o.Plot != "" {
		if err := a.drawSpectrum(o, s); err != nil {
			return err
		}
	}
	return a.tellSpectrum(o, s)
}

func (a *App) decompose(
	ctx context.Context, o *kernelsOptions, text string, k kernel.Kernel[kernel.Vec],
) (*spectrum, error) {
	from := &tableOptions{Data: o.Spectrum, Columns: o.Columns}
	from.Quiet = o.JSON
	standard := pflag.NewFlagSet("", pflag.ContinueOnError) // for their defaults
	from.Input.flags(standard)
	from.Encoding.flags(standard)
	t, err := a.loadTable(ctx, from)
	if err != nil {
		return nil, err
	}
	if !t.vectors() {
		c := t.object()
		return nil, usage("--spectrum: column %q is %s; the spectrum is that of a kernel on numbers (--columns)", c.Name,
			withArticle(c.Kind))
	}
	var rows data.Points[kernel.Vec] = t.Rows
	if n := rows.Len(); n > spectrumRows { // evenly through the file
		at := make([]int, spectrumRows)
		for i := range at {
			at[i] = i * n / spectrumRows
		}
		rows = data.Gather(rows, at)
	}
	if err := kernel.Check(k, rows); err != nil {
		return nil, usage("%s: %w", t.Name, err)
	}
	m, err := rkhs.NewMercer(ctx, k, rows, min(o.Terms, rows.Len()))
	if err != nil {
		return nil, lookError(t.Name, err)
	}
	s := &spectrum{kernel: text, table: t, rows: rows.Len(), values: m.Eigenvalues()}
	for i := range rows.Len() {
		s.trace += k.Eval(rows.At(i), rows.At(i)) / float64(rows.Len())
	}
	g, ok := k.(kernel.Gaussian)
	if !ok {
		s.why = "known for the Gaussian kernel alone"
		return s, nil
	}
	var mean, std []float64
	for j := range len(rows.At(0)) {
		column := make([]float64, rows.Len())
		for i := range column {
			column[i] = rows.At(i)[j]
		}
		m, v := stat.PopMeanStdDev(column, nil)
		if !(v > 0) {
			s.why = "a column is constant"
			return s, nil
		}
		mean, std = append(mean, m), append(std, v)
	}
	h, err := rkhs.NewHermite(g, mean, std, len(s.values))
	if err != nil {
		s.why = err.Error()
		return s, nil
	}
	s.closed = h.Values()
	return s, nil
}

// drawSpectrum plots the eigenvalues on logarithmic axes.
func (a *App) drawSpectrum(o *kernelsOptions, s *spectrum) error {
	series := []plot.Series{{Name: "on the sample"}, {Name: "normal columns, closed form"}}
	for i, v := range s.values {
		series[0].X, series[0].Y = append(series[0].X, float64(i+1)), append(series[0].Y, v)
	}
	for i, v := range s.closed {
		series[1].X, series[1].Y = append(series[1].X, float64(i+1)), append(series[1].Y, v)
	}
	if s.closed == nil {
		series = series[:1]
		series[0].Name = "" // one line needs no name beside it
	}
	f, err := plot.LogLog("term", "eigenvalue", "Mercer eigenvalues of "+s.kernel+" on "+s.table.Name+", largest first",
		series...)
	if err != nil {
		return err
	}
	return a.writePlot(f, &o.plotOptions, "Mercer eigenvalues on "+titleName(s.table.Name))
}

// tellSpectrum says it in words, or as JSON.
func (a *App) tellSpectrum(o *kernelsOptions, s *spectrum) error {
	if o.JSON {
		return a.outcome(map[string]any{"kernel": s.kernel, "data": s.table.Name, "rows": s.rows, "features": s.table.Enc.Dim,
			"eigenvalues": s.values, "closed_form": s.closed, "trace": s.trace})
	}
	w := a.Out
	fmt.Fprintf(w, "Mercer eigenvalues of %s on %s: %s, %s\n", s.kernel, s.table.Name, plural(s.rows, "row"),
		plural(s.table.Enc.Dim, "feature"))
	if n := s.table.Rows.Len(); n > s.rows {
		fmt.Fprintf(w, "of %d rows, evenly through the file\n", n)
	}
	head := "closed form"
	if s.closed == nil {
		head = ""
	}
	fmt.Fprintf(w, "term  eigenvalue  together  %s\n", head)
	sum := 0.0
	for i, v := range s.values {
		sum += v
		fmt.Fprintf(w, "%4d %11s %8.1f%%", i+1, fourDigits(v), 100*sum/s.trace)
		if s.closed != nil {
			fmt.Fprintf(w, "  %11s", fourDigits(s.closed[i]))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "sum of all  %s, the mean of k(x, x)\n", fourDigits(s.trace))
	if s.closed == nil {
		fmt.Fprintf(w, "closed form: none, %s\n", s.why)
	} else {
		fmt.Fprintln(w,
			"closed form: Hermite functions, if the columns were independent and normal with their means and deviations")
	}
	if o.Plot != "" {
		fmt.Fprintln(w, "wrote", o.Plot)
	}
	return nil
}
