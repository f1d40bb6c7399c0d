package seq

// reader is an automaton with the weights of substrings put on its states.
type reader struct {
	*automaton
	total []float64 // W_l = Σ_{q≤l} w_q
	worth []float64
}

// newReader adds up, for each state v, w_{|s|}·φ_s over all suffixes s of its longest substring:
// what the state adds to the worth of its link is times[v]·(W_{length[v]} - W_{length[link[v]]}).
func newReader(a *automaton, total []float64) *reader {
	r := &reader{a, total, make([]float64, len(a.length))}
	for _, v := range a.order[1:] {
		up := a.link[v]
		r.worth[v] = r.worth[up] + a.times[v]*(total[a.length[v]]-total[a.length[up]])
	}
	return r
}

// read is Σ_s w_{|s|}·φ_s(x)·φ_s(y), x the string of the automaton. Before each letter of y the
// state v and the length l are those of the longest suffix read so far that is a substring of x;
// all suffixes of it that are substrings of x are worth worth[link[v]] + times[v]·(W_l -
// W_{length[link[v]]}).
func (r *reader) read(y []rune) (sum float64, steps int) {
	v, l := int32(0), int32(0)
	for _, c := range y {
		for {
			to, _, looked := r.next(v, c)
			steps += looked
			if to > 0 {
				v, l = to, l+1
				break
			}
			if v == 0 {
				break
			}
			v = r.link[v]
			l = r.length[v]
		}
		if v > 0 {
			up := r.link[v]
			sum += r.worth[up] + r.times[v]*(r.total[l]-r.total[r.length[up]])
		}
	}
	return sum, steps
}
