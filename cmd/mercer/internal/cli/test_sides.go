package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/stat"
)

// side is some columns as one variable.
type side struct {
	*table
	Columns []string
	Kernel  kernel.Kernel[any]
}

func (s *side) variable() stat.Variable { return stat.NewVariable(s.Kernel, s.points()) }

// sides cuts the columns into variables; rows with missing values go from all
// of them together.
func (a *App) sides(ctx context.Context, o *independenceOptions, d *data.Dataset) ([]*side, error) {
	if d.Sparse != nil {
		return nil, usage("%s: a LIBSVM file has no named columns; convert it with: mercer data %s --convert FILE.csv",
			d.Name, d.Name)
	}
	if !slices.Contains([]string{"hsic", "gamma", "dhsic", "coco", "kcc", "kgv"}, o.Method) {
		return nil, usage("--method: %q; give hsic, gamma, dhsic, coco, kcc or kgv", o.Method)
	}
	if o.Given != "" && o.Method != "hsic" && o.Method != "gamma" {
		return nil, usage("--given works with --method hsic or gamma, not %s", o.Method)
	}
	var lists [3][]string
	var err error
	for i, f := range []struct{ flag, text string }{{"x", o.X}, {"y", o.Y}, {"given", o.Given}} {
		if lists[i], err = columnNames(d, f.flag, splitColumns(f.text)); err != nil {
			return nil, err
		}
	}
	x, y, z := lists[0], lists[1], lists[2]
	rest := func(taken ...[]string) []string {
		return slices.DeleteFunc(d.Names(), func(n string) bool { return slices.Contains(slices.Concat(taken...), n) })
	}
	var groups [][]string
	switch {
	case o.Method == "dhsic":
		all := slices.Concat(x, y)
		if len(all) == 0 {
			all = d.Names()
		}
		for _, n := range all {
			groups = append(groups, []string{n})
		}
		if len(groups) < 2 {
			return nil, usage("--method dhsic needs two columns or more; name them with --x (found: %s)",
				strings.Join(d.Names(), ", "))
		}
	case len(y) == 0:
		return nil, usage("name the columns of one side with --y, and of the other with --x (found: %s)",
			strings.Join(d.Names(), ", "))
	default:
		if len(x) == 0 {
			x = rest(y, z)
		}
		groups = [][]string{x, y}
		if len(z) > 0 {
			groups = append(groups, z)
		}
	}
	if err := disjoint(groups, "x"); err != nil {
		return nil, err
	}
	return a.variables(ctx, o, d, groups)
}

// disjoint refuses groups of columns that are empty or share one.
func disjoint(groups [][]string, flag string) error {
	seen := map[string]bool{}
	for _, g := range groups {
		if len(g) == 0 {
			return usage("--%s: no columns are left; name some", flag)
		}
		for _, n := range g {
			if seen[n] {
				return usage("column %q is on both sides; leave it out of one", n)
			}
			seen[n] = true
		}
	}
	return nil
}

func (a *App) variables(
	ctx context.Context, o *independenceOptions, d *data.Dataset, groups [][]string,
) ([]*side, error) {
	if o.Encoding.Missing == "drop" {
		var whole []int
		for i := range d.Len() {
			ok := true
			for _, n := range slices.Concat(groups...) {
				c, err := d.Column(n)
				if err != nil {
					return nil, inputError(err)
				}
				ok = ok && !c.IsMissing(i)
			}
			if ok {
				whole = append(whole, i)
			}
		}
		d = d.Gather(whole)
	}
	out := make([]*side, len(groups))
	faults := make([]error, len(groups))
	suits := o.Kernel == ""
	for i, g := range groups {
		text, flag := o.Kernel, "--kernel"
		if i == 1 && o.KernelY != "" {
			text, flag = o.KernelY, "--kernel-y"
		}
		s, err := a.side(ctx, o, d, g, flag, text)
		if _, bad := asSpec(err); bad && flag == "--kernel" {
			faults[i] = err
			continue
		}
		if err != nil {
			return nil, err
		}
		out[i], suits = s, suits || flag == "--kernel"
	}
	for i, err := range faults {
		if err == nil {
			continue
		}
		if !suits { // it compares no side
			return nil, kernelError("--kernel", err)
		}
		if out[i], err = a.side(ctx, o, d, groups[i], "--kernel", ""); err != nil {
			return nil, err
		}
		a.warn(&o.exploreOptions, fmt.Sprintf("--kernel compares other columns than %s: they have the kernel %s",
			strings.Join(groups[i], ", "), out[i].kernelText(out[i].Kernel)))
	}
	for _, s := range out {
		o.objects = o.objects || !s.vectors()
	}
	return out, nil
}

// side is some columns as a variable. A text of a kernel that is not for them is a *spec.Error.
func (a *App) side(
	ctx context.Context, o *independenceOptions, d *data.Dataset, columns []string, flag, text string,
) (*side, error) {
	s := &side{table: &table{Name: d.Name, Data: d}, Columns: columns}
	if err := s.encode(columns, &o.exploreOptions, flag, text); err != nil {
		return nil, err
	}
	var err error
	s.Kernel, err = a.kernelOr(ctx, flag, &o.exploreOptions, o.need, d.Name+": column "+strings.Join(columns, ", "),
		s.table)
	return s, err
}
