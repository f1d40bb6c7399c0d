package decompress

import (
	"errors"
	"math/bits"
)

var errBrotli = errors.New("damaged Brotli data")

// bitReader reads bits, the lowest of each byte first. Past the end they are 0
// and counted: what was read there is damage.
type bitReader struct {
	src   []byte
	held  uint64
	n     uint // bits in held
	extra uint // bits of them that are past the end
}

// need holds at least n bits, n ≤ 32.
func (r *bitReader) need(n uint) {
	for r.n < n {
		if len(r.src) > 0 {
			r.held |= uint64(r.src[0]) << r.n
			r.src = r.src[1:]
		} else {
			r.extra += 8
		}
		r.n += 8
	}
}

func (r *bitReader) bits(n uint) int {
	r.need(n)
	v := r.held & (1<<n - 1)
	r.held >>= n
	r.n -= n
	return int(v)
}

// over says whether more was read than there is.
func (r *bitReader) over() bool { return r.extra > r.n }

// align drops the rest of the byte, which must be 0.
func (r *bitReader) align() bool { return r.bits(r.n%8) == 0 }

// bytes takes n whole bytes, after align.
func (r *bitReader) bytes(n int) ([]byte, bool) {
	held := int(r.n-min(r.extra, r.n)) / 8
	if n > held+len(r.src) {
		return nil, false
	}
	var out []byte
	for range min(n, held) {
		out = append(out, byte(r.bits(8)))
	}
	rest := n - len(out)
	out = append(out, r.src[:rest]...)
	r.src = r.src[rest:]
	return out, true
}

// fastBits is the length of codes that one look finds.
const fastBits = 8

// prefixCode is a canonical prefix code (RFC 7932, section 3): the symbols by
// length and value, how many have each length, and the short codes by the bits
// to come.
type prefixCode struct {
	symbols []uint16
	count   [16]int
	fast    [1 << fastBits]uint32 // symbol and length; 0: a longer code
}

// newPrefixCode makes the code of lengths by symbol, which fill the tree, or
// have one symbol alone.
func newPrefixCode(lengths []byte) *prefixCode {
	c := &prefixCode{}
	for _, l := range lengths {
		c.count[l]++
	}
	c.count[0] = 0
	var next, at [16]int
	for l := 1; l < 16; l++ {
		next[l] = (next[l-1] + c.count[l-1]) << 1
		at[l] = at[l-1] + c.count[l-1]
	}
	c.symbols = make([]uint16, at[15]+c.count[15])
	for s, l := range lengths {
		if l == 0 {
			continue
		}
		c.symbols[at[l]] = uint16(s)
		at[l]++
		if l <= fastBits {
			reversed := int(bits.Reverse16(uint16(next[l])) >> (16 - l))
			for i := reversed; i < 1<<fastBits; i += 1 << l {
				c.fast[i] = uint32(s)<<4 | uint32(l)
			}
		}
		next[l]++
	}
	return c
}

func (c *prefixCode) read(r *bitReader) int {
	if len(c.symbols) == 1 {
		return int(c.symbols[0]) // which takes no bits
	}
	r.need(15)
	if f := c.fast[r.held&(1<<fastBits-1)]; f != 0 {
		r.held >>= f & 15
		r.n -= uint(f & 15)
		return int(f >> 4)
	}
	code, first, at := 0, 0, 0
	for l := 1; l < 16; l++ {
		code |= int(r.held & 1)
		r.held >>= 1
		r.n--
		if code-first < c.count[l] {
			return int(c.symbols[at+code-first])
		}
		at += c.count[l]
		first = (first + c.count[l]) << 1
		code <<= 1
	}
	r.extra = 1 << 30 // a full tree has no such code
	return 0
}

// The order and the code of the lengths of the code of lengths.
var (
	lengthOrder = [18]byte{1, 2, 3, 4, 0, 5, 17, 6, 16, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	lengthBits  = [16]uint{2, 2, 2, 3, 2, 2, 2, 4, 2, 2, 2, 3, 2, 2, 2, 4}
	lengthValue = [16]byte{0, 4, 3, 2, 0, 4, 3, 1, 0, 4, 3, 2, 0, 4, 3, 5}
)

// readCode reads a prefix code over an alphabet (sections 3.4 and 3.5).
func (r *bitReader) readCode(alphabet int) (*prefixCode, error) {
	skip := r.bits(2)
	if skip == 1 {
		return r.simpleCode(alphabet)
	}
	var ofLengths [18]byte
	space, used := 32, 0
	for _, s := range lengthOrder[skip:] {
		if space <= 0 {
			break
		}
		r.need(4)
		i := r.held & 15
		r.bits(lengthBits[i])
		if v := lengthValue[i]; v != 0 {
			ofLengths[s] = v
			space -= 32 >> v
			used++
		}
	}
	if used != 1 && space != 0 {
		return nil, errBrotli
	}
	code := newPrefixCode(ofLengths[:])
	lengths := make([]byte, alphabet)
	space = 1 << 15
	last, repeat, repeated := byte(8), 0, byte(0)
	for at := 0; at < alphabet && space > 0; {
		l := code.read(r)
		if r.over() {
			return nil, errBrotli
		}
		if l < 16 {
			lengths[at] = byte(l)
			at++
			repeat = 0
			if l != 0 {
				last = byte(l)
				space -= 1 << 15 >> l
			}
			continue
		}
		of := byte(0)
		if l == 16 {
			of = last
		}
		if repeated != of {
			repeat, repeated = 0, of
		}
		before := repeat
		if repeat > 0 {
			repeat = (repeat - 2) << (l - 14)
		}
		repeat += r.bits(uint(l-14)) + 3
		n := repeat - before
		if n > alphabet-at {
			return nil, errBrotli
		}
		for range n {
			lengths[at] = of
			at++
		}
		if of != 0 {
			space -= n << (15 - of)
		}
	}
	if space != 0 {
		return nil, errBrotli
	}
	return newPrefixCode(lengths), nil
}

// simpleCode reads a code of one to four symbols.
func (r *bitReader) simpleCode(alphabet int) (*prefixCode, error) {
	n := r.bits(2) + 1
	width := uint(bits.Len(uint(alphabet - 1)))
	lengths := make([]byte, alphabet)
	var symbols [4]int
	for i := range n {
		s := r.bits(width)
		if s >= alphabet || lengths[s] != 0 {
			return nil, errBrotli
		}
		symbols[i], lengths[s] = s, 1
	}
	shape := [][]byte{{1}, {1, 1}, {1, 2, 2}, {2, 2, 2, 2}}[n-1]
	if n == 4 && r.bits(1) == 1 {
		shape = []byte{1, 2, 3, 3}
	}
	for i := range n {
		lengths[symbols[i]] = shape[i]
	}
	return newPrefixCode(lengths), nil
}
