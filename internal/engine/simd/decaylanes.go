package simd

// Lanes is how many pairs of strings DecayLanes works on side by side.
const Lanes = 8

// MostLaneLevels is how many sums a column may have.
const MostLaneLevels = 4

// DecayLanes runs along the columns of eight lanes with v ← λv + w[j] for each of some levels. The
// columns are codes, eight bytes each, with eight bytes more behind the last; w is the levels of a
// column one after the other, eight numbers each. x is the eight codes of one row, or of two rows
// that follow each other. Where the code of a column is that of the row, the sum of the lane takes
// v of the last level; and to w[j] goes first, in the lowest level, and λ times the v of the level
// below in the others; the run goes on with the old w[j]. The second row meets what the first left.
// first has a number for each row, and v for each row its levels and then its sum, eight numbers
// each, to go on from.
func DecayLanes(levels int, codes []byte, w []float64, lambda float64, first []float64, x []byte, v []float64) {
	n, rows := len(codes)/Lanes-1, len(first)
	if n <= 0 {
		return
	}
	_, _, _ = w[n*levels*Lanes-1], x[rows*Lanes-1], v[rows*(levels+1)*Lanes-1]
	decayLanes(levels, n, codes, w, lambda, first, x, v)
}

// HasLanes says whether DecayLanes has instructions of its own here: the plain loop is slower than
// running along the levels of one pair (DecayRows).
func HasLanes() bool { return hasLanes() }

func decayLanesRef(levels, n int, codes []byte, w []float64, lambda float64, first []float64, x []byte, v []float64) {
	for r, start := range first {
		state := v[r*(levels+1)*Lanes : (r+1)*(levels+1)*Lanes]
		sum := state[levels*Lanes:]
		for j := range n {
			column := w[j*levels*Lanes : (j+1)*levels*Lanes]
			for lane := range Lanes {
				match := codes[j*Lanes+lane] == x[r*Lanes+lane]
				if match {
					sum[lane] += state[(levels-1)*Lanes+lane]
				}
				for l := levels - 1; l >= 0; l-- {
					at := l*Lanes + lane
					old := column[at]
					if match && l > 0 {
						column[at] += lambda * state[at-Lanes]
					} else if match {
						column[at] += start
					}
					state[at] = lambda*state[at] + old
				}
			}
		}
	}
}
