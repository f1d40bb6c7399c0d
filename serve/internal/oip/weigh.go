package oip

// What a field of a few bytes becomes in memory: lists grow by copying, and elements become numbers
// of 64 bits.
const (
	tensorWeight    = 512
	parameterWeight = 256
	partWeight      = 64
	elementWeight   = 32
)

// Weigh is about the memory that reading a request of ModelInfer will take, found without taking
// any: two bytes may be a tensor, and one an element. A message that cannot be read weighs what can
// be read of it.
func Weigh(b []byte) (total int64) {
	_ = each(b, func(f field) error {
		switch {
		case f.kind != delimited:
		case f.number == 4:
			total += parameterWeight + 2*int64(len(f.bytes))
		case f.number == 5 || f.number == 6:
			total += tensorWeight + weighTensor(f.bytes)
		case f.number == 7:
			total += partWeight
		}
		return nil
	})
	return total
}

func weighTensor(b []byte) (total int64) {
	_ = each(b, func(f field) error {
		switch {
		case f.number == 3:
			total += elementWeight * f.elements()
		case f.kind != delimited:
		case f.number <= 2:
			total += int64(len(f.bytes))
		case f.number == 4:
			total += parameterWeight + 2*int64(len(f.bytes))
		case f.number == 5:
			total += weighContents(f.bytes)
		}
		return nil
	})
	return total
}

func weighContents(b []byte) (total int64) {
	_ = each(b, func(f field) error {
		switch f.number {
		case 1, 2, 3, 4, 5:
			total += elementWeight * f.elements()
		case 6:
			total += elementWeight * max(1, int64(len(f.bytes)/4))
		case 7:
			total += elementWeight * max(1, int64(len(f.bytes)/8))
		case 8:
			total += partWeight
		}
		return nil
	})
	return total
}

// elements is how many numbers of seven bits a byte a field has: one, or as many as there are bytes
// that end one.
func (f field) elements() (n int64) {
	if f.kind != delimited {
		return 1
	}
	for _, b := range f.bytes {
		if b < 0x80 {
			n++
		}
	}
	return n
}
