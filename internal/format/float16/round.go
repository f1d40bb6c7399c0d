package float16

import "math"

// FromFloat32 is the pattern of the number nearest to x, the even one of two; what is too large
// becomes an infinity.
func FromFloat32(x float32) uint16 {
	bits := math.Float32bits(x)
	sign := uint16(bits >> 16 & 0x8000)
	switch size := bits & 0x7fffffff; {
	case size > 0x7f800000: // not a number
		return sign | 0x7e00
	case size >= 0x477ff000: // 65520 and more
		return sign | 0x7c00
	case size < 0x38800000: // below 2^-14: a multiple of 2^-24
		return sign | uint16(math.RoundToEven(math.Ldexp(float64(math.Float32frombits(size)), 24)))
	default:
		size += 0xfff + size>>13&1
		return sign | uint16(size>>13-(127-15)<<10)
	}
}
