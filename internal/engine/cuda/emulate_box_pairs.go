package cuda

import "math"

// boxVariable is one of a working set.
type boxVariable struct {
	beta, start, lower, upper float64
	z, diag                   float32
	group                     byte
}

// emulateBoxPairs moves pairs inside a set, a thread having each of its variables.
func emulateBoxPairs(m *machine, l Shape, each int) {
	s, k, size, ld := m.boxStateAt(argument[Ptr](m)), argument[Ptr](m), int(argument[int32](m)), int(argument[int32](m))
	set := numbers[int32](m, argument[Ptr](m), uint64(size))
	_ = argument[int32](m) // groups
	block := numbers[float32](m, k, uint64(ld)*uint64(ld))
	b := m.readBox()
	mark, kept := argument[Ptr](m), numbers[int32](m, argument[Ptr](m), uint64(size))
	bins, v := numbers[int32](m, argument[Ptr](m), 2*(boxBins+1)), argument[Ptr](m)
	wide, slots := argument[int32](m), argument[int32](m)
	marks := m.e.find(mark)
	if l.Blocks[0] != 1 || l.Threads%32 != 0 || l.Threads > 256 || l.Threads*each != ld || ld < size || l.Shared < 28*ld ||
		marks < 0 {
		m.status = invalidValue
	}
	if m.status != success {
		return
	}
	var all []boxVariable
	if s.Done == 0 {
		for i, t := range set[:s.Count] {
			g := b.group[t]
			all = append(all, boxVariable{beta: b.bet[t], start: b.bet[t], lower: b.lower[t], upper: b.upper[t],
				z: float32(b.z(int(t)) - s.Next[g]), diag: block[i*ld+i], group: g})
		}
	}
	steps := movePairs(all, block, ld, float32(math.Max(s.Inner*s.Violation, 0.5*s.Target)),
		int(min(uint64(s.Limit), s.Most-s.Steps)))
	change, stay := make([]float64, size), 0
	for i, a := range all {
		free := a.beta > a.lower && a.beta < a.upper && stay < min(size/2, size-2)
		m.e.blocks[marks].data[set[i]] = 0
		if free {
			kept[stay] = set[i]
			stay++
			m.e.blocks[marks].data[set[i]] = 1
		}
		b.bet[set[i]] = a.beta
		change[i] = a.beta - a.start
	}
	for i, c := range change {
		if slots != 0 {
			i = packedSlot(i)
		}
		if wide != 0 {
			numbers[float64](m, v, uint64(i)+1)[i] = c
		} else {
			numbers[float32](m, v, uint64(i)+1)[i] = float32(c)
		}
	}
	clear(bins)
	if s.Done != 0 {
		return
	}
	s.Kept, s.Shift = int32(stay), s.Next
	s.Steps += uint64(steps)
	s.Sets++
	if steps == 0 {
		s.Done = BoxStuck
	}
}

// movePairs moves pairs until no violation is above stop, and says how many.
func movePairs(all []boxVariable, k []float32, ld int, stop float32, most int) (steps int) {
	for ; steps < most; steps++ {
		top := [2]int{-1, -1}
		for i, a := range all {
			if g := a.group; a.beta < a.upper && (top[g] < 0 || a.z > all[top[g]].z) {
				top[g] = i
			}
		}
		gap, gain, other := float32(0), float32(-1), -1
		var by float32
		for j, a := range all {
			i := top[a.group]
			if i < 0 || !(a.beta > a.lower) || !(all[i].z > a.z) {
				continue
			}
			d := all[i].z - a.z
			gap = max(gap, d)
			ratio := d / max(all[i].diag+a.diag-2*k[i*ld+j], 1e-12)
			if now := min(d*ratio, 3e38); now > gain {
				gain, other, by = now, j, ratio
			}
		}
		if other < 0 || steps%8 == 0 && !(gap > stop) {
			break
		}
		i, j := top[all[other].group], other
		first, second := all[i].upper-all[i].beta, all[j].beta-all[j].lower
		step := min(float64(by), first, second)
		for t := range all {
			all[t].z -= float32(step) * (k[i*ld+t] - k[j*ld+t])
		}
		if all[i].beta += step; step == first {
			all[i].beta = all[i].upper
		}
		if all[j].beta -= step; step == second {
			all[j].beta = all[j].lower
		}
	}
	return steps
}
