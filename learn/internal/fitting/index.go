package fitting

// everyIndex is 0, 1, …, n-1.
func Indices(n int) []int {
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	return index
}
