package svmtool

import (
	"context"
	"fmt"
	"io"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/format/libsvm"
)

// g6 is C's %g.
func g6(x float64) string { return libsvm.FormatG(x, 6) }

// foldsOf cuts rows as LIBSVM does: for classifiers each class is shuffled and
// dealt out in runs, otherwise all rows are.
func foldsOf(y []float64, folds int, stratify bool, r *crand) [][]int {
	n := len(y)
	out := make([][]int, folds)
	if stratify && folds < n {
		for _, member := range groupClasses(y).member {
			rows := append([]int(nil), member...)
			r.shuffle(rows)
			for f := range folds {
				out[f] = append(out[f], rows[f*len(rows)/folds:(f+1)*len(rows)/folds]...)
			}
		}
		return out
	}
	rows := par.Indices(0, n)
	r.shuffle(rows)
	for f := range folds {
		out[f] = rows[f*n/folds : (f+1)*n/folds]
	}
	return out
}

// crossValidate predicts every row by a model of the other folds.
func crossValidate[T any](ctx context.Context, t *trainer, p problem[T]) ([]float64, error) {
	folds := t.Folds
	if folds > len(p.y) {
		fmt.Fprintf(t.warn,
			"WARNING: # folds (%d) > # data (%d). Will use # folds = # data instead (i.e., leave-one-out cross validation)\n",
			folds, len(p.y))
		folds = len(p.y)
	}
	parts := foldsOf(p.y, folds, t.Type.classifies(), t.random)
	out := make([]float64, len(p.y))
	for f, test := range parts {
		var train []int
		for g, part := range parts {
			if g != f {
				train = append(train, part...)
			}
		}
		sub := p.part(train)
		m, sv, err := fit(ctx, t, sub)
		if err != nil {
			return nil, err
		}
		d, err := decideBy(ctx, t, m, p.k, rowsAt(sub.x, sv), rowsAt(p.x, test))
		if err != nil {
			return nil, err
		}
		prob := make([]float64, len(m.Label))
		for r, i := range test {
			var row []float64
			if m.outputs() > 0 {
				row = d.RawRowView(r)
			}
			if t.Probable && t.Type.classifies() {
				out[i] = m.probabilities(prob, row, t.log)
			} else {
				out[i] = m.value(row)
			}
		}
	}
	return out, nil
}

// tally compares predictions with labels.
type tally struct {
	n, right              int
	square                float64
	sp, sy, spp, syy, spy float64
}

func (a *tally) add(predicted, label float64) {
	a.n++
	if predicted == label {
		a.right++
	}
	a.square += (predicted - label) * (predicted - label)
	a.sp += predicted
	a.sy += label
	a.spp += predicted * predicted
	a.syy += label * label
	a.spy += predicted * label
}

func (a *tally) accuracy() float64   { return 100 * float64(a.right) / float64(a.n) }
func (a *tally) meanSquare() float64 { return a.square / float64(a.n) }

func (a *tally) correlation() float64 {
	n := float64(a.n)
	c := n*a.spy - a.sp*a.sy
	return c * c / ((n*a.spp - a.sp*a.sp) * (n*a.syy - a.sy*a.sy))
}

func (t *trainer) tellFolds(out io.Writer, predicted, y []float64) {
	var a tally
	for i := range y {
		a.add(predicted[i], y[i])
	}
	if t.Type.regresses() {
		fmt.Fprintf(out, "Cross Validation Mean squared error = %s\n", g6(a.meanSquare()))
		fmt.Fprintf(out, "Cross Validation Squared correlation coefficient = %s\n", g6(a.correlation()))
		return
	}
	fmt.Fprintf(out, "Cross Validation Accuracy = %s%%\n", g6(a.accuracy()))
}
