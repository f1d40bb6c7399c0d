package decimal

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"sync"
	"unsafe"
)

// Scan reads a number at the start of s, up to the first byte that cannot
// belong to one, and returns its length; 0 where there is none. The value is
// the float64 nearest to the text. s must end with a byte that is not part of
// a number. point is the decimal mark.
func Scan(s []byte, point byte) (x float64, n int) { return Table().Scan(s, point) }

// Scan is the function of that name with the table at hand, for those who call it often. Signs
// and how many digits are left after the eights are as good as random, so
// neither is branched on.
func (five *Powers) Scan(s []byte, point byte) (x float64, n int) {
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
			three := s[i : i+24]
			v, k := leadingDigits(binary.LittleEndian.Uint64(three))
			if k < 8 {
				mant = mant*tens[k&15] + shifted(v, k)
				i += k
				break
			}
			// Up to sixteen more, without asking how many; the third word counts
			// only where the second is full.
			v2, k2 := leadingDigits(binary.LittleEndian.Uint64(three[8:]))
			v3, k3 := leadingDigits(binary.LittleEndian.Uint64(three[16:]))
			k3 &= -(k2 >> 3)
			mant = mant*1e8 + eightDigits(v)
			mant = mant*tens[k2&15] + shifted(v2, k2)
			mant = mant*tens[k3&15] + shifted(v3, k3)
			i += 8 + k2 + k3
			if k3 < 8 {
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

// leadingDigits turns ASCII digits, the first in the lowest byte, into bytes
// below 10, and counts how many there are before the first other byte.
func leadingDigits(ascii uint64) (v uint64, count int) {
	v = ascii ^ 0x3030303030303030
	return v, bits.TrailingZeros64((v+0x7676767676767676|v)&0x8080808080808080) / 8
}

// shifted is the number that the first k of eight digits spell: they are moved
// to the end, as if zeros stood before them.
func shifted(v uint64, k int) uint64 { return eightDigits(v << uint(64-8*k)) }

// eightDigits is the number that eight bytes below 10 spell: pairs, then fours,
// then all, each by one multiplication.
func eightDigits(v uint64) uint64 {
	v = v*10 + v>>8
	const mask = 0x000000ff000000ff
	const fours, ones = 100 + 1000000<<32, 1 + 10000<<32
	return (v&mask*fours + v>>16&mask*ones) >> 32 & 0xffffffff
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

// Powers are the numbers of Table.
type Powers [mostPower - leastPower + 1][2]uint64

// Table holds 5^q, q from leastPower to mostPower, as 128-bit numbers with
// the top bit set: rounded down for q ≥ 0, up for q < 0 (Lemire 2021, section 5).
var Table = sync.OnceValue(func() *Powers {
	var table Powers
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
func (p *Powers) eiselLemire(w uint64, q int) (x float64, ok bool) {
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
