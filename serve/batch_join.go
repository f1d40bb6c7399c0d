package serve

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// fits says that two requests can be computed together: they want the same of rows of the same
// form.
func fits(a, b *waiter) bool {
	if a.want != b.want || (a.x.Sparse == nil) != (b.x.Sparse == nil) || len(a.x.Objects) != len(b.x.Objects) ||
		(a.x.Noise == nil) != (b.x.Noise == nil) {
		return false
	}
	if a.x.Sparse != nil && a.x.Sparse.Dim() != b.x.Sparse.Dim() || a.x.Dense.Dim() != b.x.Dense.Dim() {
		return false
	}
	for i := range a.x.Objects {
		if p, q := &a.x.Objects[i], &b.x.Objects[i]; p.Kind != q.Kind || p.Channels != q.Channels {
			return false
		}
	}
	return true
}

// join is the rows of a batch one after the other.
func join(batch []*waiter) *data.Encoded {
	out := &data.Encoded{}
	rows := 0
	for _, q := range batch {
		rows += q.x.Len()
	}
	out.Kept = make([]int, rows)
	for i := range out.Kept {
		out.Kept[i] = i
	}
	first := batch[0].x
	for _, q := range batch {
		out.Noise = append(out.Noise, q.x.Noise...)
	}
	if first.Sparse != nil {
		all := make([]data.SparseVec, 0, rows)
		for _, q := range batch {
			for i := range q.x.Sparse.Len() {
				all = append(all, q.x.Sparse.At(i))
			}
		}
		s := data.SparseOf(all, first.Sparse.Dim())
		out.Sparse = &s
	} else {
		d := first.Dense.Dim()
		m := blas64.General{Rows: rows, Cols: d, Stride: d, Data: make([]float64, 0, rows*d)}
		for _, q := range batch {
			for i := range q.x.Dense.Len() {
				m.Data = append(m.Data, q.x.Dense.At(i)...)
			}
		}
		out.Dense = data.RowsOf(m)
	}
	for j := range first.Objects {
		c := data.Column{Name: first.Objects[j].Name, Kind: first.Objects[j].Kind, Channels: first.Objects[j].Channels,
			Notation: first.Objects[j].Notation}
		for _, q := range batch {
			o := &q.x.Objects[j]
			c.Strings = append(c.Strings, o.Strings...)
			c.Sequences = append(c.Sequences, o.Sequences...)
		}
		out.Objects = append(out.Objects, c)
	}
	return out
}

// share gives everyone of a batch its part of the predictions.
func share(batch []*waiter, p *model.Prediction) {
	lo := 0
	for _, q := range batch {
		hi := lo + q.x.Len()
		q.answer = partOf(p, lo, hi)
		q.answer.Rows, q.answer.Filled, q.answer.UnseenRows, q.answer.Unseen, q.answer.FarRows, q.answer.Doubts = q.x.Kept,
			q.x.Filled, q.x.UnseenRows, q.x.Unseen, q.x.FarRows, q.x.Doubts
		lo = hi
	}
}

// partOf is the predictions of some rows, of all targets.
func partOf(p *model.Prediction, lo, hi int) *model.Prediction {
	out := &model.Prediction{
		Values: part(p.Values, lo, hi), Codes: part(p.Codes, lo, hi), Labels: part(p.Labels, lo, hi),
		Scores: partRows(p.Scores, lo, hi), Proba: partRows(p.Proba, lo, hi),
		Std: part(p.Std, lo, hi), ObservationStd: part(p.ObservationStd, lo, hi), Low: part(p.Low, lo, hi),
		High:    part(p.High, lo, hi),
		Outputs: part(p.Outputs, lo, hi),
	}
	if p.Contributions != nil {
		out.Contributions = p.Contributions.Slice(lo, hi)
	}
	for _, other := range p.More {
		out.More = append(out.More, partOf(other, lo, hi))
	}
	return out
}

func part[E any](v []E, lo, hi int) []E {
	if v == nil {
		return nil
	}
	return v[lo:hi:hi]
}

func partRows(m *mat.Dense, lo, hi int) *mat.Dense {
	if m == nil || lo == hi {
		return nil
	}
	_, c := m.Dims()
	return m.Slice(lo, hi, 0, c).(*mat.Dense)
}
