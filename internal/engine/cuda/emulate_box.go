package cuda

import (
	"math"
	"unsafe"
)

// boxMemory is the variables of a programme in the memory of an emulated device.
type boxMemory struct {
	f, linear, lower, upper, bet []float64
	point                        []int32
	group                        []byte
}

func (m *machine) boxStateAt(p Ptr) *BoxState {
	b := m.e.memory(p, uint64(unsafe.Sizeof(BoxState{})))
	if b == nil {
		m.status = illegalAddress
		return &BoxState{}
	}
	return (*BoxState)(unsafe.Pointer(unsafe.SliceData(b)))
}

// someOf is all numbers of the block that an address lies in, from there on.
func someOf[T float32 | float64 | uint64 | int32](m *machine, p Ptr) []T {
	i := m.e.find(p)
	if i < 0 {
		m.status = illegalAddress
		return nil
	}
	return Of[T](m.e.blocks[i].data[p-m.e.blocks[i].at:])
}

func (m *machine) readBox() (b boxMemory) {
	f, point, group := argument[Ptr](m), argument[Ptr](m), argument[Ptr](m)
	b.f, b.point = someOf[float64](m, f), someOf[int32](m, point)
	if i := m.e.find(group); i >= 0 {
		b.group = m.e.blocks[i].data
	} else {
		m.status = illegalAddress
	}
	for _, to := range []*[]float64{&b.linear, &b.lower, &b.upper, &b.bet} {
		*to = someOf[float64](m, argument[Ptr](m))
	}
	return b
}

// z is c - Kβ of a variable.
func (b boxMemory) z(t int) float64 { return b.linear[t] - b.f[b.point[t]] }

type boxBest struct {
	value float64
	at    int
}

func (b *boxBest) offer(v float64, t int) {
	if v > b.value {
		*b = boxBest{v, t}
	}
}

func emulateBoxSelect(m *machine, l Shape) {
	s, vars, groups := m.boxStateAt(argument[Ptr](m)), argument[uint64](m), int(argument[int32](m))
	b := m.readBox()
	up, down := numbers[float32](m, argument[Ptr](m), vars), numbers[float32](m, argument[Ptr](m), vars)
	mark := m.e.memory(argument[Ptr](m), vars)
	kept, size := argument[Ptr](m), int(argument[int32](m))
	_, bins, _, set := argument[Ptr](m), numbers[int32](m, argument[Ptr](m), 2*(boxBins+1)), argument[Ptr](m),
		argument[Ptr](m)
	stay, to := numbers[int32](m, kept, uint64(size)), numbers[int32](m, set, uint64(size))
	if mark == nil || !l.Together || l.Threads != boxThreads {
		m.status = invalidValue
	}
	if m.status != success || s.Done != 0 {
		return
	}
	none := boxBest{math.Inf(-1), -1}
	high, low := [2]boxBest{none, none}, [2]boxBest{none, none}
	for t := range int(vars) {
		z, g := b.z(t), b.group[t]
		up[t], down[t] = float32(math.Inf(-1)), float32(math.Inf(1))
		if b.bet[t] < b.upper[t] {
			up[t] = float32(z - s.Shift[g])
			high[g].offer(z, t)
		}
		if b.bet[t] > b.lower[t] {
			down[t] = float32(z - s.Shift[g])
			low[g].offer(-z, t)
		}
	}
	worst := 0
	s.Violation = math.Inf(-1)
	for g := range groups {
		s.High[g], s.Low[g], s.Next[g] = high[g].value, -low[g].value, 0.5*(high[g].value-low[g].value)
		if v := high[g].value + low[g].value; v > s.Violation {
			s.Violation, worst = v, g
		}
	}
	if !(s.Violation > s.Target) || s.Steps >= s.Most {
		s.Done = BoxReached
		return
	}
	scale := float32(boxBins / s.Violation)
	binOf := func(t int) (bin, side int) {
		switch {
		case mark[t] != 0:
			return -1, 0
		case t == high[worst].at:
			return boxBins, 0
		case t == low[worst].at:
			return boxBins, 1
		}
		g := b.group[t]
		score, lower := up[t]-float32(s.Low[g]-s.Shift[g]), float32(s.High[g]-s.Shift[g])-down[t]
		if lower > score {
			score, side = lower, 1
		}
		if !(score > 0) {
			return -1, 0
		}
		return int(min(score*scale, boxBins-1)), side
	}
	var all [2]int
	for t := range int(vars) {
		if bin, side := binOf(t); bin >= 0 {
			bins[side*(boxBins+1)+bin]++
		}
	}
	for side := range all {
		for _, c := range bins[side*(boxBins+1) : (side+1)*(boxBins+1)] {
			all[side] += int(c)
		}
	}
	space := size - int(s.Kept)
	var take, cut, edge, sure [2]int
	take[0] = min(all[0], max(space/2, space-all[1]))
	take[1] = min(all[1], space-take[0])
	for side := range cut {
		cut[side] = -1
		if take[side] == all[side] {
			sure[side] = take[side]
			continue
		}
		cut[side] = boxBins + 1
		for above := 0; above < take[side]; {
			cut[side]--
			count := int(bins[side*(boxBins+1)+cut[side]])
			edge[side] = take[side] - above
			above += count
		}
		sure[side] = take[side] - edge[side]
	}
	var whole, part [2]int
	for t := range int(vars) {
		bin, side := binOf(t)
		first := side * take[0]
		switch {
		case bin < 0:
		case bin > cut[side]:
			to[first+whole[side]] = int32(t)
			whole[side]++
		case bin == cut[side] && part[side] < edge[side]:
			to[first+sure[side]+part[side]] = int32(t)
			part[side]++
		}
	}
	copy(to[take[0]+take[1]:], stay[:s.Kept])
	s.Count = int32(take[0]+take[1]) + s.Kept
}

func emulateBoxPoints(m *machine, l Shape) {
	s := m.boxStateAt(argument[Ptr](m))
	set, point, from, to := someOf[int32](m, argument[Ptr](m)), someOf[int32](m, argument[Ptr](m)),
		someOf[int32](m, argument[Ptr](m)), argument[Ptr](m)
	size, words := int(argument[int32](m)), int(argument[int32](m))
	out := numbers[int32](m, to, uint64(size*words))
	if l.Blocks[0]*l.Threads < size*words {
		m.status = invalidValue
	}
	if m.status != success {
		return
	}
	for i := range size {
		row := out[i*words : (i+1)*words]
		if i < int(s.Count) {
			copy(row, from[int(point[set[i]])*words:][:words])
		} else {
			clear(row)
		}
	}
}

func emulateSquare(m *machine, l Shape) {
	t, n, same := readTree[float64](m)
	of, to := numbers[int32](m, argument[Ptr](m), 4), numbers[float32](m, argument[Ptr](m), n*same)
	if n != same || uint64(l.Blocks[0])*directSide < n || uint64(l.Blocks[1])*directSide < n {
		m.status = invalidValue
	}
	if m.status != success || of[0] != 0 {
		return
	}
	for i := range uint64(of[2]) {
		for j := range uint64(of[2]) {
			to[i*n+j] = float32(t.at(i, j))
		}
	}
}
