package forest

import "math"

// classSums is the weights of three or more classes on the two sides of a cut, and what the
// criterion sums over them: squares, or x·log x.
type classSums struct {
	count                         int
	left, right                   []float64 // weight of each class
	all                           []float64 // of the node
	leftTotal, rightTotal         float64
	leftTerms, rightTerms         float64
	allTotal, allSquares, allLogs float64

	// The rows of each bin are a list, from head on; or, where they are many, the weights of each
	// class in each bin are summed up.
	head   [bins]int32
	next   []int32
	bin    []float64 // weight of class c in bin b at b·count + c, where many
	number [bins]int // rows of each bin
	touch  histogram // which bins have rows
	summed bool
}

func newClassSums(classes, rows int) classSums {
	k := classSums{count: classes, left: make([]float64, classes), right: make([]float64, classes),
		all: make([]float64, classes), next: make([]int32, rows), bin: make([]float64, bins*classes)}
	return k
}

// tally sums up the classes of a node.
func (k *classSums) tally(class []int32, weight []float64) {
	clear(k.all)
	for p, c := range class {
		k.all[c] += weight[p]
	}
	k.allTotal, k.allSquares, k.allLogs = 0, 0, 0
	for _, w := range k.all {
		k.allTotal += w
		k.allSquares += w * w
		k.allLogs += entropic(w)
	}
}

// fill finds the rows of each bin; summed asks for sums over them.
func (k *classSums) fill(bin []uint8, row []int32, class []int32, weight []float64, summed bool) {
	k.summed = summed
	for p, i := range row {
		b := bin[i]
		if seen := &k.touch.touched[b>>6]; *seen>>(b&63)&1 == 0 {
			*seen |= 1 << (b & 63)
			k.head[b] = -1
		}
		k.number[b]++
		if summed {
			k.bin[int(b)*k.count+int(class[p])] += weight[p]
		} else {
			k.next[p], k.head[b] = k.head[b], int32(p)
		}
	}
}

// empty forgets them.
func (k *classSums) empty() {
	for word, m := range k.touch.touched {
		for ; m != 0; m &= m - 1 {
			b := word<<6 + trailing(m)
			k.number[b] = 0
			if k.summed {
				clear(k.bin[b*k.count : (b+1)*k.count])
			}
		}
	}
	k.touch.touched = set{}
}

// start puts all of the node to the right.
func (k *classSums) start(entropy bool) {
	clear(k.left)
	copy(k.right, k.all)
	k.leftTotal, k.rightTotal, k.leftTerms, k.rightTerms = 0, k.allTotal, 0, k.allSquares
	if entropy {
		k.rightTerms = k.allLogs
	}
}

// move takes a weight of class c from the right to the left.
func (k *classSums) move(c int, w float64, entropy bool) {
	l, r := k.left[c], k.right[c]
	k.left[c], k.right[c] = l+w, r-w
	k.leftTotal += w
	k.rightTotal -= w
	if entropy {
		k.leftTerms += entropic(l+w) - entropic(l)
		k.rightTerms += entropic(r-w) - entropic(r)
		return
	}
	k.leftTerms += w * (2*l + w)
	k.rightTerms -= w * (2*r - w)
}

// moveBin takes the rows of a bin from the right to the left.
func (k *classSums) moveBin(b uint8, class []int32, weight []float64, entropy bool) {
	if k.summed {
		for c, w := range k.bin[int(b)*k.count : (int(b)+1)*k.count] {
			if w != 0 {
				k.move(c, w, entropy)
			}
		}
		return
	}
	for p := k.head[b]; p >= 0; p = k.next[p] {
		k.move(int(class[p]), weight[p], entropy)
	}
}

// score is what a cut is to make large: Σ w_c²/w over the two sides, or Σ w_c·log w_c - w·log w.
func (k *classSums) score(entropy bool) float64 {
	if !(k.leftTotal > 0 && k.rightTotal > 0) {
		return math.Inf(-1)
	}
	if entropy {
		return k.leftTerms - entropic(k.leftTotal) + (k.rightTerms - entropic(k.rightTotal))
	}
	return k.leftTerms/k.leftTotal + k.rightTerms/k.rightTotal
}

// lookAtClasses is look for three or more classes.
func (g *grower) lookAtClasses(j int32, c *column, lo, hi int) bool {
	k := &g.classes
	named := c.categories != nil
	k.fill(c.bin, g.row[lo:hi], g.class[lo:hi], g.weight[lo:hi], named || hi-lo > bins*k.count)
	defer k.empty()
	order, missing := k.touch.list(c)
	if len(order) < 2 && !missing || len(order) == 0 {
		return false
	}
	if !named {
		g.sweepClasses(j, c, order, lo, hi, missing, false)
		if missing {
			g.sweepClasses(j, c, order, lo, hi, missing, true)
		}
		return true
	}
	// Of several classes no order of the categories is sure to have the best set: those by the
	// share of each class are tried.
	for class, w := range k.all {
		if w == 0 {
			continue
		}
		for _, b := range order {
			total := 0.0
			for _, v := range k.bin[int(b)*k.count : (int(b)+1)*k.count] {
				total += v
			}
			k.touch.mean[b] = k.bin[int(b)*k.count+class] / total
		}
		sortBy(order, &k.touch.mean)
		g.sweepClasses(j, c, order, lo, hi, false, false)
	}
	return true
}

// sweepClasses is sweep for three or more classes.
func (g *grower) sweepClasses(j int32, c *column, order []uint8, lo, hi int, missing, missingLeft bool) {
	k, entropy, left := &g.classes, g.s.Criterion == Entropy, 0
	class, weight := g.class[lo:hi], g.weight[lo:hi]
	k.start(entropy)
	if missingLeft {
		left = k.number[missingBin]
		k.moveBin(missingBin, class, weight, entropy)
	}
	cuts := len(order) - 1
	if missing && !missingLeft {
		cuts = len(order)
	}
	at, best := -1, math.Inf(-1)
	for i, b := range order[:cuts] {
		left += k.number[b]
		k.moveBin(b, class, weight, entropy)
		if left < g.s.Min || hi-lo-left < g.s.Min {
			continue
		}
		if score := k.score(entropy); score > best {
			at, best = i, score
		}
	}
	g.keep(j, c, order, at, best, missing, missingLeft)
}
