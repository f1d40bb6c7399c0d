package data

import (
	"io"
	"maps"
)

// ReadChunks joins the rows that next gives up to io.EOF, and finds the kinds of
// string columns from all of them; kinds gives those that are known, by name.
// Categories stay categories.
func ReadChunks(next func() (*Dataset, error), kinds map[string]Kind) (*Dataset, error) {
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
	return d, InferKinds(d, d.kept(kinds, Categorical))
}

// InferChunk is InferKinds for some rows of a stream: strings stay text unless
// kinds says otherwise, since the rows to come may look different.
func InferChunk(d *Dataset, kinds map[string]Kind) error {
	return InferKinds(d, d.kept(kinds, Text, Categorical))
}

// kept adds to kinds the columns of the given kinds that it does not name.
func (d *Dataset) kept(kinds map[string]Kind, same ...Kind) map[string]Kind {
	out := map[string]Kind{}
	for i := range d.Columns {
		for _, k := range same {
			if c := &d.Columns[i]; c.Kind == k {
				out[c.Name] = k
			}
		}
	}
	maps.Copy(out, kinds)
	return out
}
