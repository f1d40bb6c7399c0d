package model

import (
	"bufio"
	"cmp"
	"context"
	"io"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/csvio"
)

// Readings is how the rows of a new file are to be read: as those were that the model was fitted
// on, but for target and weights, at which nobody looks. Nil where the model has no encoder.
func (m *Model) Readings() map[string]data.Notation {
	e := m.info.Encoder
	if e == nil {
		return nil
	}
	out := e.Readings()
	for _, t := range m.Targets() {
		delete(out, t)
	}
	delete(out, e.Weights)
	return out
}

// WriteCSV writes the predictions of a stream as a CSV file, Table of each chunk as it comes, and
// closes the stream. What stands there is whole lines wherever it ends. told, unless nil, hears of
// each chunk after it is written. The second error is one of writing, the first one of reading and
// predicting.
func (s *Stream) WriteCSV(
	ctx context.Context, w io.Writer, keep bool, told func(rows *data.Dataset, p *Prediction),
) (reading, writing error) {
	defer s.Close()
	buffered := bufio.NewWriterSize(w, 1<<16)
	out := csvio.NewWriter(buffered, ',')
	for {
		if err := ctx.Err(); err != nil {
			return err, nil
		}
		rows, p, err := s.Next(ctx)
		if err == io.EOF {
			return nil, nil
		}
		if err != nil {
			return err, nil
		}
		table, _ := s.m.Table(rows, p, s.w, keep)
		if err := cmp.Or(out.Write(table), out.Flush(), buffered.Flush()); err != nil {
			return nil, err
		}
		if told != nil {
			told(rows, p)
		}
	}
}
