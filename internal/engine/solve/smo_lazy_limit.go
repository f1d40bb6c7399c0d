package solve

import (
	"cmp"
	"slices"
)

// lazyLimit is what LazyRows of a limit know of their rows. Fresh memory is dear: the system clears
// it page by page, which takes longer than computing a row of few columns does, while most support
// vectors are moved to their bound once and not looked at again. So rows live in little memory, and
// give way; more is earned where rows that gave way are asked for again.
type lazyLimit struct {
	most    int     // rows present at most, unless more are asked for at a time
	held    bool    // rows are lent: none gives way
	last    []int32 // by point: the clock when its row was used last; nil where there is no limit
	clock   int32
	before  []bool // by point: it had a row once
	again   int    // rows made again since the limit was raised
	spare   [][]float32
	scratch []float32
	// leaving, where it is set, is told whose rows are about to give way.
	leaving func(points []int)
}

const (
	leastRows = 64 // kept whatever the limit
	leaveBy   = 8  // of the rows present, one in so many gives way at a time
	// rows made again, times this, before as many more may stay: a row of many columns costs
	// several times its memory
	raiseBy = 4
)

// Limit lets rows of so many bytes stay, to begin with.
func (l *LazyRows) Limit(bytes int64) {
	if l.most = int(max(bytes/int64(4*padded(l.n)), leastRows)); l.most >= l.n {
		l.NoLimit()
		return
	}
	l.last, l.before = make([]int32, l.n), make([]bool, l.n)
}

// NoLimit lets all rows stay from now on.
func (l *LazyRows) NoLimit() { l.most, l.last, l.before = l.n, nil, nil }

// touch notes that the row of a point is in use now.
func (l *LazyRows) touch(p int) {
	if l.last != nil {
		l.last[p] = l.clock
	}
}

// giveWay takes the rows that were used longest ago, at least count of them where so many are not
// in use now.
func (l *LazyRows) giveWay(count int) {
	var old []int
	for p, row := range l.rows {
		if row != nil && l.last[p] < l.clock {
			old = append(old, p)
		}
	}
	slices.SortFunc(old, func(a, b int) int { return cmp.Or(cmp.Compare(l.last[a], l.last[b]), cmp.Compare(a, b)) })
	old = old[:min(len(old), max(count, l.most/leaveBy))]
	if l.leaving != nil {
		l.leaving(old)
	}
	for _, p := range old {
		l.spare = append(l.spare, l.rows[p])
		l.rows[p], l.used[p] = nil, false
		l.none[p>>5] |= 1 << (p & 31)
	}
	l.kept -= len(old)
}

// earn raises the limit where many rows had to be made again.
func (l *LazyRows) earn(points []int) {
	if l.before == nil {
		return
	}
	for _, p := range points {
		if l.before[p] {
			l.again++
		}
		l.before[p] = true
	}
	if raiseBy*l.again > l.most {
		l.again = 0
		if l.most *= 2; l.most >= l.n {
			l.NoLimit()
		}
	}
}
