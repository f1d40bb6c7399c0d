package decompress

import (
	"encoding/binary"
	"fmt"
)

// The flags of a frame.
const (
	lz4Dictionary  = 0x01
	lz4ContentSum  = 0x04
	lz4ContentSize = 0x08
	lz4BlockSum    = 0x10
)

// LZ4Frame undoes an LZ4 frame of the given plain size. The checksum of its
// header is held against it, and those of its blocks and of the whole content
// where the frame has them.
func LZ4Frame(src []byte, size int) ([]byte, error) {
	if size/lz4Expansion > len(src) {
		return nil, fmt.Errorf("%w: %d bytes cannot hold %d", errLZ4, len(src), size)
	}
	flags, src, err := lz4Header(src, size)
	if err != nil {
		return nil, err
	}
	dst := make([]byte, 0, size)
	for number := 1; ; number++ {
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
		block := src[:n]
		src = src[n:]
		if flags&lz4BlockSum != 0 { // of the block as it is stored
			if src, err = lz4Sum(src, block); err != nil {
				return nil, fmt.Errorf("%w of block %d", err, number)
			}
		}
		if plain {
			if len(block) > size-len(dst) {
				return nil, errLZ4
			}
			dst = append(dst, block...)
		} else if dst, err = lz4Block(dst, block, size); err != nil {
			return nil, err
		}
	}
	if len(dst) != size {
		return nil, fmt.Errorf("%w: %d bytes where %d are announced", errLZ4, len(dst), size)
	}
	if flags&lz4ContentSum != 0 {
		if _, err := lz4Sum(src, dst); err != nil {
			return nil, fmt.Errorf("%w of the content", err)
		}
	}
	return dst, nil
}

// lz4Header reads the head of a frame: the magic number, flags, the largest
// size of a block, the size of the content where the flags say so, a checksum of
// the rest. It returns the flags and what follows.
func lz4Header(src []byte, size int) (flags byte, rest []byte, err error) {
	if len(src) < 7 || binary.LittleEndian.Uint32(src) != 0x184D2204 {
		return 0, nil, fmt.Errorf("%w: no frame", errLZ4)
	}
	flags = src[4]
	if flags>>6 != 1 {
		return 0, nil, fmt.Errorf("%w: frame version %d", errLZ4, flags>>6)
	}
	if flags&lz4Dictionary != 0 {
		return 0, nil, fmt.Errorf("%w: the frame needs a dictionary", errLZ4)
	}
	end := 6
	if flags&lz4ContentSize != 0 {
		end += 8
	}
	if len(src) <= end {
		return 0, nil, errLZ4
	}
	if byte(xxHash32(src[4:end])>>8) != src[end] {
		return 0, nil, fmt.Errorf("%w: the checksum of its header", errLZ4)
	}
	if flags&lz4ContentSize != 0 {
		if n := binary.LittleEndian.Uint64(src[6:]); n != uint64(size) {
			return 0, nil, fmt.Errorf("%w: a frame of %d bytes where %d are announced", errLZ4, n, size)
		}
	}
	return flags, src[end+1:], nil
}

// lz4Sum takes a checksum of b from the front of src and returns what follows it.
func lz4Sum(src, b []byte) ([]byte, error) {
	if len(src) < 4 {
		return nil, errLZ4
	}
	if binary.LittleEndian.Uint32(src) != xxHash32(b) {
		return nil, fmt.Errorf("%w: the checksum", errLZ4)
	}
	return src[4:], nil
}
