package data

import "io"

// ReadChunks joins the rows that next gives up to io.EOF, and finds the kinds of
// string columns from all of them, as far as they are not told.
// Categories stay categories.
func ReadChunks(next func() (*Dataset, error), in Inference) (*Dataset, error) {
	var chunks []*Dataset
	for {
		d, err := next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, d)
	}
	d, err := Concat(chunks)
	if err != nil {
		return nil, err
	}
	return d, inferKinds(d, in, []Kind{Categorical})
}

// ChunkInference is InferKinds for the rows of a stream, a chunk at a time:
// strings stay text unless something is told of them, since the rows to come may
// look different. What is told and leaves the way of writing open (dates,
// say, without the order of day and month) is settled by the first chunk that has values, and the
// others are read in the same way or refused: a date means the same wherever in a file it stands.
type ChunkInference struct {
	In      Inference
	settled bool
}

// Infer reads the columns of the next rows.
func (ci *ChunkInference) Infer(d *Dataset) error {
	if !ci.settled { // the map may be the caller's
		own := make(map[string]Notation, len(ci.In.Told))
		for name, n := range ci.In.Told {
			own[name] = n
		}
		ci.In.Told, ci.settled = own, true
	}
	if err := inferKinds(d, ci.In, []Kind{Text, Categorical}); err != nil {
		return err
	}
	for i := range d.Columns {
		c := &d.Columns[i]
		if n, told := ci.In.Told[c.Name]; told && !n.Settled && c.Notation != nil && c.Missing() < c.Len() {
			settled := *c.Notation
			settled.Settled = true
			ci.In.Told[c.Name] = settled
		}
	}
	return nil
}
