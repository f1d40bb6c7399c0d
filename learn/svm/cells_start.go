package svm

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
)

// startFrom replaces the start of a fold's machine by the solution of the
// machine of all rows without the rows left out (alpha seeding: DeCoste &
// Wagstaff 2000), when that has the smaller objective; it reports whether.
func (t *svmTask) startFrom(master *svmTask, k linalg.Matrix[float32]) bool {
	if t.where == nil {
		t.where = placesIn(master.qp.Point, t.qp.Point, t.y != nil)
		taken := make([]bool, len(master.beta))
		for _, m := range t.where {
			taken[m] = true
		}
		for m, in := range taken {
			if !in {
				t.without = append(t.without, m)
			}
		}
		t.seedBeta, t.seedF = make([]float64, len(t.beta)), make([]float64, len(t.f))
		t.outBeta, t.outF = make([]float64, len(t.without)), make([]float64, len(t.f))
	}
	t.leaveOut(master, k)
	for i, v := range master.f {
		t.seedF[i] = v - t.outF[i]
	}
	sum := 0.0
	for i, m := range t.where {
		t.seedBeta[i] = master.beta[m]
		sum += master.beta[m]
	}
	return t.takeSeed(sum, t.rows, t.weights, k)
}

// leaveOut brings outF = Kβ of the variables left out to master's solution. From price to price
// most of them stay where they are or follow their bound: only the others cost a row of K.
func (t *svmTask) leaveOut(master *svmTask, k linalg.Matrix[float32]) {
	ratio := 1.0
	if t.outC > 0 {
		ratio = master.c / t.outC
	}
	follow, stay := 0, 0
	same := func(b, was float64) bool { return math.Abs(b-was) <= 1e-15*math.Abs(b) }
	for i, m := range t.without {
		if same(master.beta[m], ratio*t.outBeta[i]) {
			follow++
		}
		if same(master.beta[m], t.outBeta[i]) {
			stay++
		}
	}
	if follow <= stay {
		ratio = 1
	} else {
		for i := range t.outF {
			t.outF[i] *= ratio
		}
	}
	rows, weights := t.rows[:0], t.weights[:0]
	for i, m := range t.without {
		b, was := master.beta[m], ratio*t.outBeta[i]
		if !same(b, was) {
			rows, weights = append(rows, k.Row(master.qp.Point[m])), append(weights, b-was)
		}
		t.outBeta[i] = b
	}
	solve.AddRows32(t.outF, rows, weights)
	t.rows, t.weights, t.outC = rows, weights, master.c
}

// startAtBounds starts a machine of classes with all variables at their bounds,
// where they are at low prices.
func (t *svmTask) startAtBounds(k linalg.Matrix[float32]) {
	if t.y != nil {
		return
	}
	t.seedBeta, t.seedF = make([]float64, len(t.beta)), make([]float64, len(t.f))
	rows, weights, sum := t.rows[:0], t.weights[:0], 0.0
	for i := range t.seedBeta {
		b := t.qp.Lower[i] + t.qp.Upper[i] // one of them is 0
		t.seedBeta[i] = b
		sum += b
		rows, weights = append(rows, k.Row(t.qp.Point[i])), append(weights, b)
	}
	solve.AddRows32(t.seedF, rows, weights)
	t.takeSeed(sum, rows, weights, k)
}

// takeSeed balances the seed and starts from it if its objective is smaller.
func (t *svmTask) takeSeed(sum float64, rows [][]float32, weights []float64, k linalg.Matrix[float32]) bool {
	rows, weights = t.balance(sum, rows[:0], weights[:0], k)
	solve.AddRows32(t.seedF, rows, weights)
	t.rows, t.weights = rows, weights
	if !(solve.BoxObjective(t.qp, t.seedBeta, t.seedF) < solve.BoxObjective(t.qp, t.beta, t.f)) {
		return false
	}
	copy(t.beta, t.seedBeta)
	copy(t.f, t.seedF)
	return true
}

// balance brings Σβ back to 0 by moving as few variables as it takes, those
// first that gain most by it.
func (t *svmTask) balance(
	sum float64, rows [][]float32, weights []float64, k linalg.Matrix[float32],
) ([][]float32, []float64) {
	size := 0.0
	for i := range t.seedBeta {
		size = max(size, t.qp.Upper[i], -t.qp.Lower[i])
	}
	// What rounding leaves is not worth a variable that looks free.
	if math.Abs(sum) <= 1e-12*size {
		return rows, weights
	}
	movers := t.movers[:0]
	for i, b := range t.seedBeta {
		z := t.qp.Linear[i] - t.seedF[t.qp.Point[i]]
		if room := b - t.qp.Lower[i]; sum > 0 && room > 0 {
			movers = append(movers, mover{z, -room, i})
		} else if room := t.qp.Upper[i] - b; sum < 0 && room > 0 {
			movers = append(movers, mover{-z, room, i})
		}
	}
	t.movers = movers
	// A few movers are taken of many: a heap has the first ones without sorting
	// the rest.
	for i := len(movers)/2 - 1; i >= 0; i-- {
		sink(movers, i)
	}
	for len(movers) > 0 {
		m := movers[0]
		last := len(movers) - 1
		movers[0] = movers[last]
		movers = movers[:last]
		sink(movers, 0)
		d := m.room
		if sum > 0 && d < -sum || sum < 0 && d > -sum {
			d = -sum
		}
		v := t.seedBeta[m.at] + d
		for _, bound := range []float64{t.qp.Lower[m.at], t.qp.Upper[m.at]} {
			if math.Abs(v-bound) <= 1e-12*size {
				v = bound
			}
		}
		t.seedBeta[m.at] = v
		sum += d
		rows, weights = append(rows, k.Row(t.qp.Point[m.at])), append(weights, d)
		if math.Abs(sum) <= 1e-12*size {
			break
		}
	}
	return rows, weights
}

// mover is a variable that can take up some of the sum that is left over.
type mover struct {
	z, room float64
	at      int
}

func (a mover) before(b mover) bool { return a.z < b.z || a.z == b.z && a.at < b.at }

// sink restores the heap (first mover on top) below i.
func sink(heap []mover, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && heap[child+1].before(heap[child]) {
			child++
		}
		if !heap[child].before(heap[i]) {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

// placesIn finds each variable of a fold among those of all rows: variables of
// a point come once, or, for tubes, in two halves.
func placesIn(all, some []int, halves bool) []int {
	n := len(all)
	if halves {
		n /= 2
	}
	place := map[int]int{}
	for i, p := range all[:n] {
		place[p] = i
	}
	out := make([]int, len(some))
	for i, p := range some {
		out[i] = place[p]
		if halves && i >= len(some)/2 {
			out[i] += n
		}
	}
	return out
}
