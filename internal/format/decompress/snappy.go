package decompress

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// snappyExpansion bounds what a byte of Snappy can stand for: three bytes copy
// at most 64.
const snappyExpansion = 22

var errSnappy = errors.New("damaged Snappy data")

// Snappy undoes a raw Snappy block of the given plain size.
func Snappy(src []byte, size int) ([]byte, error) {
	claimed, n := binary.Uvarint(src)
	if n <= 0 || claimed != uint64(size) {
		return nil, fmt.Errorf("%w: %d bytes where the page says %d", errSnappy, claimed, size)
	}
	src = src[n:]
	if size/snappyExpansion > len(src) {
		return nil, fmt.Errorf("%w: %d bytes cannot hold %d", errSnappy, len(src), size)
	}
	dst := make([]byte, 0, size)
	for len(src) > 0 {
		tag := src[0]
		var length, offset int
		switch tag & 3 {
		case 0: // literal: its length less one in the tag, or in the 1 to 4 bytes after
			length = int(tag >> 2)
			head := 1
			if length >= 60 {
				bytes := length - 59
				if len(src) < 1+bytes {
					return nil, errSnappy
				}
				length = 0
				for i := range bytes {
					length |= int(src[1+i]) << (8 * i)
				}
				head += bytes
			}
			length++
			if length > len(src)-head || length > size-len(dst) {
				return nil, errSnappy
			}
			dst = append(dst, src[head:head+length]...)
			src = src[head+length:]
			continue
		case 1:
			if len(src) < 2 {
				return nil, errSnappy
			}
			length, offset = 4+int(tag>>2&7), int(tag>>5)<<8|int(src[1])
			src = src[2:]
		case 2:
			if len(src) < 3 {
				return nil, errSnappy
			}
			length, offset = 1+int(tag>>2), int(binary.LittleEndian.Uint16(src[1:]))
			src = src[3:]
		case 3:
			if len(src) < 5 {
				return nil, errSnappy
			}
			length, offset = 1+int(tag>>2), int(binary.LittleEndian.Uint32(src[1:]))
			src = src[5:]
		}
		if offset <= 0 || offset > len(dst) || length > size-len(dst) {
			return nil, errSnappy
		}
		dst = repeat(dst, offset, length)
	}
	if len(dst) != size {
		return nil, errSnappy
	}
	return dst, nil
}

// repeat appends length bytes that start offset before the end of dst. The copy
// may overlap what it writes, which is how a run is written.
func repeat(dst []byte, offset, length int) []byte {
	from := len(dst) - offset
	if offset >= length {
		return append(dst, dst[from:from+length]...)
	}
	for length > 0 {
		n := min(length, len(dst)-from)
		dst = append(dst, dst[from:from+n]...)
		length -= n
	}
	return dst
}
