package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/mercer-ml/mercer/data"
)

// forecastEach fits the series of a file that a column tells apart, each to a model of its own,
// which is named by it: one that cannot be forecast is said, and the others are.
func (f *fitting) forecastEach(ctx context.Context) error {
	o := f.o
	if o.Report != "" && o.Report != "none" {
		return usage("--report: each series has a page of its own, beside its model; leave it out, or say none")
	}
	named, err := f.data.Column(o.Groups)
	if err != nil {
		return inputError(err)
	}
	rows := map[string][]int{}
	var names []string
	for i := range f.data.Len() {
		name := named.String(i)
		if named.IsMissing(i) {
			return inputError(&data.Error{File: f.data.Name, Row: i + 1, Column: o.Groups, Kind: data.ErrMissing,
				Reason: fmt.Sprintf("row %d is of no series", i+1), Advice: "name its series, or leave it out"})
		}
		if rows[name] == nil {
			names = append(names, name)
		}
		rows[name] = append(rows[name], i)
	}
	slices.Sort(names)
	parts, taken := make([]*fitting, len(names)), map[string]string{}
	for k, name := range names {
		own, out := *f, *o
		out.Output = seriesFile(o.Output, name)
		if other, ok := taken[out.Output]; ok {
			return usage("--groups: the series %q and %q have one file name, %s; name them apart", other, name, out.Output)
		}
		taken[out.Output] = name
		if own.o, own.data = &out, f.data.Gather(rows[name]); len(names) > 1 {
			own.data.Name = fmt.Sprintf("%s, %s", f.data.Name, name)
		}
		own.data.Columns = slices.DeleteFunc(own.data.Columns, func(c data.Column) bool { return c.Name == o.Groups })
		own.data.Groups = ""
		if err := out.checkPagePlaces(); err != nil {
			return err
		}
		parts[k] = &own
	}
	budget, _ := f.time.search(time.Now())
	var all []map[string]any
	var failed error
	fmt.Fprintf(f.say, "\n  %-20s %-36s %10s %10s  %s\n", clipTo(o.Groups, 20), "kernel", "rmse", "baseline", "wrote")
	for k, p := range parts {
		left := budget - time.Since(f.time.begun)
		told, err := p.forecastOne(ctx, left/time.Duration(len(parts)-k))
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			if failed = errors.Join(failed, fmt.Errorf("%s: %w", names[k], err)); len(parts) == 1 {
				return err
			}
			fmt.Fprintf(f.say, "  %-20s %s\n", clipTo(names[k], 20), "no model, see below")
			continue
		}
		all = append(all, p.forecastJSON(told))
		all[len(all)-1]["series"] = names[k]
		fmt.Fprintf(f.say, "  %-20s %-36s %10s %10s  %s\n", clipTo(names[k], 20), told.Tries[told.Chosen],
			number(told.Score.RMSE), number(told.Naive.RMSE), p.o.Output)
	}
	if o.JSON {
		if err := writeJSON(f.Out, all); err != nil {
			return err
		}
	} else if len(all) > 0 {
		fmt.Fprintf(f.say, "\npredict  mercer predict %s --forecast %d --interval 0.9\n",
			shellWord(fmt.Sprint(all[0]["model"])), o.Task.Forecast)
	}
	return failed
}

// seriesFile is the model of a series: sales.mercer of the series "north" is sales-north.mercer.
func seriesFile(output, name string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, name)
	ext := filepath.Ext(output)
	return strings.TrimSuffix(output, ext) + "-" + plain + ext
}
