package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learnt"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/stat"
	"github.com/spf13/cobra"
)

type twoSampleOptions struct {
	testOptions
	A, B, By string
	Columns  []string
	Widths   string
	Scales   int
	Estimate string
	Null     string
	objects  bool // some column became no numbers
	Rows     int  // most of both samples together; 0: as many as a bounded work allows
	given    func(flag string) bool
}

func newTwoSample(a *App) *cobra.Command {
	o := &twoSampleOptions{}
	cmd := &cobra.Command{
		Use:   "two-sample A B",
		Short: "Were two samples drawn from one distribution? (MMD)",
		Long: `Test whether two data sets come from one distribution, by the maximum mean
discrepancy of a kernel. Columns are scaled by both samples together. By default
gaussians of nine widths are tried at once and the p-value accounts for it; the
level is exact at any sample size.

The point named last is the row at which the witness function is largest: where
one sample is densest compared with the other. With one DATA and --by, the two
values of a column make the samples.`,
		Example: `  mercer test two-sample before.csv after.csv
  mercer test two-sample a.csv b.csv --columns load,temp --plot witness.png
  mercer test two-sample trial.csv --by group --kernel 'laplace(lengthscale=2)'`,
		Args: dataArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.A = args[0]
			if len(args) == 2 {
				o.B = args[1]
			}
			return a.twoSample(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.By, "by", "", "column of a single DATA whose two values make the samples")
	f.StringSliceVar(&o.Columns, "columns", nil, "columns to compare; default: all")
	f.StringVar(&o.Kernel, "kernel", "", "one kernel, as in 'matern(nu=1.5)', in place of gaussians of several widths")
	repairFlag(f, &o.Repair)
	f.StringVar(&o.Widths, "widths", "aggregate",
		"width of the gaussian: aggregate (several at once), median, or power (chosen on half of the rows)")
	f.IntVar(&o.Scales, "scales", 9, "how many widths to aggregate over, or to choose from by power")
	f.StringVar(&o.Estimate, "estimate", "unbiased",
		"with one kernel: unbiased, biased, block or linear (the last two for very many rows)")
	f.StringVar(&o.Null, "null", "permutation", "with one kernel: permutation, gamma, spectral or normal")
	f.IntVar(&o.Rows, "rows", 0,
		"most rows of both samples together, drawn by --seed; default: all, unless they are very many")
	o.given = f.Changed
	o.testFlags(f)
	o.flags(cmd, "the witness at every row", "the witness function")
	return cmd
}

func (a *App) twoSample(ctx context.Context, o *twoSampleOptions) error {
	if err := o.checkTest(); err != nil {
		return err
	}
	s, err := a.samples(ctx, o)
	if err != nil {
		return err
	}
	if o.Rows < 0 || o.Rows > 0 && o.Rows < 4 {
		return usage("--rows: %d; give 4 or more, or 0 for all", o.Rows)
	}
	if o.objects = !s.Pooled.vectors(); o.objects && o.given("widths") {
		c := s.Pooled.object()
		return usage("--widths: they are of gaussians of numbers, and column %q is %s; leave it out, or name a kernel "+
			"with --kernel", c.Name, withArticle(c.Kind))
	}
	bounded := o.bound(s)
	name := s.Names[0] + ", " + s.Names[1]
	planned := o.Permutations
	if o.aggregated() {
		planned *= 2 * o.Scales // for each kernel; as many again judge the smallest p-value
	}
	device, err := o.Device.open(s.X.Len() + s.Y.Len())
	if err != nil {
		return err
	}
	defer func() { _ = device.Close() }()
	trace, done := a.meter(&o.exploreOptions, "permuting", planned)
	settings := stat.TestSettings{Permutations: o.Permutations, Alpha: o.Alpha, Seed: o.Seed, Threads: o.par(),
		Device: device, Trace: trace}
	r, k, how, err := a.testSamples(ctx, o, s, settings)
	done()
	if err != nil {
		return lookError(name, err)
	}
	witness, err := stat.Witness(ctx, k, s.X, s.Y)
	if err != nil {
		return lookError(name, err)
	}
	if err := a.evaluateWitness(ctx, o, s, witness); err != nil {
		return lookError(name, err)
	}
	largest := s.largest()
	place, denser, fields := s.place(ctx, largest)
	if o.Plot != "" {
		f, err := s.witnessPlot(ctx, k, witness)
		if err != nil {
			return err
		}
		if err := a.writePlot(f, &o.plotOptions, "Where "+s.shown()[0]+" and "+s.shown()[1]+" differ"); err != nil {
			return err
		}
	}
	if o.Output != "" {
		if err := a.writeWitness(o, s); err != nil {
			return err
		}
	}
	if o.JSON {
		out := testJSON(r)
		out["notes"] = append(append([]string{}, r.Notes...), bounded...)
		out["samples"], out["columns"], out["widths"] = s.Names, s.Columns, how
		out["largest_difference"], out["denser"], out["witness"] = fields, denser, largest.Value
		return a.outcome(out)
	}
	w := a.say(&o.exploreOptions)
	null := nullText(r)
	if o.aggregated() {
		null = fmt.Sprintf("2 × %s, seed %d", plural(o.Permutations, "permutation"), o.Seed)
	}
	fmt.Fprintf(w, "MMD test, %s, %s\n", how, null)
	fmt.Fprintf(w, "n = %s, m = %s, %s\n", phrase.Thousands(s.X.Len()), phrase.Thousands(s.Y.Len()),
		plural(len(s.Columns), "column"))
	fmt.Fprintln(w, o.verdict(r, "equality"))
	see := ""
	if o.Plot != "" && o.Plot != "-" {
		see = "; see " + o.Plot
	}
	fmt.Fprintf(w, "largest difference near: %s, where %s is denser (witness%s)\n", place, denser, see)
	for _, n := range r.Notes {
		fmt.Fprintln(w, "note:", inFlags(n))
	}
	for _, n := range bounded {
		fmt.Fprintln(w, "note:", n)
	}
	return nil
}

func (o *twoSampleOptions) aggregated() bool {
	return o.Kernel == "" && o.Widths == "aggregate" && !o.objects
}

// vectors is points of numbers with their type.
func (s *samples) vectors(x data.Points[any]) data.Points[kernel.Vec] {
	v, _ := data.VectorsOf(x)
	return v
}

// testSamples runs the test asked for and returns the kernel that its witness has.
func (a *App) testSamples(
	ctx context.Context, o *twoSampleOptions, s *samples, settings stat.TestSettings,
) (*stat.TestResult, kernel.Kernel[any], string, error) {
	if o.Scales < 1 || o.Scales > 100 {
		return nil, nil, "", usage("--scales: %d; give a number from 1 to 100", o.Scales)
	}
	x, y := s.X, s.Y
	var k kernel.Kernel[any]
	how := ""
	switch {
	case o.Kernel != "" || o.objects:
		var err error
		k, err = a.kernelOr(ctx, "--kernel", &o.exploreOptions, notes, s.Names[0], s.Pooled)
		if errors.Is(err, learnt.ErrNoTargets) {
			if err = s.spend(o.Seed); err == nil {
				k, err = a.kernelOr(ctx, "--kernel", &o.exploreOptions, notes, s.Names[0], s.Pooled)
			}
			x, y = s.X, s.Y
		}
		if err != nil {
			return nil, nil, "", err
		}
		how = "kernel " + s.Pooled.kernelName(&o.exploreOptions, k)
		if s.Pooled.Apart != nil {
			how += fmt.Sprintf(", fitted to tell the samples apart on the other half of the rows (%d and %d are tested)",
				x.Len(), y.Len())
		}
	case o.Widths == "median":
		g, err := stat.MedianKernel(s.vectors(x), s.vectors(y))
		if err != nil {
			return nil, nil, "", err
		}
		k, how = kernel.OnVectors(g), "gaussian kernel, median width "+fourDigits(g.Lengthscale)
	case o.Widths == "aggregate", o.Widths == "power":
		scales, err := stat.PooledWidths(s.vectors(x), s.vectors(y), o.Scales)
		if err != nil {
			return nil, nil, "", err
		}
		if o.Widths == "aggregate" {
			if o.Estimate != "unbiased" || o.Null != "permutation" {
				return nil, nil, "", usage("--estimate and --null are for one kernel; add --widths median or --kernel")
			}
			r, err := stat.AggregatedMMD[kernel.Vec]{Kernels: scales, TestSettings: settings}.Test(ctx, s.vectors(x),
				s.vectors(y))
			if err != nil {
				return nil, nil, "", err
			}
			how := fmt.Sprintf("gaussian kernel, widths aggregated over %s", plural(len(scales), "scale"))
			if g, ok := scales[r.Best].(kernel.Gaussian); ok {
				how += fmt.Sprintf(" (strongest at %s)", fourDigits(g.Lengthscale))
			}
			r.Measure, _, _ = strings.Cut(r.Measure, " at ")
			return &r.TestResult, kernel.OnVectors(scales[r.Best]), how, nil
		}
		p, err := stat.SelectByPower(ctx, scales, s.vectors(x), s.vectors(y),
			stat.PowerOptions{Seed: o.Seed, Threads: o.par()})
		if err != nil {
			return nil, nil, "", err
		}
		k, x, y = kernel.OnVectors(p.Kernel), data.EraseVectors(p.TestX), data.EraseVectors(p.TestY)
		how = fmt.Sprintf("gaussian kernel, width chosen by power on the other half of the rows (%d and %d are tested)",
			x.Len(), y.Len())
	default:
		return nil, nil, "", usage("--widths: %q; give aggregate, median or power", o.Widths)
	}
	estimates := map[string]stat.MMDEstimate{"unbiased": stat.Unbiased, "biased": stat.Biased, "block": stat.Block,
		"linear": stat.Linear}
	estimate, ok := estimates[o.Estimate]
	if !ok {
		return nil, nil, "", usage("--estimate: %q; give unbiased, biased, block or linear", o.Estimate)
	}
	nulls := map[string]stat.Null{"permutation": stat.NullPermutation, "gamma": stat.NullGamma,
		"spectral": stat.NullSpectral, "normal": stat.NullNormal}
	if settings.Null, ok = nulls[o.Null]; !ok {
		return nil, nil, "", usage("--null: %q; give permutation, gamma, spectral or normal", o.Null)
	}
	r, err := stat.MMD[any]{Kernel: k, Estimate: estimate, TestSettings: settings}.Test(ctx, x, y)
	if err == nil && o.objects {
		r.Kernels = []string{s.Pooled.kernelText(k)} // as --kernel takes it
	}
	return r, k, how, err
}
