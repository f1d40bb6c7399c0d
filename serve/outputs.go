package serve

import (
	"math"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// asked is what a request wants of the model: the outputs in their order, and what has to be
// computed for them.
type asked struct {
	outputs []tensor // name, datatype, whether in binary form
	want    model.Want
	levels  []float64 // of quantiles
}

// ask reads which outputs a request names; all where it names none, but for those that are given
// only where they are named.
func (s *schema) ask(r *inference, m *model.Model) (*asked, error) {
	a := &asked{}
	names := r.outputs
	if names == nil {
		names = s.outputs
	}
	for i := range names {
		spec, ok := s.output(names[i].name)
		if !ok {
			return nil, refused("the model has no output %q (it has: %s)", clip(names[i].name),
				strings.Join(append(namesOf(s.outputs), namesOf(s.onAsk)...), ", "))
		}
		out := tensor{name: spec.name, of: spec.of, target: spec.target, kind: spec.kind,
			binary: r.params.truth("binary_data_output")}
		if p := names[i].params; r.outputs != nil {
			if v, given := p["binary_data"]; given {
				out.binary = v == "true"
			}
			if v, given := p["datatype"]; given {
				if v != spec.kind && (v != "FP32" || spec.kind != "FP64") {
					return nil, refused("output %q is %s and cannot be sent as %q", spec.name, spec.kind, clip(v))
				}
				out.kind = v
			}
		}
		switch spec.what() {
		case outProbabilities:
			a.want.Proba = true
		case outDecision:
			a.want.Scores = true
		case outStdMean, outStdObservation, outVariance, outCovariance:
			a.want.Std = true
		case outContributions, outContributionErrors, outBase:
			a.want.Contributions = true
		case outQuantiles:
			var err error
			if a.levels, err = s.quantiles(r, m); err != nil {
				return nil, err
			}
		}
		a.outputs = append(a.outputs, out)
	}
	return a, nil
}

// quantiles are the levels that a request asks for, as in "quantiles": "0.05,0.5,0.95".
func (s *schema) quantiles(r *inference, m *model.Model) ([]float64, error) {
	text, given := r.params["quantiles"]
	if !given {
		return s.levels, nil
	}
	var levels []float64
	for _, word := range strings.Split(text, ",") {
		p, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !(p > 0 && p < 1) || len(levels) == 64 {
			return nil, refused("parameter quantiles is %q; give up to 64 numbers between 0 and 1 with commas between them, "+
				"as 0.05,0.5,0.95", clip(text))
		}
		if c := centralLevel(p); c > 0 {
			if err := m.CheckInterval(c); err != nil {
				return nil, err
			}
		}
		levels = append(levels, p)
	}
	return levels, nil
}

// centralLevel is the share of observations between the quantiles of levels p and 1-p, rounded so
// that 0.05 and 0.95 give the same 0.9.
func centralLevel(p float64) float64 { return math.Round(math.Abs(2*p-1)*1e12) / 1e12 }

// predictor computes predictions of encoded rows, alone or with those of others.
type predictor func(w model.Want) (*model.Prediction, error)

// fill computes the outputs.
func (a *asked) fill(rows int, predict predictor) ([]tensor, error) {
	first := -1.0 // the interval that is computed with the rest
	for _, p := range a.levels {
		if c := centralLevel(p); c > 0 && first < 0 {
			first = c
			a.want.Interval = c
		}
	}
	all, err := predict(a.want)
	if err != nil {
		return nil, err
	}
	n := int64(rows)
	for i := range a.outputs {
		t := &a.outputs[i]
		t.shape = []int64{n}
		p := all.Target(t.target)
		switch t.what() {
		case outPrediction:
			if t.numbers = p.Values; p.Labels != nil {
				t.texts = p.Labels
			}
		case outClass:
			t.numbers = make([]float64, rows)
			for i, c := range p.Codes {
				t.numbers[i] = float64(c)
			}
		case outProbabilities:
			t.matrix(p.Proba)
		case outDecision:
			t.matrix(p.Scores)
		case outStdMean:
			t.numbers = p.Std
		case outStdObservation:
			t.numbers = p.ObservationStd
		case outVariance:
			t.numbers = make([]float64, rows)
			for i, s := range p.ObservationStd {
				t.numbers[i] = s * s
			}
		case outCovariance:
			t.covariance(all.Outputs)
		case outContributions, outContributionErrors, outBase:
			t.contributions(all.Contributions, rows)
		case outQuantiles:
			if err := a.fillQuantiles(t, all, first, predict); err != nil {
				return nil, err
			}
		}
		for i, x := range t.numbers {
			if x-x != 0 {
				return nil, refused("output %q of row %d is %v, which no answer can hold", t.name, i+1, x)
			}
		}
	}
	return a.outputs, nil
}

// covariance takes the numbers of a row target by target.
func (t *tensor) covariance(of []*mat.SymDense) {
	k := 0
	for _, c := range of {
		k = c.SymmetricDim()
		for a := range k {
			for b := range k {
				t.numbers = append(t.numbers, c.At(a, b))
			}
		}
	}
	t.shape = append(t.shape, int64(k), int64(k))
}

// contributions takes the numbers of a row output by output.
func (t *tensor) contributions(c *model.Contributions, rows int) {
	n, k, d := rows, len(c.Outputs), len(c.Columns)
	if t.what() == outBase {
		t.shape = []int64{int64(n), int64(k)}
		for range n {
			t.numbers = append(t.numbers, c.Base...)
		}
		return
	}
	t.shape, t.numbers = []int64{int64(n), int64(k), int64(d)}, make([]float64, n*k*d)
	from := c.Share
	if t.what() == outContributionErrors {
		from = c.Error
	}
	for o, m := range from {
		for i := range n {
			copy(t.numbers[(i*k+o)*d:], m.RawRowView(i)[:d])
		}
	}
}

// fillQuantiles puts the ends of intervals side by side; first is the interval that p has already.
func (a *asked) fillQuantiles(t *tensor, p *model.Prediction, first float64, predict predictor) error {
	n, k := p.Len(), len(a.levels)
	t.shape = []int64{int64(n), int64(k)}
	t.numbers = make([]float64, n*k)
	done := map[float64]*model.Prediction{first: p, 0: p}
	for j, level := range a.levels {
		c := centralLevel(level)
		q := done[c]
		if q == nil {
			var err error
			if q, err = predict(model.Want{Interval: c}); err != nil {
				return err
			}
			done[c] = q
		}
		q = q.Target(t.target)
		for i := range n {
			switch {
			case c == 0:
				t.numbers[i*k+j] = q.Values[i]
			case level < 0.5:
				t.numbers[i*k+j] = q.Low[i]
			default:
				t.numbers[i*k+j] = q.High[i]
			}
		}
	}
	return nil
}

// what says what an output is, whichever target it is of.
func (t *tensor) what() string {
	if t.of != "" {
		return t.of
	}
	return t.name
}

// matrix takes the numbers of a matrix row by row.
func (t *tensor) matrix(m *mat.Dense) {
	r, c := m.Dims()
	t.shape = []int64{int64(r), int64(c)}
	raw := m.RawMatrix()
	if raw.Stride == c {
		t.numbers = raw.Data[:r*c]
		return
	}
	t.numbers = make([]float64, 0, r*c)
	for i := range r {
		t.numbers = append(t.numbers, raw.Data[i*raw.Stride:i*raw.Stride+c]...)
	}
}
