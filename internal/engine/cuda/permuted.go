package cuda

// permutedEach is how many permutations a block goes through with one row of the second matrix.
const permutedEach = 32

// PermutedBytes is the memory that Permuted takes at part for so many permutations of n points.
func PermutedBytes(n, count int) int64 { return 8 * int64(n) * int64(count) }

// Permuted sets out[b] = Σᵢⱼ k[i, j]·l[p(i), p(j)] of symmetric n×n matrices for each permutation
// p, n numbers of 32 bits each at perms; at inverse lie their inverses.
func Permuted(d Device, q Stream, n int, k, l, perms, inverse Ptr, count int, part, out Ptr) error {
	return permuted(d, q, n, k, l, perms, inverse, count, part, out, d.Info().Shared)
}

// permuted is Permuted with so many bytes of shared memory.
func permuted(d Device, q Stream, n int, k, l, perms, inverse Ptr, count int, part, out Ptr, shared int) error {
	shape := Shape{Blocks: [2]int{n, (count + permutedEach - 1) / permutedEach}, Threads: 256}
	staged := int32(0)
	if 8*n+1024 <= shared {
		staged, shape.Shared = 1, 8*n
	}
	if err := d.Launch(q, "permuted", shape, k, l, uint64(n), perms, inverse, int32(count), int32(permutedEach), staged,
		part); err != nil {
		return err
	}
	return d.Launch(q, "gather", Shape{Blocks: [2]int{(count + 255) / 256}, Threads: 256}, part, int32(n), uint64(count),
		1.0, int32(0), out)
}

func emulatePermuted(m *machine, l Shape) {
	k, right, n := argument[Ptr](m), argument[Ptr](m), argument[uint64](m)
	perms, inverse := argument[Ptr](m), argument[Ptr](m)
	count, each, staged, part := uint64(argument[int32](m)), uint64(argument[int32](m)), argument[int32](m),
		argument[Ptr](m)
	a, b := numbers[float64](m, k, n*n), numbers[float64](m, right, n*n)
	p, back := numbers[int32](m, perms, count*n), numbers[int32](m, inverse, count*n)
	out := numbers[float64](m, part, n*count)
	if uint64(l.Blocks[0]) != n || uint64(l.Blocks[1])*each < count || staged != 0 && uint64(l.Shared) < 8*n {
		m.status = illegalAddress
	}
	if m.status != success {
		return
	}
	for r := range n {
		for c := range count {
			i := uint64(back[c*n+r])
			s := a[i*n+i] * b[r*n+r]
			for j := range i {
				s += 2 * a[i*n+j] * b[r*n+uint64(p[c*n+j])]
			}
			out[r*count+c] = s
		}
	}
}
