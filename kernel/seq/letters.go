package seq

import (
	"slices"
)

// letters is a string with its places sorted by letter.
type letters struct {
	text  string
	runes []rune  // the distinct letters, in order
	code  []int32 // the string, each letter by its number
	start []int32 // places[start[c]:start[c+1]] are those of letter c, ascending
	place []int32
}

func newLetters(s string) *letters {
	all := []rune(s)
	l := &letters{text: s, runes: slices.Clone(all), code: make([]int32, len(all)), place: make([]int32, len(all))}
	slices.Sort(l.runes)
	l.runes = slices.Compact(l.runes)
	l.start = make([]int32, len(l.runes)+1)
	for i, r := range all {
		c, _ := slices.BinarySearch(l.runes, r)
		l.code[i] = int32(c)
		l.start[c+1]++
	}
	for c := range l.runes {
		l.start[c+1] += l.start[c]
	}
	next := slices.Clone(l.start)
	for i, c := range l.code {
		l.place[next[c]] = int32(i)
		next[c]++
	}
	return l
}

// less is a total order of strings, by length first: programs that take a pair in this order give
// k(x, y) and k(y, x) the same bits.
func (l *letters) less(o *letters) bool {
	if len(l.code) != len(o.code) {
		return len(l.code) < len(o.code)
	}
	return l.text < o.text
}

// places are those of letter c, or none for c < 0.
func (l *letters) places(c int32) []int32 {
	if c < 0 {
		return nil
	}
	return l.place[l.start[c]:l.start[c+1]]
}

// match gives for each letter of l its number in o, or -1.
func (l *letters) match(o *letters) []int32 {
	out := make([]int32, len(l.runes))
	at := 0
	for c, r := range l.runes {
		for at < len(o.runes) && o.runes[at] < r {
			at++
		}
		out[c] = -1
		if at < len(o.runes) && o.runes[at] == r {
			out[c] = int32(at)
		}
	}
	return out
}

// matches is the number of pairs of places with equal letters.
func (l *letters) matches(o *letters, match []int32) float64 {
	n := 0.0
	for c, d := range match {
		if d >= 0 {
			n += float64(l.start[c+1]-l.start[c]) * float64(o.start[d+1]-o.start[d])
		}
	}
	return n
}
