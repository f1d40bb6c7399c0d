package main

import "github.com/mmcloughlin/avo/build"

// squares generates the step of a squared distance in one coordinate, for
// points stored a coordinate at a time.
func squares(c *build.Context) {
	for _, v := range []vec{avx2f64, avx512f64} {
		l := lanes{asm: asm{c, v}, together: 4}
		l.elementwise("squaredDifference", "(src[i]-a)*(src[i]-a)", []string{"a"}, func(l lanes, x val, s []val) val {
			d := l.minus(x, s[0])
			return l.times(d, d)
		})
	}
}
