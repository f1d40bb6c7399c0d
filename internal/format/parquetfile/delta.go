package parquetfile

import (
	"encoding/binary"
	"fmt"
)

// delta decodes integers stored as differences, packed in small blocks, each
// with a width of its own (Encodings.md, "Delta Encoding").
type delta struct {
	src                  []byte
	perBlock, miniblocks int
	total, left          int // values in all, and still to come
	last                 int64
	first                bool // whether the first value is still to come

	least  int64  // added to every difference of the block
	widths []byte // of the miniblocks still to come
	packed bitReader
	width  int
	mini   int // values left in the miniblock
}

func newDelta(src []byte) (delta, error) {
	var head [3]uint64
	for i := range head {
		x, n := binary.Uvarint(src)
		if n <= 0 || x > 1<<31 {
			return delta{}, fmt.Errorf("%w: the head of a delta encoding", errPage)
		}
		head[i], src = x, src[n:]
	}
	first, n := binary.Varint(src)
	d := delta{src: src[max(n, 0):], perBlock: int(head[0]), miniblocks: int(head[1]), total: int(head[2]),
		left: int(head[2]), last: first, first: true}
	if n <= 0 || d.miniblocks == 0 || d.perBlock%d.miniblocks != 0 || d.perBlock/d.miniblocks%8 != 0 || d.perBlock == 0 {
		return delta{}, fmt.Errorf("%w: delta blocks of %d values in %d parts", errPage, d.perBlock, d.miniblocks)
	}
	return d, nil
}

// next fills dst.
func (d *delta) next(dst []int64) error {
	if len(dst) > d.left {
		return fmt.Errorf("%w: too few values", errPage)
	}
	d.left -= len(dst)
	for i := range dst {
		if d.first {
			d.first = false
			dst[i] = d.last
			continue
		}
		if d.mini == 0 {
			if err := d.miniblock(); err != nil {
				return err
			}
		}
		d.mini--
		d.last += d.least + int64(d.packed.next(d.width))
		dst[i] = d.last
	}
	return nil
}

// miniblock moves on to the next miniblock, of the next block where need be.
func (d *delta) miniblock() error {
	if len(d.widths) == 0 {
		least, n := binary.Varint(d.src)
		if n <= 0 || len(d.src)-n < d.miniblocks {
			return fmt.Errorf("%w: a delta block without a head", errPage)
		}
		d.least, d.widths = least, d.src[n:n+d.miniblocks]
		d.src = d.src[n+d.miniblocks:]
	}
	d.width, d.widths = int(d.widths[0]), d.widths[1:]
	if d.width > 64 {
		return fmt.Errorf("%w: differences of %d bits", errPage, d.width)
	}
	d.mini = d.perBlock / d.miniblocks
	// The last miniblock may end where its last value does.
	bytes := min(d.mini/8*d.width, len(d.src))
	d.packed = bitReader{src: d.src[:bytes]}
	d.src = d.src[bytes:]
	return nil
}

// rest is what follows the last of all values. It is found without unpacking
// them.
func (d delta) rest() ([]byte, error) {
	for left := d.total - 1; left > 0; left -= d.mini {
		if err := d.miniblock(); err != nil {
			return nil, err
		}
	}
	return d.src, nil
}
