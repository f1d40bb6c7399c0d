// Package mixed is kernels on the rows of a table whose columns are of several kinds: numbers,
// categories, texts, series, trees, sets, rankings, bags and graphs.
//
// Names to know: [Row] is a point and [SchemaOf] says what it holds. A [Column] says where
// a column is found, and [On] carries a kernel on its objects over to rows. [RowsOf] and
// [FeatureKernel] look for rows, and for a kernel on their numbers alone, in what has lost its type.
//
// A row is its numeric features and the objects of its other columns. A kernel on rows is built
// from kernels on the columns by the algebra: On carries a kernel on the objects of one column over
// to rows, Features one on the numeric features, and
//
//	k(x, y) = Σ_c w_c·k_c(x_c, y_c)     kernel.Sum: rows are alike where some columns are (direct sum)
//	k(x, y) = Π_c k_c(x_c, y_c)         kernel.Product: rows are alike where all columns are (tensor product)
//
// put them together (D. Haussler, Convolution kernels on discrete structures, 1999).
package mixed

import (
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Row is a row of a table.
type Row struct {
	Features kernel.Vec     // of the columns of numbers, categories and dates
	Sparse   data.SparseVec // in place of Features, where texts became words
	Objects  []any          // of the other columns, each of the type of its kind
}

// Column is where a column of the table is found in a row.
type Column struct {
	Name string
	Kind data.Kind
	// Offset is the first of its Width features, or of its features and the flag of missing values.
	Offset, Width int
	// Object is its place among the objects, -1 where it became features.
	Object int
	Items  []string // Ranking: the items, in the order of their numbers
	// Size is the bins of a Histogram, or the coordinates of a Distribution; 0: any.
	Size int
}

// Schema says what a row of a table holds.
type Schema struct {
	Columns []Column
	Dim     int  // features in all
	Sparse  bool // features are sparse
}

// Objects are the columns that became no features.
func (s Schema) Objects() []Column {
	var out []Column
	for _, c := range s.Columns {
		if c.Object >= 0 {
			out = append(out, c)
		}
	}
	return out
}

// Column finds a column by name.
func (s Schema) Column(name string) (Column, bool) {
	i := slices.IndexFunc(s.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return Column{}, false
	}
	return s.Columns[i], true
}

// Rows makes rows of an encoded data set: each object is read once. The error names the row (of the
// data set, from 1) and the column.
func (s Schema) Rows(x *data.Encoded) (data.Slice[Row], error) {
	columns := s.Objects()
	if len(columns) != len(x.Objects) {
		return nil, fmt.Errorf("mixed: %d columns of objects, want %d", len(x.Objects), len(columns))
	}
	rows := make(data.Slice[Row], x.Len())
	cells := make([]any, len(rows)*len(columns))
	for i := range rows {
		if s.Sparse {
			rows[i].Sparse = x.Sparse.At(i)
		} else if s.Dim > 0 {
			rows[i].Features = x.Dense.At(i)
		}
		rows[i].Objects, cells = cells[:len(columns):len(columns)], cells[len(columns):]
	}
	for j, c := range columns {
		for i := range rows {
			v, err := c.read(&x.Objects[j], i)
			if err != nil {
				return nil, x.Fault(i, data.Error{Column: c.Name, Value: x.Objects[j].String(i), Kind: data.ErrValue,
					Reason: fmt.Sprintf("column %q is no %s: %v", c.Name, c.Kind, err)})
			}
			rows[i].Objects[j] = v
		}
	}
	return rows, nil
}

// Features is k of the features of a row, dense or sparse.
func (s Schema) Features(k kernel.Kernel[kernel.Vec]) (kernel.Kernel[Row], error) {
	if s.Dim == 0 {
		return nil, fmt.Errorf("mixed: the table has no numbers or categories")
	}
	if !s.Sparse {
		return kernel.Pullback(k, func(r Row) kernel.Vec { return r.Features }), nil
	}
	on, err := kernel.OnSparse(k, s.Dim)
	if err != nil {
		return nil, err
	}
	return kernel.Pullback(on, func(r Row) data.SparseVec { return r.Sparse }), nil
}

// OnColumns is k of the features of some columns.
func (s Schema) OnColumns(names []string, k kernel.Kernel[kernel.Vec]) (kernel.Kernel[Row], error) {
	columns, err := s.Select(names)
	if err != nil {
		return nil, err
	}
	return s.Features(kernel.OnColumns{Kernel: k, Columns: columns})
}

// Select lists the features of columns that became some, in the order of the table.
func (s Schema) Select(names []string) ([]int, error) {
	var out []int
	for _, name := range names {
		c, ok := s.Column(name)
		if !ok || c.Object >= 0 {
			return nil, fmt.Errorf("mixed: no column of features %q", name)
		}
		for j := range c.Width {
			out = append(out, c.Offset+j)
		}
	}
	return out, nil
}

// NamesOf is the inverse of Select: the columns whose features these are; false where they are not
// all the features of some columns.
func (s Schema) NamesOf(features []int) ([]string, bool) {
	var names []string
	for len(features) > 0 {
		i := slices.IndexFunc(s.Columns, func(c Column) bool {
			return c.Width > 0 && c.Offset == features[0] &&
				c.Name != ""
		})
		if i < 0 || s.Columns[i].Width > len(features) {
			return nil, false
		}
		for j := range s.Columns[i].Width {
			if features[j] != s.Columns[i].Offset+j {
				return nil, false
			}
		}
		names, features = append(names, s.Columns[i].Name), features[s.Columns[i].Width:]
	}
	return names, len(names) > 0
}
