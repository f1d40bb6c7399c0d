package discrete

import (
	"fmt"
	"testing"
)

// Over all orders of the seats, each permutation that agrees with a ranking comes equally often.
func TestSeatedIsUniform(t *testing.T) {
	var orders [][]int
	var extend func(taken []int)
	extend = func(taken []int) {
		if len(taken) == 5 {
			orders = append(orders, append([]int(nil), taken...))
		}
	next:
		for i := range 5 {
			for _, j := range taken {
				if i == j {
					continue next
				}
			}
			extend(append(taken[:len(taken):len(taken)], i))
		}
	}
	extend(nil)
	for _, c := range []struct {
		r        Ranking
		agreeing int
	}{{Ranking{2, 2, 0, 1, 2}, 6}, {Ranking{-1, 0, -1, 2, 1}, 20}, {Ranking{0, -1, 0, 1, -1}, 40},
		{Ranking{-1, -1, -1, -1, -1}, 120}, {Ranking{4, 3, 2, 1, 0}, 1}} {
		times := map[string]int{}
		for _, seats := range orders {
			p := rank(c.r).seated(seats)
			for i := range p {
				for j := range p {
					if c.r[i] >= 0 && c.r[j] >= 0 && c.r[i] < c.r[j] && p[i] > p[j] {
						t.Fatalf("%v does not agree with %v", p, c.r)
					}
				}
			}
			times[fmt.Sprint(p)]++
		}
		if len(times) != c.agreeing {
			t.Errorf("%v: %d permutations, want %d", c.r, len(times), c.agreeing)
		}
		for p, n := range times {
			if n != 120/c.agreeing {
				t.Errorf("%v: %s comes %d times, want %d", c.r, p, n, 120/c.agreeing)
			}
		}
	}
}
