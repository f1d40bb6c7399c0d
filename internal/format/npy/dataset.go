package npy

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/room"
)

// ReadAll reads the arrays of an NPZ file by name.
func ReadAll(src io.ReaderAt, size int64, name string) (map[string]*Array, error) {
	return ReadAllWithin(src, size, name, 0)
}

// ReadAllWithin is ReadAll in so many bytes of memory; 0 means half of the machine's.
func ReadAllWithin(src io.ReaderAt, size int64, name string, bytes int64) (map[string]*Array, error) {
	left := room.New(name, bytes)
	z, err := zip.NewReader(src, size)
	if err != nil {
		return nil, &data.Error{File: name, Kind: data.ErrFormat, Reason: "not an NPZ file",
			Advice: "save arrays with numpy.savez", Err: err}
	}
	out := map[string]*Array{}
	for _, f := range z.File {
		key := strings.TrimSuffix(f.Name, ".npy")
		r, err := f.Open()
		if err != nil {
			return nil, damagedArray(name+":"+key, err)
		}
		a, err := read(r, name+":"+key, left)
		if err == nil { // the end of it has the checksum
			if n, end := io.CopyN(io.Discard, r, 1); n > 0 {
				err = damagedArray(name+":"+key, errors.New("more bytes than its shape says"))
			} else if end != io.EOF {
				err = damagedArray(name+":"+key, end)
			}
		}
		r.Close()
		if err != nil {
			return nil, err
		}
		if _, ok := out[key]; ok {
			return nil, &data.Error{File: name, Reason: fmt.Sprintf("two arrays are named %q", key)}
		}
		out[key] = a
	}
	return out, nil
}

// Dataset makes a data set of an array: a vector is one column x1, a matrix has
// columns x1, x2, …; a three-dimensional array n × t × d is a column of
// sequences for each d.
func (a *Array) Dataset(name string) (*data.Dataset, error) {
	d := &data.Dataset{Name: name}
	if err := a.addTo(d, "x"); err != nil {
		return nil, err
	}
	return d, nil
}

func (a *Array) addTo(d *data.Dataset, prefix string) error {
	if len(a.Values) == 0 {
		return &data.Error{File: d.Name, Reason: fmt.Sprintf("an array of shape %v, which holds nothing", a.Shape),
			Kind: data.ErrNoRows}
	}
	switch len(a.Shape) {
	case 1:
		n := prefix
		if n == "x" {
			n = "x1"
		}
		d.Columns = append(d.Columns, a.column(n, a.Values, 0, 1))
	case 2:
		rows, cols := a.Shape[0], a.Shape[1]
		for j := range cols {
			c := make([]float64, rows)
			for i := range c {
				c[i] = a.Values[i*cols+j]
			}
			d.Columns = append(d.Columns, a.column(prefix+strconv.Itoa(j+1), c, j, cols))
		}
	case 3:
		rows, length, channels := a.Shape[0], a.Shape[1], a.Shape[2]
		for j := range channels {
			q := make([][]float64, rows)
			for i := range q {
				q[i] = make([]float64, length)
				for t := range length {
					q[i][t] = a.Values[(i*length+t)*channels+j]
				}
			}
			d.Columns = append(d.Columns, data.SequenceColumn(prefix+strconv.Itoa(j+1), q))
		}
	default:
		return &data.Error{File: d.Name, Reason: fmt.Sprintf("an array of %d dimensions", len(a.Shape)),
			Advice: "give 1 (a column), 2 (rows × columns) or 3 (rows × time × channels)"}
	}
	return nil
}

// DatasetOf joins the arrays of an NPZ file with the same number of rows into
// one data set. Arrays named y, target, label or labels are the target; X or x
// give the columns x1, x2, …; others columns of their own name.
func DatasetOf(arrays map[string]*Array, name string) (*data.Dataset, error) {
	keys := make([]string, 0, len(arrays))
	for k := range arrays {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	d := &data.Dataset{Name: name}
	rows := -1
	var targets []string
	for _, k := range keys {
		a := arrays[k]
		if len(a.Shape) == 0 {
			continue // a scalar describes the set, it is no column
		}
		if rows >= 0 && a.Shape[0] != rows {
			return nil, &data.Error{File: name, Reason: fmt.Sprintf("array %q has %d rows where others have %d", k, a.Shape[0],
				rows), Advice: "save arrays of one length per file"}
		}
		rows = a.Shape[0]
		switch strings.ToLower(k) {
		case "y", "target", "label", "labels":
			targets = append(targets, k)
			continue
		}
		prefix := k
		if len(a.Shape) > 1 && (k == "X" || k == "arr_0" || k == "data") {
			prefix = "x"
		}
		if err := a.addTo(d, prefix); err != nil {
			return nil, err
		}
	}
	for _, k := range targets {
		from := len(d.Columns)
		if err := arrays[k].addTo(d, k); err != nil {
			return nil, err
		}
		if len(d.Columns) == from+1 && len(targets) == 1 {
			d.Columns[from].Name = k
			d.Target = k
		}
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	return d, nil
}

// column is one of numbers that stand among the values at from, from + step, …
func (a *Array) column(name string, numbers []float64, from, step int) data.Column {
	c := data.NumberColumn(name, numbers)
	for at, digits := range a.digits {
		if at%step != from {
			continue
		}
		if c.Digits == nil {
			c.Digits = map[int]string{}
		}
		c.Digits[at/step] = digits
	}
	return c
}

// damagedArray is the fault of an array in an archive that cannot be unpacked.
func damagedArray(name string, err error) error {
	return &data.Error{File: name, Kind: data.ErrDamaged, Reason: "the archive is damaged here",
		Advice: "copy the file again, or save it again with numpy.savez", Err: err}
}
