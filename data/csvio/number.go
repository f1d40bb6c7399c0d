package csvio

import (
	"math"
	"strconv"
	"unsafe"
)

var pow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// scanNumber reads a number at the start of s, up to the first byte that cannot
// belong to one, and returns its length; 0 where there is none. The value is
// the float64 nearest to the text. s must end with a byte that is not part of
// a number. point is the decimal mark.
func scanNumber(s []byte, point byte) (x float64, n int) {
	i := 0
	neg := s[0] == '-'
	if neg || s[0] == '+' {
		i++
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
		for ; s[i]-'0' < 10; i++ {
			mant = mant*10 + uint64(s[i]-'0')
		}
		exp = from - i
		digits += i - from
	}
	if digits == 0 {
		return 0, 0
	}
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
	// Clinger: mant and 10^|exp| are both exact, so one rounding is the nearest.
	// Nineteen digits cannot overflow mant.
	if digits <= 19 && mant <= 1<<53 && exp >= -22 && exp <= 22 {
		x = float64(mant)
		if exp < 0 {
			x /= pow10[-exp]
		} else {
			x *= pow10[exp]
		}
		if neg {
			x = -x
		}
		return x, i
	}
	return exactly(s[:i], point), i
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
