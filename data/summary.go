package data

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/phrase"
)

// Summary describes the data set in a line, as in
//
//	iris: 150 rows, 4 numeric columns, target "species" (3 classes, balanced)
func (d *Dataset) Summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", d.label(), count(d.Len(), "row"))
	var byKind [len(kindNames)]int
	missing := 0
	for _, c := range d.Features() {
		byKind[c.Kind]++
		if c.Missing() > 0 {
			missing++
		}
	}
	if d.Sparse != nil {
		fmt.Fprintf(&b, ", %s (sparse, %s)", count(d.Sparse.Dim(), "feature"), percent(d.Sparse))
	}
	for k, n := range byKind {
		if n > 0 {
			fmt.Fprintf(&b, ", %s", count(n, Kind(k).String()+" column"))
		}
	}
	if missing > 0 {
		fmt.Fprintf(&b, ", missing values in %s", count(missing, "column"))
	}
	if len(d.More) > 0 {
		fmt.Fprintf(&b, ", targets %q", d.Target)
		for _, name := range d.More {
			fmt.Fprintf(&b, ", %q", name)
		}
	} else if d.Target != "" {
		if c, err := d.Column(d.Target); err == nil {
			fmt.Fprintf(&b, ", target %q (%s)", d.Target, describeTarget(c))
		}
	}
	if d.Weights != "" {
		fmt.Fprintf(&b, ", weights %q", d.Weights)
	}
	if d.Noise != "" {
		fmt.Fprintf(&b, ", noise %q", d.Noise)
	}
	return b.String()
}

func percent(s *SparseRows) string {
	cells := float64(s.Len()) * float64(s.Dim())
	if cells == 0 {
		return "empty"
	}
	return fmt.Sprintf("%.3g%% non-zero", 100*float64(len(s.CSR().Value))/cells)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return phrase.Thousands(n) + " " + what + "s"
}

func describeTarget(c *Column) string {
	task, _, err := InferTask(c)
	if err != nil {
		return "constant"
	}
	if task == Regression {
		lo, hi := c.Numbers[0], c.Numbers[0]
		for _, x := range c.Numbers {
			lo, hi = min(lo, x), max(hi, x)
		}
		if m := c.Missing(); m > 0 {
			return fmt.Sprintf("numeric, %d missing", m)
		}
		return fmt.Sprintf("numeric, %.4g to %.4g", lo, hi)
	}
	classes, _ := c.As(Categorical)
	n := slices.DeleteFunc(classes.levelCounts(), func(n int) bool { return n == 0 })
	lo, hi := slices.Min(n), slices.Max(n)
	total := 0
	for _, x := range n {
		total += x
	}
	balance := "balanced"
	// Within 1.5 of each other still trains as balanced; beyond, say by how much.
	if 2*hi > 3*lo {
		balance = fmt.Sprintf("smallest %.3g%%, largest %.3g%%", 100*float64(lo)/float64(total),
			100*float64(hi)/float64(total))
	}
	return fmt.Sprintf("%d classes, %s", len(n), balance)
}
