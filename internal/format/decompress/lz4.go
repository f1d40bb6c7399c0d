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
	if size > lz4Expansion*len(src) {
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

// LZ4Frame undoes an LZ4 frame of the given plain size. The checksums of the
// frame format are stepped over.
func LZ4Frame(src []byte, size int) ([]byte, error) {
	if size > lz4Expansion*len(src) {
		return nil, fmt.Errorf("%w: %d bytes cannot hold %d", errLZ4, len(src), size)
	}
	if len(src) < 7 || binary.LittleEndian.Uint32(src) != 0x184D2204 {
		return nil, fmt.Errorf("%w: no frame", errLZ4)
	}
	flags := src[4]
	if flags>>6 != 1 {
		return nil, fmt.Errorf("%w: frame version %d", errLZ4, flags>>6)
	}
	blockSum, contentSize, dictionary := flags&0x10 != 0, flags&0x08 != 0, flags&0x01 != 0
	if dictionary {
		return nil, fmt.Errorf("%w: the frame needs a dictionary", errLZ4)
	}
	head := 7 // magic, flags, block size, checksum of the header
	if contentSize {
		head += 8
	}
	if len(src) < head {
		return nil, errLZ4
	}
	src = src[head:]
	dst := make([]byte, 0, size)
	for {
		if len(src) < 4 {
			return nil, errLZ4
		}
		n := binary.LittleEndian.Uint32(src)
		src = src[4:]
		if n == 0 { // the end mark
			break
		}
		plain := n>>31 == 1
		n &= 1<<31 - 1
		if int64(n) > int64(len(src)) {
			return nil, errLZ4
		}
		if plain {
			if int(n) > size-len(dst) {
				return nil, errLZ4
			}
			dst = append(dst, src[:n]...)
		} else {
			var err error
			if dst, err = lz4Block(dst, src[:n], size); err != nil {
				return nil, err
			}
		}
		src = src[n:]
		if blockSum {
			if len(src) < 4 {
				return nil, errLZ4
			}
			src = src[4:]
		}
	}
	if len(dst) != size {
		return nil, fmt.Errorf("%w: %d bytes where %d are announced", errLZ4, len(dst), size)
	}
	return dst, nil
}
