package libsvm

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/sparsetext"
)

// parts are the rows of a chunk before they are joined: memory is made once, when their number is
// known.
type parts struct {
	list          []part
	rows, entries int
}

type part struct {
	*sparsetext.Rows
	from, to int
}

func (p *parts) add(r *sparsetext.Rows, from, to int) {
	p.list = append(p.list, part{r, from, to})
	p.rows += to - from
	p.entries += r.Ptr[to] - r.Ptr[from]
}

// dataset joins the rows.
func (p *parts) dataset(name string, dim int, hasQid bool) *data.Dataset {
	m := &data.CSR{Rows: p.rows, Cols: dim, Ptr: append(make([]int, 0, p.rows+1), 0)}
	if p.entries > 0 {
		m.Index, m.Value = make([]int32, 0, p.entries), make([]float64, 0, p.entries)
	}
	labels, qids := make([]float64, 0, p.rows), []float64(nil)
	for i, r := range p.list {
		lo, hi := r.Ptr[r.from], r.Ptr[r.to]
		shift := len(m.Value) - lo
		m.Index, m.Value = append(m.Index, r.Index[lo:hi]...), append(m.Value, r.Value[lo:hi]...)
		for _, end := range r.Ptr[r.from+1 : r.to+1] {
			m.Ptr = append(m.Ptr, end+shift)
		}
		labels = append(labels, r.Lead[r.from:r.to]...)
		if hasQid {
			qids = append(qids, r.Qid[r.from:r.to]...)
		}
		p.list[i] = part{}
	}
	s := data.Sparse(m)
	d := &data.Dataset{Name: name, Columns: []data.Column{data.NumberColumn(LabelColumn, labels)}, Sparse: &s,
		Target: LabelColumn}
	if hasQid {
		d.Columns = append(d.Columns, data.NumberColumn(QidColumn, qids))
		d.Groups = QidColumn
	}
	return d
}
