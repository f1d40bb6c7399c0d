package svmtool

// crand is rand() of the GNU C library with its default seed 1: the additive
// feedback generator rᵢ = rᵢ₋₃ + rᵢ₋₃₁ mod 2³², started by a multiplicative
// congruential one, of which the first 310 values are thrown away and the
// lowest bit of each value is dropped. LIBSVM shuffles with it.
type crand struct {
	state [31]uint32
	at    int
}

func newRand() *crand {
	r := &crand{at: 3}
	word := int64(1)
	r.state[0] = 1
	for i := 1; i < len(r.state); i++ {
		word = 16807 * word % (1<<31 - 1)
		r.state[i] = uint32(word)
	}
	for range 310 {
		r.next()
	}
	return r
}

func (r *crand) next() int {
	// The value 31 places back is the one about to be replaced, the value 3
	// places back stands 28 places on in the ring.
	r.state[r.at] += r.state[(r.at+28)%31]
	v := r.state[r.at] >> 1
	r.at = (r.at + 1) % 31
	return int(v)
}

// shuffle draws a permutation in place the way LIBSVM does.
func (r *crand) shuffle(v []int) {
	for i := range v {
		j := i + r.next()%(len(v)-i)
		v[i], v[j] = v[j], v[i]
	}
}
