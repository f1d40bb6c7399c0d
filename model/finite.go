package model

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"gonum.org/v1/gonum/mat"
)

// checkFinite refuses a prediction that is no number, and names its row: the model is damaged, or
// the row is beyond what it can compute with. An interval without an end is no answer either.
// Decision values and deviations may be infinite, but never what is no number.
func (p *Prediction) checkFinite(x *data.Encoded) error {
	for t := range 1 + len(p.More) {
		one := p.Target(t)
		for _, v := range []struct {
			what    string
			numbers []float64
			finite  bool
		}{{"the prediction", one.Values, true}, {"the deviation", one.Std, false},
			{"the deviation", one.ObservationStd, false}, {"the interval", one.Low, true}, {"the interval", one.High, true}} {
			for i, number := range v.numbers {
				if math.IsNaN(number) || v.finite && math.IsInf(number, 0) {
					return notFinite(x, i, v.what, number)
				}
			}
		}
		for what, m := range map[string]*mat.Dense{"a decision value": one.Scores, "a probability": one.Proba} {
			if m == nil {
				continue
			}
			rows, columns := m.Dims()
			for i := range rows {
				for j := range columns {
					if math.IsNaN(m.At(i, j)) {
						return notFinite(x, i, what, m.At(i, j))
					}
				}
			}
		}
	}
	return nil
}

func notFinite(x *data.Encoded, i int, what string, number float64) error {
	return x.Fault(i, data.Error{Kind: data.ErrNotFinite, Value: phrase.Number(number),
		Reason: fmt.Sprintf("%s is %v, which is no answer", what, number),
		Advice: "leave the row out if its numbers are very large; else the model file is damaged: copy it again, or fit " +
			"the model again"})
}
