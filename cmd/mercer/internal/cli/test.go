package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/stat"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newTest(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "test",
		Short: "Test hypotheses: two samples alike? variables independent?",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("there is no test %q%s; known: two-sample, independence", args[0],
					meant(args[0], []string{"two-sample", "independence"}))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(newTwoSample(a), newIndependence(a))
	return cmd
}

// testOptions is what tests have in common.
type testOptions struct {
	exploreOptions
	Permutations int
	Alpha        float64
	Device       deviceOption
}

func (o *testOptions) testFlags(f *pflag.FlagSet) {
	f.IntVar(&o.Permutations, "permutations", 2000,
		"permutations that the p-value is counted over (aggregated widths take as many again)")
	f.Float64Var(&o.Alpha, "alpha", 0.05, "level of the test")
	o.Device.flag(f)
}

func (o *testOptions) checkTest() error {
	if o.Permutations < 1 || o.Permutations > 10_000_000 {
		return usage("--permutations: %d; give a number from 1 to 10,000,000", o.Permutations)
	}
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return usage("--alpha: %g; give a level between 0 and 1, as in 0.05", o.Alpha)
	}
	if 1/float64(o.Permutations+1) > o.Alpha {
		return usage("--permutations: %d can give no p-value below %.3g, so nothing would be rejected at %g; give %d or more",
			o.Permutations, 1/float64(o.Permutations+1), o.Alpha, int(1/o.Alpha))
	}
	return o.check()
}

// level is 0.05 as "5%".
func (o *testOptions) level() string { return strconv.FormatFloat(100*o.Alpha, 'g', 4, 64) + "%" }

// verdict is the line with statistic, p-value and decision.
func (o *testOptions) verdict(r *stat.TestResult, what string) string {
	decision := "do not reject " + what
	if r.Reject {
		decision = "reject " + what
	}
	return fmt.Sprintf("%s = %s    p = %s    %s at %s", r.Measure, fourDigits(r.Statistic), pText(r.P), decision,
		o.level())
}

// nullText says how the p-value came about.
func nullText(r *stat.TestResult) string {
	if r.Permutations > 0 {
		if r.Null == stat.NullShift {
			return plural(r.Permutations, "shift") + " of y"
		}
		return fmt.Sprintf("%s, seed %d", plural(r.Permutations, "permutation"), r.Seed)
	}
	return r.Null.String() + " null"
}

// testJSON is the result for machines.
func testJSON(r *stat.TestResult) map[string]any {
	return map[string]any{
		"test": r.Test, "measure": r.Measure, "statistic": r.Statistic, "p": r.P, "alpha": r.Alpha, "reject": r.Reject,
		"threshold": r.Threshold, "null": r.Null.String(), "permutations": r.Permutations, "seed": r.Seed, "sizes": r.Sizes,
		"kernels": r.Kernels, "notes": append([]string{}, r.Notes...),
	}
}

// splitColumns reads a list of columns.
func splitColumns(text string) []string {
	var out []string
	for _, s := range strings.Split(text, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}
