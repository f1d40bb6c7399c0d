package par

// Indices are 0, 1, …, n−1: every row, in order, where a list of rows is asked for.
func Indices(n int) []int {
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	return index
}
