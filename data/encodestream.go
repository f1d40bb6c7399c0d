package data

import "io"

// EncodedStream encodes the chunks of a stream as they come, so that
// prediction takes the memory of one chunk whatever the size of the file.
type EncodedStream struct {
	e    *Encoder
	s    Stream
	rows int
}

// Stream encodes s chunk by chunk.
func (e *Encoder) Stream(s Stream) *EncodedStream { return &EncodedStream{e: e, s: s} }

// Next returns the next chunk as read and as encoded, or io.EOF. Rows in
// messages are counted from the start of the stream.
func (s *EncodedStream) Next() (*Dataset, *Encoded, error) {
	d, err := s.next()
	if err != nil {
		return nil, nil, err
	}
	if d, err = d.Join(s.e.Joins...); err != nil {
		return nil, nil, err
	}
	x, err := s.e.transform(d, false, s.rows)
	if err != nil {
		return nil, nil, err
	}
	s.rows += d.Len()
	return d, x, nil
}

// next is the next chunk. The rows of an example may stand anywhere in a file, which is one chunk
// then.
func (s *EncodedStream) next() (*Dataset, error) {
	whole := false
	for _, j := range s.e.Joins {
		whole = whole || j.By != ""
	}
	if !whole {
		return s.s.Next()
	}
	var chunks []*Dataset
	for {
		d, err := s.s.Next()
		if err == io.EOF && len(chunks) > 0 {
			return Concat(chunks)
		}
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, d)
	}
}

// Close closes the stream beneath.
func (s *EncodedStream) Close() error { return s.s.Close() }
