package serve

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/format/csvio"
	"github.com/mercer-ml/mercer/model"
)

func truthOf(q url.Values, name string) bool {
	switch q.Get(name) {
	case "", "0", "false", "no":
		return q.Has(name) && q.Get(name) == ""
	}
	return true
}

// wantOf is what is computed beside the prediction, by the names of the command line's options.
func (v *served) wantOf(q url.Values) (w model.Want, err error) {
	w = model.Want{Proba: truthOf(q, "proba"), Std: truthOf(q, "std"), Scores: truthOf(q, "decision"),
		Contributions: truthOf(q, "contributions"), Remarks: truthOf(q, "remarks")}
	m := v.model
	switch of := q.Get("of"); of {
	case "", "observation":
	case "mean":
		w.OfMean = true
	case "all":
		if w.OfAll = true; len(m.Targets()) < 2 || q.Get("interval") == "" {
			return w, refused("of=all has intervals hold all targets of a model of several; give interval=0.9 as well, or " +
				"leave it out")
		}
	default:
		return w, refused("of=%q; give observation, mean or all", clip(of))
	}
	if text := q.Get("interval"); text != "" {
		if w.Interval, err = strconv.ParseFloat(text, 64); err != nil || !(w.Interval > 0 && w.Interval < 1) {
			return w, refused("interval=%q; give a number between 0 and 1, as 0.9", clip(text))
		}
		if err := m.CheckInterval(w.Interval); err != nil {
			return w, err
		}
	}
	switch {
	case v.transforms() && w != (model.Want{Remarks: w.Remarks}):
		return w, refused("%v: it is a %s, whose columns are all there is; leave proba, std, decision, contributions and "+
			"interval out", model.ErrNotPredictor, m.Role())
	case w.Contributions && !v.schema.contributes():
		return w, refused("contributions: %v", model.ErrNoContributions)
	case w.Proba && !m.HasProba():
		return w, refused("proba: %v", model.ErrNoProbabilities)
	case w.Std && !m.HasStd():
		return w, refused("std: %v", model.ErrNoDeviations)
	case w.OfMean && (w.Interval == 0 || !m.HasStd()):
		return w, refused("of=mean says what the interval of a model with a distribution of its own is of; give " +
			"interval=0.9 as well, or leave it out")
	}
	return w, nil
}

// readingOf says how the table is written, by the names of the command line's options.
func readingOf(q url.Values) (o load.Options, err error) {
	if f := q.Get("format"); f != "" {
		if o.Format, err = load.ParseFormat(f); err != nil {
			return o, refused("format: %v", err)
		}
	}
	switch d := q.Get("delimiter"); {
	case d == "":
	case d == "tab":
		o.Delimiter = '\t'
	case d == "space":
		o.Delimiter = ' '
	case len(d) == 1 && strings.Contains(",;|\t ", d):
		o.Delimiter = d[0]
	default:
		return o, refused("delimiter=%q; give one of , ; | tab space", clip(d))
	}
	switch d := q.Get("decimal"); d {
	case "":
	case ".", ",":
		o.Decimal = d[0]
	default:
		return o, refused("decimal=%q; give . or ,", clip(d))
	}
	switch h := q.Get("header"); h {
	case "", "auto":
	case "yes":
		o.Header = string(csvio.HeaderYes)
	case "no":
		o.Header = string(csvio.HeaderNo)
	default:
		return o, refused("header=%q; give auto, yes or no", clip(h))
	}
	switch e := strings.ToLower(q.Get("encoding")); e {
	case "":
	case "utf-8":
		o.Encoding = string(csvio.UTF8)
	case "latin-1":
		o.Encoding = string(csvio.Windows1252)
	default:
		return o, refused("encoding=%q; give utf-8 or latin-1", clip(e))
	}
	o.NA, o.Ignore, o.Sheet = q["na"], q["ignore"], q.Get("sheet")
	for _, told := range q["type"] {
		at := strings.LastIndex(told, "=")
		if at < 0 {
			return o, refused("type=%q; write NAME=KIND", clip(told))
		}
		n, err := data.ParseNotation(told[at+1:])
		if err != nil {
			return o, refused("type: %v", err)
		}
		if o.Told == nil {
			o.Told = map[string]data.Notation{}
		}
		o.Told[told[:at]] = n
	}
	return o, nil
}
