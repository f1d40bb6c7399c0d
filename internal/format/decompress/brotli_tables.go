package decompress

// A span is the least of a range of numbers, and the bits that say which.
type span struct{ least, bits int }

func (s span) read(r *bitReader) int { return s.least + r.bits(uint(s.bits)) }

// The codes of lengths (RFC 7932, sections 5 and 6).
var (
	insertLengths = spans(0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 12, 14, 24)
	copyLengths   = spans(2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 24)
	blockLengths  = spans(1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 7, 8, 9, 10, 11, 12, 13, 24)
)

// spans are ranges one after another, from their widths in bits.
func spans(least int, bits ...int) []span {
	out := make([]span, len(bits))
	for i, b := range bits {
		out[i] = span{least, b}
		least += 1 << b
	}
	return out
}

// The codes of insert and copy lengths come in cells of 8 × 8: the first code of
// either. In the first two cells the last distance is meant.
var (
	cellInsert = [11]int{0, 0, 0, 0, 8, 8, 0, 16, 8, 16, 16}
	cellCopy   = [11]int{0, 8, 0, 8, 0, 8, 16, 0, 16, 8, 16}
)

// Distance codes below 16 are one of the last four distances and a little more
// or less.
var (
	nearWhich  = [16]int{0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}
	nearOffset = [16]int{0, 0, 0, 0, -1, 1, -2, 2, -3, 3, -1, 1, -2, 2, -3, 3}
)

// textLast is, for an ASCII byte before a literal of a text, a quarter of its part of the context
// in hexadecimal (section 7.1).
const textLast = "000000000110010000000000000000002343353467338393bbbbbbbbbb886a73" +
	"3cdddcdddcdddddcdddddcddddd637333efffefffefffffefffffefffff63730"

// context is the number, below 64, of the code for the next literal.
func context(mode, last, before byte) int {
	switch mode {
	case 0:
		return int(last & 63)
	case 1:
		return int(last >> 2)
	case 2:
		return lastInText(last) | beforeInText(before)
	}
	return signedContext(last)<<3 | signedContext(before)
}

func lastInText(b byte) int {
	switch {
	case b >= 192:
		return 2 | int(b&1)
	case b >= 128:
		return int(b & 1)
	}
	d := int(textLast[b])
	if d >= 'a' {
		return (d - 'a' + 10) << 2
	}
	return (d - '0') << 2
}

func beforeInText(b byte) int {
	switch {
	case b >= 'a' && b <= 'z':
		return 3
	case b >= 224 || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z':
		return 2
	case b > ' ' && b < 127:
		return 1
	}
	return 0
}

func signedContext(b byte) int {
	switch {
	case b == 0:
		return 0
	case b < 16:
		return 1
	case b < 64:
		return 2
	case b < 128:
		return 3
	case b < 192:
		return 4
	case b < 240:
		return 5
	case b < 255:
		return 6
	}
	return 7
}
