package parquetfile

import "fmt"

// lengths are strings one after another, with their lengths before them
// (DELTA_LENGTH_BYTE_ARRAY).
type lengths struct {
	delta delta
	text  string
	buf   []int64
}

func newLengths(src []byte) (*lengths, error) {
	d, err := newDelta(src)
	if err != nil {
		return nil, err
	}
	text, err := d.rest()
	if err != nil {
		return nil, err
	}
	return &lengths{delta: d, text: string(text)}, nil
}

func (l *lengths) fill(v *Values, at, n int) error {
	l.buf = sized(l.buf, n)
	if err := l.delta.next(l.buf); err != nil {
		return err
	}
	for i, size := range l.buf {
		if size < 0 || size > int64(len(l.text)) {
			return fmt.Errorf("%w: a string of %d bytes where %d are left", errPage, size, len(l.text))
		}
		v.Strings[at+i] = l.text[:size]
		l.text = l.text[size:]
	}
	return nil
}

// prefixes are strings that begin as the one before does, up to a length, and
// end otherwise (DELTA_BYTE_ARRAY).
type prefixes struct {
	prefix delta
	suffix *lengths
	buf    []int64
	last   string
	size   int // bytes of FixedBytes; 0: any
	room   int // bytes beyond those of the page that prefixes may still make
	hold   func(bytes int64) error
}

// The text that shared prefixes of one page may unfold to: leastUnfolded bytes,
// and unfoldedPerByte more for each that is stored.
const (
	leastUnfolded   = 1 << 26
	unfoldedPerByte = 1024
)

func newPrefixes(src []byte, size int, hold func(bytes int64) error) (*prefixes, error) {
	d, err := newDelta(src)
	if err != nil {
		return nil, err
	}
	rest, err := d.rest()
	if err != nil {
		return nil, err
	}
	s, err := newLengths(rest)
	if err != nil {
		return nil, err
	}
	return &prefixes{prefix: d, suffix: s, size: size, room: leastUnfolded + unfoldedPerByte*len(src), hold: hold}, nil
}

func (p *prefixes) fill(v *Values, at, n int) error {
	if err := p.suffix.fill(v, at, n); err != nil {
		return err
	}
	p.buf = sized(p.buf, n)
	if err := p.prefix.next(p.buf); err != nil {
		return err
	}
	for i, size := range p.buf {
		if size < 0 || size > int64(len(p.last)) {
			return fmt.Errorf("%w: %d bytes of a string of %d", errPage, size, len(p.last))
		}
		if size > 0 {
			if p.room -= int(size); p.room < 0 {
				return fmt.Errorf("%w: more text than is likely in its bytes", errPage)
			}
			if err := p.hold(size + int64(len(v.Strings[at+i]))); err != nil {
				return err
			}
			v.Strings[at+i] = p.last[:size] + v.Strings[at+i]
		}
		p.last = v.Strings[at+i]
		if p.size > 0 && len(p.last) != p.size {
			return fmt.Errorf("%w: a value of %d bytes where all have %d", errPage, len(p.last), p.size)
		}
	}
	return nil
}
