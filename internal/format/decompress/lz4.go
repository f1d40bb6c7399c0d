package decompress

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// lz4Expansion bounds what a byte of LZ4 can stand for: a byte of 255 lengthens
// a match by as much.
const lz4Expansion = 255

var errLZ4 = errors.New("damaged LZ4 data")

// LZ4 undoes a raw LZ4 block of the given plain size.
func LZ4(src []byte, size int) ([]byte, error) {
	if size/lz4Expansion > len(src) {
		return nil, fmt.Errorf("%w: %d bytes cannot hold %d", errLZ4, len(src), size)
	}
	dst, err := lz4Block(make([]byte, 0, size), src, size)
	if err == nil && len(dst) != size {
		err = fmt.Errorf("%w: %d bytes where %d are announced", errLZ4, len(dst), size)
	}
	return dst, err
}

// lz4Block appends a decoded block to dst, up to limit bytes in all. Matches may
// reach back into what dst held before.
func lz4Block(dst, src []byte, limit int) ([]byte, error) {
	for len(src) > 0 {
		token := src[0]
		src = src[1:]
		length, ok := lz4Length(&src, int(token>>4))
		if !ok || length > len(src) || length > limit-len(dst) {
			return nil, errLZ4
		}
		dst = append(dst, src[:length]...)
		if src = src[length:]; len(src) == 0 {
			return dst, nil // the last sequence has no match
		}
		if len(src) < 2 {
			return nil, errLZ4
		}
		offset := int(binary.LittleEndian.Uint16(src))
		src = src[2:]
		length, ok = lz4Length(&src, int(token&15))
		length += 4
		if !ok || offset == 0 || offset > len(dst) || length > limit-len(dst) {
			return nil, errLZ4
		}
		dst = repeat(dst, offset, length)
	}
	return dst, nil
}

// lz4Length adds the bytes that follow a nibble of 15, up to the first below 255.
func lz4Length(src *[]byte, length int) (int, bool) {
	if length < 15 {
		return length, true
	}
	for i, b := range *src {
		length += int(b)
		if b < 255 {
			*src = (*src)[i+1:]
			return length, true
		}
	}
	return 0, false
}

// LZ4Hadoop undoes LZ4 as Hadoop frames it: pieces, each after its plain and its
// stored size, both big-endian. Some writers called so what is a plain block,
// which is then what is read.
func LZ4Hadoop(src []byte, size int) ([]byte, error) {
	dst, err := lz4Pieces(src, size)
	if err == nil {
		return dst, nil
	}
	if dst, plain := LZ4(src, size); plain == nil {
		return dst, nil
	}
	return nil, err
}

func lz4Pieces(src []byte, size int) ([]byte, error) {
	if size/lz4Expansion > len(src) {
		return nil, fmt.Errorf("%w: %d bytes cannot hold %d", errLZ4, len(src), size)
	}
	dst := make([]byte, 0, size)
	for len(src) > 0 {
		if len(src) < 8 {
			return nil, errLZ4
		}
		plain, stored := int64(binary.BigEndian.Uint32(src)), int64(binary.BigEndian.Uint32(src[4:]))
		src = src[8:]
		if stored > int64(len(src)) || plain > int64(size-len(dst)) {
			return nil, errLZ4
		}
		// A match does not reach into the piece before.
		piece, err := LZ4(src[:stored], int(plain))
		if err != nil {
			return nil, err
		}
		dst = append(dst, piece...)
		src = src[stored:]
	}
	if len(dst) != size {
		return nil, fmt.Errorf("%w: %d bytes where %d are announced", errLZ4, len(dst), size)
	}
	return dst, nil
}
