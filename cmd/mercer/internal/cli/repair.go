package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/spf13/pflag"
)

// repairFlag declares what is done about a kernel that is not positive definite on the data.
func repairFlag(f *pflag.FlagSet, to *string) {
	f.StringVar(to, "repair", "none",
		"of a kernel that is not positive definite: clip its negative eigenvalues, flip their sign, shift all of "+
			"them, or none")
}

func parseRepair(text string) (gram.How, error) {
	if text == "" { // a verb without the flag
		return gram.NoRepair, nil
	}
	how, err := gram.RepairByName(text)
	if err != nil {
		return how, usage("--repair: %q; give clip, flip, shift or none", text)
	}
	return how, nil
}

// inFlags is a warning of the libraries with the flag that mends it.
func inFlags(warning string) string {
	return strings.ReplaceAll(warning, gram.RepairWords,
		"repair it with --repair clip, flip or shift, or take another kernel")
}

// need is what a verb does about a kernel that is not positive definite and is not to be repaired.
type need int

const (
	warning  need = iota // says so
	positive             // refuses it
	notes                // leaves it to the library, whose result has notes
)

// vetted is a kernel that was looked at on the rows it is for: repaired where that was asked for,
// and with a word where results are to be doubted.
func (a *App) vetted(
	ctx context.Context, flag string, o *exploreOptions, need need, k kernel.Kernel[any], x data.Points[any],
	repair func(gram.How) (kernel.Kernel[any], gram.PSD, error),
) (kernel.Kernel[any], error) {
	how, err := parseRepair(o.Repair)
	if err != nil {
		return nil, err
	}
	found, err := gram.Examine(ctx, k, x, o.par())
	if err != nil {
		return nil, err
	}
	if found.OK || how == gram.NoRepair {
		if err := found.Err(); err != nil && need == positive {
			return nil, usage("%s: %w", flag, err)
		}
		if need == notes {
			return k, nil
		}
		for _, w := range found.Warnings() {
			a.warn(o, flag+": "+inFlags(w))
		}
		return k, nil
	}
	r, before, err := repair(how)
	if err != nil {
		return nil, err
	}
	a.warn(o, fmt.Sprintf("%s: not positive definite (smallest eigenvalue %.3g, largest %.3g): repaired by %s", flag,
		before.Min, before.Max, how))
	return r, nil
}

// vettedVectors is vetted of a kernel on vectors.
func (a *App) vettedVectors(
	ctx context.Context, flag string, o *exploreOptions, need need, k kernel.Kernel[kernel.Vec], x data.DenseRows,
) (kernel.Kernel[any], error) {
	return a.vetted(ctx, flag, o, need, kernel.OnVectors(k), data.EraseVectors(x),
		func(how gram.How) (kernel.Kernel[any], gram.PSD, error) {
			r, err := gram.RepairKernel[kernel.Vec](ctx, k, x, how, gram.Options{Threads: o.par()})
			if err != nil {
				return nil, gram.PSD{}, err
			}
			return kernel.OnVectors(r), r.Before, nil
		})
}

// warn says what is to be doubted about a result, beside it: on standard error, or as part of the
// JSON.
func (a *App) warn(o *exploreOptions, text string) {
	a.warnings = append(a.warnings, text)
	if !o.Quiet && !o.JSON {
		fmt.Fprintln(a.Err, "warning:", text)
	}
}
