package simd

// DecayRows runs along rows of four sums side by side with one factor λ: see Row.
type DecayRows struct {
	// Coefficients for the columns left before a place: row r is λʳ for the sum and λ^{r-1}, …, 1,
	// 0 … for three columns. Behind them (0, λ, λ, λ), the value that goes into the first sum, and
	// λ, λ², λ³, λ⁴.
	table [28]float64
}

// NewDecayRows is DecayRows with the factor lambda.
func NewDecayRows(lambda float64) *DecayRows {
	d := new(DecayRows)
	power := [5]float64{1, lambda, lambda * lambda, lambda * lambda * lambda, lambda * lambda * lambda * lambda}
	for r := range 4 {
		d.table[4*r] = power[r]
		for c := range r {
			d.table[4*r+1+c] = power[r-1-c]
		}
	}
	copy(d.table[16:], []float64{0, lambda, lambda, lambda})
	copy(d.table[24:], power[1:])
	return d
}

// Row runs along the columns of w, four numbers each, with v ← λv + w[j] from v = 0. At each of the
// places, which increase, it adds v to sum, and to w[j] first and λ times the first three numbers
// of v; the run goes on with the old w[j]. Behind the last place w has to have three columns more,
// which are read but do not count. One d serves one goroutine at a time.
func (d *DecayRows) Row(places []int32, w []float64, first float64, sum *[4]float64) {
	if len(places) == 0 {
		return
	}
	_ = w[4*int(places[len(places)-1])+15]
	d.table[20] = first
	decayRow(d, places, w, sum)
}

func decayRowRef(d *DecayRows, places []int32, w []float64, sum *[4]float64) {
	var v0, v1, v2, v3 float64
	first, lambda, l2, l3, l4 := d.table[20], d.table[24], d.table[25], d.table[26], d.table[27]
	at := 0
	for _, place := range places {
		to := 4 * int(place)
		// Four columns at once: the chain of sums is then a quarter as long.
		for ; at+16 <= to; at += 16 {
			c := w[at : at+16 : at+16]
			v0 = l4*v0 + (l3*c[0] + l2*c[4] + lambda*c[8] + c[12])
			v1 = l4*v1 + (l3*c[1] + l2*c[5] + lambda*c[9] + c[13])
			v2 = l4*v2 + (l3*c[2] + l2*c[6] + lambda*c[10] + c[14])
			v3 = l4*v3 + (l3*c[3] + l2*c[7] + lambda*c[11] + c[15])
		}
		for ; at < to; at += 4 {
			c := w[at : at+4 : at+4]
			v0, v1, v2, v3 = lambda*v0+c[0], lambda*v1+c[1], lambda*v2+c[2], lambda*v3+c[3]
		}
		sum[0], sum[1], sum[2], sum[3] = sum[0]+v0, sum[1]+v1, sum[2]+v2, sum[3]+v3
		c := w[at : at+4 : at+4]
		u0, u1, u2, u3 := c[0], c[1], c[2], c[3]
		c[0], c[1], c[2], c[3] = u0+first, u1+lambda*v0, u2+lambda*v1, u3+lambda*v2
		v0, v1, v2, v3 = lambda*v0+u0, lambda*v1+u1, lambda*v2+u2, lambda*v3+u3
		at += 4
	}
}
