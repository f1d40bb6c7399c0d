package tune

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
)

// usable lists the rows that a model can be learnt from and judged by: not those of weight 0, which
// have no say, nor the only row of a class, which cannot be on both sides. rare marks those of
// classes too small to spare a row for the final test.
func (r *AutoResult) usable(d *data.Dataset, task data.Task) (rows []int, codes []int, rare []bool, err error) {
	for i := range d.Len() {
		rows = append(rows, i)
	}
	if d.Weights != "" {
		c, err := d.Column(d.Weights)
		if err != nil {
			return nil, nil, nil, err
		}
		if c.Kind == data.Numeric {
			if rows = rowsWhere(rows, func(i int) bool { return c.Numbers[i] != 0 }); len(rows) == 0 {
				return nil, nil, nil, fault.Errorf("tune", "all weights in %q are 0: no row has a say", d.Weights)
			}
			if n := d.Len() - len(rows); n > 0 {
				r.note("%s of weight 0 left out", count(n, "row"))
			}
		}
	}
	if !task.Classification() {
		return rows, nil, nil, nil
	}
	c, err := d.Column(d.Target)
	if err != nil {
		return nil, nil, nil, err
	}
	classes, err := c.As(data.Categorical)
	if err != nil {
		return nil, nil, nil, err
	}
	size := map[int32]int{}
	for _, i := range rows {
		size[classes.Codes[i]]++
	}
	var alone []string
	for code, name := range classes.Levels {
		if size[int32(code)] == 1 {
			alone = append(alone, name)
		}
	}
	for i, name := range alone {
		if len(alone) > mostNamed {
			r.note("%d classes have 1 row each and are left out, %q among them: a class needs one to learn from and one "+
				"to judge by", len(alone), name)
			break
		}
		r.note("class %q has 1 row and is left out: a class needs one to learn from and one to judge by", alone[i])
	}
	rows = rowsWhere(rows, func(i int) bool { return classes.Codes[i] < 0 || size[classes.Codes[i]] > 1 })
	if len(rows) == 0 && len(alone) > 0 {
		return nil, nil, nil, &data.Error{File: d.Name, Column: d.Target, Kind: data.ErrTarget,
			Reason: fmt.Sprintf("each of the %d classes of %q has 1 row: a class needs one to learn from and one to judge by",
				len(alone), d.Target), Advice: "give more rows, or a target whose values come again"}
	}
	for _, i := range rows {
		codes = append(codes, int(classes.Codes[i]))
		rare = append(rare, size[classes.Codes[i]] < 3)
	}
	return rows, codes, rare, nil
}

// mostNamed is the most classes that are left out line by line.
const mostNamed = 3

func rowsWhere(rows []int, keep func(row int) bool) []int {
	var out []int
	for _, i := range rows {
		if keep(i) {
			out = append(out, i)
		}
	}
	return out
}

// spared is a hold-out, stratified by class, that leaves rare classes to the rows learnt from.
func spared(codes []int, rare []bool, share float64, seed uint64) (data.Fold, error) {
	var some, others []int
	for i, r := range rare {
		if r {
			others = append(others, i)
		} else {
			some = append(some, i)
		}
	}
	f, err := data.StratifiedHoldout(data.Take(codes, some), share, seed)
	if err != nil {
		return f, err
	}
	return data.Fold{Train: append(data.Take(some, f.Train), others...), Test: data.Take(some, f.Test)}, nil
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
