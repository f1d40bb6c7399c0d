package data

import (
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// levelPlaces maps each level of a column to its place among the encoder's;
// -1 where it is not there.
func levelPlaces(known, levels []string) []int {
	at := make(map[string]int, len(known))
	for i, l := range known {
		at[l] = i
	}
	return placesAt(at, levels)
}

// manyLevels is from how many levels on an index of them is kept.
const manyLevels = 1000

// IndexLevels keeps an index of the levels of columns with very many, so that a single row does not
// cost as much as all of them. It is for an encoder that nobody uses yet.
func (e *Encoder) IndexLevels() {
	for i := range e.Columns {
		c := &e.Columns[i]
		if c.Kind != Categorical || c.at != nil || len(c.Levels) < manyLevels {
			continue
		}
		c.at = make(map[string]int, len(c.Levels))
		for k, l := range c.Levels {
			c.at[l] = k
		}
	}
}

// placesAt looks levels up.
func placesAt(at map[string]int, levels []string) []int {
	place := make([]int, len(levels))
	for i, l := range levels {
		place[i] = -1
		if k, ok := at[l]; ok {
			place[i] = k
		}
	}
	return place
}

// checkLevels refuses levels that were not there when the encoder was fitted.
func (e *Encoder) checkLevels(d *Dataset, code *ColumnCode, c *Column, place []int, kept []int, before int) error {
	if e.Options.Unseen == unseenZero {
		return nil
	}
	for _, i := range kept {
		k := c.Codes[i]
		if k < 0 || place[k] >= 0 {
			continue
		}
		l := c.Levels[k]
		return d.fault(Error{Row: before + i + 1, Column: code.Name, Value: l, Kind: ErrUnseen, Remedy: mend.Unseen,
			Reason: fmt.Sprintf("column %q is %q, a category not seen when the model was fitted%s (known: %s)",
				code.Name, phrase.Clip(l), phrase.DidYouMean(l, code.Levels), listNames(code.Levels))})
	}
	return nil
}

// put encodes value i of c, which is present, into row.
func (code *ColumnCode) put(row []float64, c *Column, i int, place []int) {
	switch code.Kind {
	case Numeric:
		row[0] = code.Scale[0].Apply(c.Numbers[i])
	case Categorical, Boolean:
		k := place[c.Codes[i]]
		if code.Coded {
			row[0] = float64(k)
		} else if k >= 0 {
			row[k] = 1
		}
	case Time:
		code.putTime(row, c.Micros[i])
	}
}

func (e *Encoder) fillDense(out *Encoded, d *Dataset, columns []*Column, before int) error {
	m := linalg.New[float64](len(out.Kept), e.Dim)
	if e.SparseDim > 0 {
		for to, from := range out.Kept {
			v := d.Sparse.At(from)
			row := m.Row(to)
			for k, j := range v.Index {
				if int(j) < e.SparseDim {
					row[j] = e.scaleSparse(int(j), v.Value[k])
				}
			}
		}
	}
	for ci, c := range columns {
		code := &e.Columns[ci]
		if code.Width == 0 && !code.Indicator {
			continue
		}
		if err := d.checkRange(c, before); err != nil {
			return err
		}
		place := code.places(c)
		if code.Kind.named() {
			if err := e.checkLevels(d, code, c, place, out.Kept, before); err != nil {
				return err
			}
		}
		for to, from := range out.Kept {
			row := m.Row(to)[code.Offset:]
			if !c.IsMissing(from) {
				code.put(row[:code.Width], c, from, place)
				continue
			}
			copy(row, code.Fill)
			if code.Indicator {
				row[code.Width] = 1
			}
		}
	}
	out.Dense = RowsOf(m)
	return checkFinite(d, e, out, before)
}

// checkFinite refuses values that scaling took beyond the range of float64.
func checkFinite(d *Dataset, e *Encoder, out *Encoded, before int) error {
	for i := range out.Dense.Len() {
		for j, x := range out.Dense.At(i) {
			if x-x != 0 {
				return d.fault(Error{Row: before + out.Kept[i] + 1, Column: e.Names()[j], Kind: ErrNotFinite, Remedy: mend.Scaling,
					Reason: fmt.Sprintf("feature %q becomes %v when scaled", e.Names()[j], x)})
			}
		}
	}
	return nil
}

func (e *Encoder) scaleSparse(j int, x float64) float64 { return x * e.SparseFactor(j) }

// SparseFactor is what feature j of a sparse file is multiplied by.
func (e *Encoder) SparseFactor(j int) float64 {
	switch {
	case e.SparseScale == nil:
		return 1
	case e.SparseIndex == nil:
		return e.SparseScale[j]
	}
	if k, ok := slices.BinarySearch(e.SparseIndex, int32(j)); ok {
		return e.SparseScale[k]
	}
	return 1
}

func (e *Encoder) fillSparse(out *Encoded, d *Dataset, columns []*Column, before int) error {
	m := &CSR{Rows: len(out.Kept), Cols: e.Dim, Ptr: make([]int, 1, len(out.Kept)+1)}
	places := make([][]int, len(columns))
	finders := make([]*wordFinder, len(columns))
	widest := 0
	for ci, c := range columns {
		code := &e.Columns[ci]
		if code.Object() {
			continue
		}
		if code.Kind == Text {
			finders[ci] = code.finder()
			continue
		}
		widest = max(widest, code.Width)
		places[ci] = code.places(c)
		if code.Kind.named() {
			if err := e.checkLevels(d, code, c, places[ci], out.Kept, before); err != nil {
				return err
			}
		}
	}
	row := make([]float64, widest)
	add := func(j int, x float64) {
		if x != 0 {
			m.Index = append(m.Index, int32(j))
			m.Value = append(m.Value, x)
		}
	}
	for _, i := range out.Kept {
		if e.SparseDim > 0 {
			v := d.Sparse.At(i)
			for k, j := range v.Index {
				if int(j) < e.SparseDim {
					add(int(j), e.scaleSparse(int(j), v.Value[k]))
				}
			}
		}
		for ci, c := range columns {
			code := &e.Columns[ci]
			if code.Object() {
				continue
			}
			if code.Kind == Text {
				finders[ci].features(c.Strings[i], func(j int, x float64) { add(code.Offset+j, x) })
				continue
			}
			clear(row)
			missing := c.IsMissing(i)
			if missing {
				copy(row, code.Fill)
			} else {
				code.put(row[:code.Width], c, i, places[ci])
			}
			for j, x := range row[:code.Width] {
				add(code.Offset+j, x)
			}
			if code.Indicator && missing {
				add(code.Offset+code.Width, 1)
			}
		}
		m.Ptr = append(m.Ptr, len(m.Value))
	}
	s := Sparse(m)
	out.Sparse = &s
	return nil
}
