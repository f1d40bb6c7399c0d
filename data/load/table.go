package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/mercer-ml/mercer/data"
)

// Table is the rows of a file that is read chunk after chunk, pass after pass, and is never whole
// in memory. NPY (in C order), and Arrow and Parquet files that are not compressed as a whole, are
// read where they are; of others a compact file of numbers is made in the first pass, and removed
// by Close.
type Table struct {
	ctx     context.Context
	path    string
	options Options
	temp    string // folder for a file of numbers
	head    *data.Dataset
	direct  bool
	blocks  *blockFile
	rows    int // known after the first pass
	seen    stamp
}

// stamp tells a file from one that was written since.
type stamp struct {
	size int64
	time time.Time
}

func stampOf(path string) (stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}, cannotOpen(path, err)
	}
	return stamp{info.Size(), info.ModTime()}, nil
}

// headRows is how many rows decide what columns are and which is the target.
const headRows = 50000

// OpenTable looks at the first rows of a file to know what its columns are; rows that turn out to
// be written otherwise are refused with their line. temp is the folder for a file of numbers, where
// one is needed.
func OpenTable(ctx context.Context, path string, o Options, temp string) (*Table, error) {
	if path == "-" {
		return nil, &data.Error{File: "standard input", Kind: data.ErrTooLarge, Reason: "it can be read once only",
			Advice: "save it as a file, or give more memory"}
	}
	t := &Table{ctx: ctx, path: path, options: o, temp: temp}
	var err error
	if t.seen, err = stampOf(path); err != nil {
		return nil, err
	}
	s, err := open(ctx, path, o) // with the columns to ignore, which finish looks for and leaves out
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var chunks []*data.Dataset
	rows := 0
	for rows < headRows {
		d, err := s.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		rows += d.Len()
		chunks = append(chunks, d)
	}
	if rows == 0 {
		return nil, &data.Error{File: path, Kind: data.ErrNoRows, Reason: "no rows"}
	}
	notes := chunks[len(chunks)-1].Notes // which grow from chunk to chunk
	if t.head, err = data.Concat(chunks); err != nil {
		return nil, err
	}
	t.head.Notes = notes
	if err := data.InferKinds(t.head, o.inference()); err != nil {
		return nil, err
	}
	if t.head, err = finish(t.head, o); err != nil {
		return nil, err
	}
	if t.head.Target == "" && !o.NoTarget {
		return nil, &data.Error{File: path, Kind: data.ErrTarget, Reason: "no column can be the target", Advice: "name it"}
	}
	t.settle()
	return t, t.chooseWay()
}

// settle has the columns of all chunks read as those of the first rows.
func (t *Table) settle() {
	t.options.Target, t.options.Weights, t.options.Noise, t.options.Groups = t.head.Target, t.head.Weights, t.head.Noise,
		t.head.Groups
	t.options.Readings = map[string]data.Notation{}
	for i := range t.head.Columns {
		c := &t.head.Columns[i]
		n := data.Notation{Kind: c.Kind}
		if c.Notation != nil {
			n = *c.Notation
			n.Kind = c.Kind
		}
		t.options.Readings[c.Name] = n
	}
}

// chooseWay says whether passes read the file itself.
func (t *Table) chooseWay() error {
	src, _, err := openSource(t.ctx, t.path, t.options)
	if err != nil {
		return err
	}
	defer src.close()
	format, err := src.format(t.options.Format)
	if err != nil {
		return err
	}
	switch format {
	case formatNPY, formatParquet, formatArrowFile:
		t.direct = true
	}
	return nil
}

// Head is the first rows, by which columns were read.
func (t *Table) Head() *data.Dataset { return t.head }

// Rows is how many there are; 0 before the first pass.
func (t *Table) Rows() int { return t.rows }

// Pass calls f with all rows, in order. A file that was written since it was opened, or during the
// pass, is an error.
func (t *Table) Pass(ctx context.Context, f func(*data.Dataset) error) error {
	if t.blocks != nil {
		return t.blocks.pass(ctx, f)
	}
	if err := t.unchanged(0); err != nil {
		return err
	}
	var w *blockWriter
	var b *blockFile
	if !t.direct {
		var err error
		if b, w, err = newBlockFile(filepath.Join(t.temp, filepath.Base(t.path)+".blocks")); err != nil {
			return err
		}
	}
	rows, err := t.stream(ctx, func(d *data.Dataset) error {
		if w != nil {
			if err := w.add(d); err != nil {
				return err
			}
		}
		return f(d)
	})
	if err == nil {
		err = t.unchanged(rows)
	}
	if err == nil && w != nil {
		err = w.finish()
	}
	if err != nil {
		if b != nil {
			b.close()
		}
		return err
	}
	t.blocks, t.rows = b, rows
	return nil
}

// unchanged refuses a file that is not the one that was opened, or has another number of rows than
// a pass before.
func (t *Table) unchanged(rows int) error {
	now, err := stampOf(t.path)
	if err != nil {
		return err
	}
	if now != t.seen || rows > 0 && t.rows > 0 && rows != t.rows {
		return &data.Error{File: t.path, Row: rows, Kind: data.ErrChanged,
			Reason: fmt.Sprintf("the file was written while it was read: %d bytes, %d when it was opened", now.size,
				t.seen.size),
			Advice: "start again when nobody writes to it, or give a copy"}
	}
	return nil
}

func (t *Table) stream(ctx context.Context, f func(*data.Dataset) error) (rows int, err error) {
	s, err := Open(ctx, t.path, t.options)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	for {
		if err := ctx.Err(); err != nil {
			return rows, err
		}
		d, err := s.Next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			if changed := t.unchanged(0); changed != nil {
				err = changed
			}
			return rows, err
		}
		if d, err = t.roles(d); err != nil {
			return rows, err
		}
		if err := f(d); err != nil {
			return rows, err
		}
		rows += d.Len()
	}
}

// roles gives a chunk the columns, kinds and roles of the first rows.
func (t *Table) roles(d *data.Dataset) (*data.Dataset, error) {
	out := *d
	out.Name, out.Hash = t.head.Name, ""
	out.Target, out.Weights, out.Noise, out.Groups, out.Order = t.head.Target, t.head.Weights, t.head.Noise, t.head.Groups,
		t.head.Order
	out.Columns = append([]data.Column(nil), d.Columns...)
	for i := range out.Columns {
		c := &out.Columns[i]
		like, err := t.head.Column(c.Name)
		if err != nil {
			return nil, err
		}
		if c.Kind == like.Kind {
			continue
		}
		as, err := c.As(like.Kind)
		if err != nil {
			return nil, err
		}
		*c = as
	}
	return &out, nil
}

// Close removes what was made of the file.
func (t *Table) Close() error {
	if t.blocks == nil {
		return nil
	}
	b := t.blocks
	t.blocks = nil
	return b.close()
}
