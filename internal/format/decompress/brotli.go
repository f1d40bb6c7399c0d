package decompress

import "fmt"

// brotli is a stream being decoded (RFC 7932, Alakuijala and Szabadka 2016). A
// stream is a row of meta-blocks; each has codes of its own for literals, for
// pairs of lengths and for distances, which change from block to block.
type brotli struct {
	bitReader
	dst    []byte
	limit  int
	window int
	last   [4]int // the last distances, the newest first
}

// Brotli undoes Brotli of the given plain size. A few bytes may stand for very
// many, so memory grows with what was decoded.
func Brotli(src []byte, size int) ([]byte, error) {
	b := &brotli{bitReader: bitReader{src: src}, dst: make([]byte, 0, min(size, firstStep)), limit: size,
		last: [4]int{4, 11, 15, 16}}
	if err := b.stream(); err != nil {
		return nil, err
	}
	if len(b.dst) != size {
		return nil, fmt.Errorf("%w: %d bytes where %d are announced", errBrotli, len(b.dst), size)
	}
	return b.dst, nil
}

func (b *brotli) stream() error {
	width := 16
	if b.bits(1) == 1 {
		if n := b.bits(3); n > 0 {
			width = 17 + n
		} else if n := b.bits(3); n == 1 {
			return fmt.Errorf("%w: a large window, which is another format", errBrotli)
		} else if n > 0 {
			width = 8 + n
		} else {
			width = 17
		}
	}
	b.window = 1<<width - 16
	for last := false; !last; {
		if last = b.bits(1) == 1; last && b.bits(1) == 1 {
			break
		}
		nibbles := uint(b.bits(2) + 4)
		if nibbles == 7 {
			if err := b.skip(); err != nil {
				return err
			}
			continue
		}
		size := b.bits(4 * nibbles)
		if nibbles > 4 && size>>(4*(nibbles-1)) == 0 {
			return errBrotli
		}
		size++
		if size > b.limit-len(b.dst) {
			return fmt.Errorf("%w: more than the %d bytes announced", errBrotli, b.limit)
		}
		var err error
		if !last && b.bits(1) == 1 {
			err = b.plain(size)
		} else {
			err = b.metaBlock(len(b.dst) + size)
		}
		if err != nil {
			return err
		}
	}
	// What is left of the last byte is 0, and nothing follows.
	if b.over() || !b.align() || b.n-b.extra > 0 || len(b.src) > 0 {
		return errBrotli
	}
	return nil
}

// skip steps over a meta-block that is not of the text.
func (b *brotli) skip() error {
	if b.bits(1) != 0 {
		return errBrotli
	}
	size, count := 0, uint(b.bits(2))
	if count > 0 {
		if size = b.bits(8 * count); count > 1 && size>>(8*(count-1)) == 0 {
			return errBrotli
		}
		size++
	}
	if !b.align() {
		return errBrotli
	}
	if _, ok := b.bytes(size); !ok {
		return errBrotli
	}
	return nil
}

// plain is a meta-block that is stored as it is.
func (b *brotli) plain(size int) error {
	if !b.align() {
		return errBrotli
	}
	text, ok := b.bytes(size)
	b.dst = append(b.dst, text...)
	if !ok {
		return errBrotli
	}
	return nil
}
