package seq

// hole is the byte of a wildcard in a pattern; no UTF-8 text has it.
const hole = "\xff"

// choices lists the subsets of {0, …, n-1} with k elements, in order.
func choices(n, k int) [][]int {
	var out [][]int
	set := make([]int, k)
	var walk func(at, from int)
	walk = func(at, from int) {
		if at == k {
			out = append(out, append([]int(nil), set...))
			return
		}
		for i := from; i <= n-k+at; i++ {
			set[at] = i
			walk(at+1, i+1)
		}
	}
	walk(0, 0)
	return out
}

// countPatterns adds w for each pattern that a run of k runes makes with the places of a set left
// open.
func countPatterns(into counts, s string, at []int, k int, open [][]int, w float64) {
	buffer := make([]byte, 0, 4*k)
	for i := 0; i+k < len(at); i++ {
		for _, set := range open {
			buffer = buffer[:0]
			next := 0
			for p := range k {
				if next < len(set) && set[next] == p {
					buffer = append(buffer, hole...)
					next++
					continue
				}
				buffer = append(buffer, s[at[i+p]:at[i+p+1]]...)
			}
			into[string(buffer)] += w
		}
	}
}

// binomial is n choose k, 0 outside 0 ≤ k ≤ n.
func binomial(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	v := 1.0
	for i := range k {
		v = v * float64(n-i) / float64(i+1)
	}
	return v
}
