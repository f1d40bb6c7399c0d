package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var errPage = errors.New("damaged page")

// hybrid decodes runs of one value and groups of eight bit-packed ones: levels,
// indices into dictionaries, and booleans (Encodings.md, "RLE / Bit-Packing
// Hybrid").
type hybrid struct {
	src   []byte
	width int // bits of a value, at most 32

	run    int // values left of a run
	value  uint32
	packed bitReader
	left   int // values left in packed groups
}

func newHybrid(src []byte, width int) (hybrid, error) {
	if width < 0 || width > 32 {
		return hybrid{}, fmt.Errorf("%w: values of %d bits", errPage, width)
	}
	return hybrid{src: src, width: width}, nil
}

// next fills dst.
func (h *hybrid) next(dst []uint32) error {
	for len(dst) > 0 {
		switch {
		case h.run > 0:
			n := min(h.run, len(dst))
			for i := range dst[:n] {
				dst[i] = h.value
			}
			h.run -= n
			dst = dst[n:]
		case h.left > 0:
			n := min(h.left, len(dst))
			for i := range dst[:n] {
				dst[i] = uint32(h.packed.next(h.width))
			}
			h.left -= n
			dst = dst[n:]
		default:
			if err := h.header(); err != nil {
				return err
			}
		}
	}
	return nil
}

// header reads how the next values are stored.
func (h *hybrid) header() error {
	head, n := binary.Uvarint(h.src)
	if n <= 0 || head>>1 == 0 || head>>1 > 1<<31 {
		return fmt.Errorf("%w: a run without a length", errPage)
	}
	h.src = h.src[n:]
	if head&1 == 0 {
		bytes := (h.width + 7) / 8
		if len(h.src) < bytes {
			return fmt.Errorf("%w: a run without a value", errPage)
		}
		h.value = 0
		for i := range bytes {
			h.value |= uint32(h.src[i]) << (8 * i)
		}
		if h.width < 32 && h.value>>h.width != 0 {
			return fmt.Errorf("%w: %d in %d bits", errPage, h.value, h.width)
		}
		h.src = h.src[bytes:]
		h.run = int(head >> 1)
		return nil
	}
	groups := int(head >> 1)
	bytes := groups * h.width
	if bytes > len(h.src) {
		// Some writers end the last group early: what is there must do.
		bytes = len(h.src)
		if h.width > 0 {
			groups = (bytes + h.width - 1) / h.width
		}
		if groups == 0 {
			return fmt.Errorf("%w: too few values", errPage)
		}
	}
	h.packed = bitReader{src: h.src[:bytes]}
	h.src = h.src[bytes:]
	h.left = 8 * groups
	return nil
}

// bitReader reads numbers of up to 64 bits, lowest bit first. Beyond the end of
// src there are zeros.
type bitReader struct {
	src  []byte
	word uint64
	bits int // in word
}

func (b *bitReader) next(width int) uint64 {
	if width == 0 {
		return 0
	}
	if b.bits >= width {
		x := b.word & (1<<width - 1)
		b.word >>= width
		b.bits -= width
		return x
	}
	x, have := b.word, b.bits
	if len(b.src) >= 8 {
		b.word, b.src = binary.LittleEndian.Uint64(b.src), b.src[8:]
	} else {
		var last [8]byte
		copy(last[:], b.src)
		b.word, b.src = binary.LittleEndian.Uint64(last[:]), nil
	}
	need := width - have
	x |= b.word << have
	if width < 64 {
		x &= 1<<width - 1
	}
	b.word >>= need // 64 leaves nothing
	b.bits = 64 - need
	return x
}
