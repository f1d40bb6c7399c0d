package data

import (
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// Passer is a table whose rows are read in chunks, pass after pass, in the same order.
type Passer interface {
	Pass(ctx context.Context, f func(*Dataset) error) error
}

// EncodedRows is a Source of the rows of a table, encoded as they are read: a pass takes the memory
// of a chunk and a block.
type EncodedRows struct {
	table   Passer
	encoder *Encoder
	except  []int // rows of the table, in order
	rows    int
}

// NewEncodedRows is all rows of a table but for some, numbered from 0. It reads them once, to count
// those that the encoder keeps.
func NewEncodedRows(ctx context.Context, t Passer, e *Encoder, except []int) (*EncodedRows, error) {
	if e.Sparse || e.Target == nil {
		return nil, fmt.Errorf("encoded rows: the encoder must make dense features, and know the target")
	}
	for _, c := range e.Columns {
		if c.Object() {
			return nil, fmt.Errorf("encoded rows: column %q is one of objects", c.Name)
		}
	}
	r := &EncodedRows{table: t, encoder: e, except: slices.Clone(except)}
	slices.Sort(r.except)
	return r, r.chunks(ctx, func(x *Encoded, kept []int) error { r.rows += len(kept); return nil })
}

// Len is the number of rows.
func (r *EncodedRows) Len() int { return r.rows }

// Outputs is 1: the target, or the code of its class.
func (r *EncodedRows) Outputs() int { return 1 }

// chunks encodes the chunks of a pass; kept are the rows of a chunk's encoded ones that are not
// left out.
func (r *EncodedRows) chunks(ctx context.Context, f func(x *Encoded, kept []int) error) error {
	before, next := 0, 0
	return r.table.Pass(ctx, func(d *Dataset) error {
		x, err := r.encoder.transform(d, true, before)
		if err != nil {
			return err
		}
		kept := make([]int, 0, len(x.Kept))
		for i, row := range x.Kept {
			for next < len(r.except) && r.except[next] < before+row {
				next++
			}
			if next == len(r.except) || r.except[next] != before+row {
				kept = append(kept, i)
			}
		}
		before += d.Len()
		return f(x, kept)
	})
}

// Pass calls f with the rows in blocks of a size, whatever the chunks that they are read in.
func (r *EncodedRows) Pass(ctx context.Context, size int, f func(Block[[]float64]) error) error {
	dim := r.encoder.Dim
	rows := linalg.New[float64](min(size, max(r.rows, 1)), dim)
	block := Block[[]float64]{Outputs: 1, Targets: make([]float64, 0, rows.Rows)}
	if r.encoder.Weights != "" {
		block.Weights = make([]float64, 0, rows.Rows)
	}
	filled := 0
	flush := func() error {
		b := block
		b.Points = RowsOf(rows.Slice(0, filled, 0, dim))
		block.First += filled
		filled, block.Targets = 0, block.Targets[:0]
		if block.Weights != nil {
			block.Weights = block.Weights[:0]
		}
		return f(b)
	}
	err := r.chunks(ctx, func(x *Encoded, kept []int) error {
		for _, i := range kept {
			copy(rows.Row(filled), x.Dense.At(i))
			block.Targets = append(block.Targets, x.Target[i])
			if block.Weights != nil {
				block.Weights = append(block.Weights, x.Weights[i])
			}
			if filled++; filled == rows.Rows {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		return ctx.Err()
	})
	if err == nil && filled > 0 {
		err = flush()
	}
	if err == nil && block.First != r.rows {
		err = &Error{Kind: ErrChanged, Row: block.First, Reason: fmt.Sprintf("%s rows where there were %s before",
			phrase.Thousands(block.First), phrase.Thousands(r.rows))}
	}
	if err != nil {
		return err
	}
	return ctx.Err()
}
