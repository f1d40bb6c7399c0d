package serve

import "io"

// room is the memory that a request has taken of what all of them may have. Nil takes none: the few
// bytes of a probe.
type room struct {
	s     *Server
	taken int64
}

// take counts bytes before they are made.
func (m *room) take(n int64) error {
	if m == nil {
		return nil
	}
	if _, err := m.s.take(n); err != nil {
		return err
	}
	m.taken += n
	return nil
}

// give returns all of it.
func (m *room) give() {
	if m != nil {
		m.s.memory.Add(-m.taken)
		m.taken = 0
	}
}

// read takes in what there is to be read, as it comes: a length can promise anything.
func (m *room) read(from io.Reader) ([]byte, error) {
	var b []byte
	for {
		if cap(b)-len(b) < 512 {
			size := max(1<<12, 2*cap(b))
			if err := m.take(int64(size - cap(b))); err != nil {
				return nil, err
			}
			b = append(make([]byte, 0, size), b...)
		}
		n, err := from.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
