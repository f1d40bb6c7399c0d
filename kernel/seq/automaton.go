package seq

// automaton is the suffix automaton of a string: the least automaton that accepts its suffixes,
// with at most 2n states and 3n edges, made in linear time (A. Blumer et al., The smallest
// automaton recognizing the subwords of a text, 1985). A state stands for a class of substrings
// that end at the same places; they are the suffixes of the longest one, of length[v], that are
// longer than length[link[v]].
type automaton struct {
	length []int32
	link   []int32
	times  []float64 // how often the substrings of the state occur
	first  []int32   // the first edge of a state, or -1
	edges  []edge
	low    [128]int32     // where the root leads, by letter; 0 for nowhere
	high   map[rune]int32 // letters above 127
	order  []int32        // states by length
	steps  int            // edges looked at while it was made
}

// edge is one of the linked list of the edges that leave a state. The root, which has an edge for
// every letter, has a table instead.
type edge struct {
	letter rune
	to     int32
	next   int32
}

func newAutomaton(s []rune) *automaton {
	a := &automaton{high: map[rune]int32{}}
	a.length = make([]int32, 0, 2*len(s)+1)
	a.link = make([]int32, 0, 2*len(s)+1)
	a.first = make([]int32, 0, 2*len(s)+1)
	a.times = make([]float64, 0, 2*len(s)+1)
	a.edges = make([]edge, 0, 3*len(s))
	a.add(0, -1, 0)
	last := int32(0)
	for _, c := range s {
		last = a.extend(last, c)
	}
	a.sort()
	for i := len(a.order) - 1; i > 0; i-- { // what ends at a place of v ends at a place of its link
		v := a.order[i]
		a.times[a.link[v]] += a.times[v]
	}
	a.times[0] = 0
	return a
}

func (a *automaton) add(length, link int32, times float64) int32 {
	a.length = append(a.length, length)
	a.link = append(a.link, link)
	a.first = append(a.first, -1)
	a.times = append(a.times, times)
	return int32(len(a.length) - 1)
}

// extend adds one letter behind the string read so far, whose state is last.
func (a *automaton) extend(last int32, c rune) int32 {
	now := a.add(a.length[last]+1, 0, 1)
	p, q := last, int32(0)
	for ; p >= 0; p = a.link[p] {
		to, _, looked := a.next(p, c)
		a.steps += looked
		if to > 0 {
			q = to
			break
		}
		a.connect(p, c, now)
	}
	if p < 0 {
		return now
	}
	if a.length[p]+1 == a.length[q] {
		a.link[now] = q
		return now
	}
	clone := a.add(a.length[p]+1, a.link[q], 0)
	for e := a.first[q]; e >= 0; e = a.edges[e].next {
		a.steps++
		a.connect(clone, a.edges[e].letter, a.edges[e].to)
	}
	for ; p >= 0; p = a.link[p] {
		to, at, looked := a.next(p, c)
		a.steps += looked
		if to != q {
			break
		}
		if p == 0 {
			a.connect(0, c, clone)
		} else {
			a.edges[at].to = clone
		}
	}
	a.link[q], a.link[now] = clone, clone
	return now
}

func (a *automaton) connect(from int32, c rune, to int32) {
	switch {
	case from > 0:
		a.edges = append(a.edges, edge{c, to, a.first[from]})
		a.first[from] = int32(len(a.edges) - 1)
	case c < 128:
		a.low[c] = to
	default:
		a.high[c] = to
	}
}

// next is where the letter c leads (0 for nowhere: no edge goes to the root), by which edge, and
// how many were looked at.
func (a *automaton) next(from int32, c rune) (to, at int32, looked int) {
	if from == 0 {
		if c < 128 {
			return a.low[c], -1, 1
		}
		return a.high[c], -1, 1
	}
	for e := a.first[from]; e >= 0; e = a.edges[e].next {
		looked++
		if a.edges[e].letter == c {
			return a.edges[e].to, e, looked
		}
	}
	return 0, -1, looked + 1
}

// sort orders the states by length, by counting. Links are shorter than their states.
func (a *automaton) sort() {
	longest := int32(0)
	for _, l := range a.length {
		longest = max(longest, l)
	}
	start := make([]int32, longest+2)
	for _, l := range a.length {
		start[l+1]++
	}
	for l := 1; l < len(start); l++ {
		start[l] += start[l-1]
	}
	a.order = make([]int32, len(a.length))
	for v, l := range a.length {
		a.order[start[l]] = int32(v)
		start[l]++
	}
}
