package csvio

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"sync"
	"unsafe"
)

// scanNumber reads a number at the start of s, up to the first byte that cannot
// belong to one, and returns its length; 0 where there is none. The value is
// the float64 nearest to the text. s must end with a byte that is not part of
// a number. point is the decimal mark.
func scanNumber(s []byte, point byte) (x float64, n int) { return fivePowers().scan(s, point) }

// scan is scanNumber with the table at hand, for those who call it often. Signs
// and how many digits are left after the eights are as good as random, so
// neither is branched on.
func (five *powers) scan(s []byte, point byte) (x float64, n int) {
	var sign uint64
	if s[0] == '-' {
		sign = 1
	}
	i := int(sign)
	if s[0] == '+' {
		i = 1
	}
	var mant uint64
	begin := i
	for ; s[i]-'0' < 10; i++ {
		mant = mant*10 + uint64(s[i]-'0')
	}
	digits := i - begin
	exp := 0
	if s[i] == point {
		i++
		from := i
		for len(s)-i >= 24 {
			v, k := leadingDigits(s[i:])
			mant = mant*tens[k&15] + v
			i += k
			if k < 8 {
				break
			}
			// Up to sixteen more, without asking how many: where a word has fewer
			// than eight, the next begins with none.
			v, k = leadingDigits(s[i:])
			mant = mant*tens[k&15] + v
			i += k
			v, k = leadingDigits(s[i:])
			mant = mant*tens[k&15] + v
			i += k
			if k < 8 {
				break
			}
		}
		for ; s[i]-'0' < 10; i++ { // within 24 bytes of the end of s
			mant = mant*10 + uint64(s[i]-'0')
		}
		exp = from - i
		digits += i - from
	}
	if digits == 0 {
		return 0, 0
	}
	end := i
	if s[i]|0x20 == 'e' {
		j := i + 1
		minus := s[j] == '-'
		if minus || s[j] == '+' {
			j++
		}
		from, e := j, 0
		for ; s[j]-'0' < 10; j++ {
			if e < 1e6 {
				e = e*10 + int(s[j]-'0')
			}
		}
		if j > from {
			if minus {
				e = -e
			}
			exp += e
			i = j
		}
	}
	// Beyond 19 digits mant has overflowed, unless the first of them are zeros.
	if digits > 19 && digits-leadingZeros(s[begin:end], point) > 19 {
		return exactly(s[:i], point), i
	}
	if exp == 0 && mant <= 1<<53 {
		x = float64(mant)
	} else {
		// Clinger's one division where mant and 10^-exp are exact is not faster,
		// and whether mant is below 2^53 would be one more thing to guess.
		var ok bool
		if x, ok = five.eiselLemire(mant, exp); !ok {
			return exactly(s[:i], point), i
		}
	}
	return math.Float64frombits(math.Float64bits(x) | sign<<63), i
}

var tens = [16]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// leadingDigits reads the digits that the first eight bytes of s begin with, and
// counts them. They are shifted to the end of the word, as if zeros stood before
// them, and added up in pairs, in fours and in all, each by one multiplication.
func leadingDigits(s []byte) (value uint64, count int) {
	v := binary.LittleEndian.Uint64(s) ^ 0x3030303030303030 // digits are bytes below 10 now
	count = bits.TrailingZeros64((v+0x7676767676767676|v)&0x8080808080808080) / 8
	v <<= uint(64 - 8*count)
	v = v*10 + v>>8
	const mask = 0x000000ff000000ff
	const fours, ones = 100 + 1000000<<32, 1 + 10000<<32
	return (v&mask*fours + v>>16&mask*ones) >> 32 & 0xffffffff, count
}

// leadingZeros counts the zeros that a number without sign begins with.
func leadingZeros(s []byte, point byte) int {
	n := 0
	for _, c := range s {
		if c == '0' {
			n++
		} else if c != point {
			break
		}
	}
	return n
}

const (
	leastPower = -342
	mostPower  = 308
)

// powers are the numbers of fivePowers.
type powers [mostPower - leastPower + 1][2]uint64

// fivePowers holds 5^q, q from leastPower to mostPower, as 128-bit numbers with
// the top bit set: rounded down for q ≥ 0, up for q < 0 (Lemire 2021, section 5).
var fivePowers = sync.OnceValue(func() *powers {
	var table powers
	low := new(big.Int).SetUint64(math.MaxUint64)
	power := big.NewInt(1)
	put := func(q int, c *big.Int) {
		table[q-leastPower] = [2]uint64{new(big.Int).Rsh(c, 64).Uint64(), new(big.Int).And(c, low).Uint64()}
	}
	normal := func(c *big.Int) *big.Int {
		if n := c.BitLen(); n < 128 {
			return new(big.Int).Lsh(c, uint(128-n))
		} else {
			return new(big.Int).Rsh(c, uint(n-128))
		}
	}
	for q := 0; q <= -leastPower; q++ {
		if q <= mostPower {
			put(q, normal(power))
		}
		if q > 0 {
			// 2^b / 5^q with 128 bits or more, rounded up, then cut to 128.
			b := uint(power.BitLen()) + 127
			if q > 27 {
				b = 2*uint(power.BitLen()) + 128
			}
			c := new(big.Int).Lsh(big.NewInt(1), b)
			c.Quo(c, power)
			put(-q, normal(c.Add(c, big.NewInt(1))))
		}
		power = new(big.Int).Mul(power, big.NewInt(5))
	}
	return &table
})

// eiselLemire returns the float64 nearest to w·10^q; ok is false in the rare
// cases it leaves to others: subnormal and infinite results.
func (p *powers) eiselLemire(w uint64, q int) (x float64, ok bool) {
	if w == 0 {
		return 0, true
	}
	if q < leastPower || q > mostPower {
		return 0, false
	}
	five := &p[q-leastPower]
	zeros := bits.LeadingZeros64(w)
	w <<= uint(zeros)
	hi, lo := bits.Mul64(w, five[0])
	if hi&0x1ff == 0x1ff {
		more, _ := bits.Mul64(w, five[1])
		var carry uint64
		lo, carry = bits.Add64(lo, more, 0)
		hi += carry
	}
	top := hi >> 63
	shift := top + 9 // 64 − 52 − 3
	m := hi >> shift
	e := (217706*q)>>16 + 63 + int(top) - zeros + 1023
	if e <= 0 {
		return 0, false
	}
	// Exactly half way between two floats: to the even one.
	if lo <= 1 && q >= -4 && q <= 23 && m&3 == 1 && m<<shift == hi {
		m &^= 1
	}
	m = (m + m&1) >> 1
	if m >= 1<<53 {
		m = 1 << 52
		e++
	}
	if e >= 2047 {
		return 0, false
	}
	return math.Float64frombits(m&^(1<<52) | uint64(e)<<52), true
}

// exactly parses text that is known to be a number. Out of range gives ±Inf.
func exactly(s []byte, point byte) float64 {
	if point != '.' {
		t := make([]byte, len(s))
		for i, c := range s {
			if c == point {
				c = '.'
			}
			t[i] = c
		}
		s = t
	}
	x, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(s), len(s)), 64)
	if err != nil && !math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}
