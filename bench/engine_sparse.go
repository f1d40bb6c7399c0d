package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// sparse are rows beside the table: products of sparse rows against
// scipy.sparse, which uses one thread and has no other way. No bar is set for them.
func sparse() []Case {
	var cases []Case
	add := func(name string, m *linalg.CSR) {
		cases = append(cases, sparseGram(name, m), sparseTimesDense(name, m, 16))
	}
	for _, name := range []string{"a9a.gz", "w8a.gz"} {
		l, err := shared(name)
		if err != nil || l.sparse == nil {
			fmt.Fprintln(os.Stderr, "bench:", name, "is left out:", err)
			continue
		}
		m := (*linalg.CSR)(l.sparse.CSR())
		add(name[:3]+", 4000 rows", m.SliceRows(0, min(4000, m.Rows)))
	}
	add("Zipf text, 4000 × 30000", zipfText(4000, 30000, 120))
	return cases
}

// zipfText has rows of about length words, the word of rank r drawn with
// probability proportional to 1/r, as in the newsgroups.
func zipfText(rows, words, length int) *linalg.CSR {
	rng := rand.New(rand.NewPCG(13, 0))
	m := &linalg.CSR{Rows: rows, Cols: words, Ptr: []int{0}}
	for range rows {
		seen := make([]bool, words)
		for range length {
			seen[int(math.Exp(rng.Float64()*math.Log(float64(words))))-1] = true
		}
		for w, in := range seen {
			if in {
				m.Index, m.Value = append(m.Index, int32(w)), append(m.Value, rng.Float64())
			}
		}
		m.Ptr = append(m.Ptr, len(m.Index))
	}
	return m
}

// sparseInputs are the three arrays of m, as numbers.
func sparseInputs(m *linalg.CSR) Inputs {
	ptr, index := make([]float64, m.Rows+1), make([]float64, m.NNZ())
	for i := range ptr {
		ptr[i] = float64(m.Ptr[i] - m.Ptr[0])
	}
	for i := range index {
		index[i] = float64(m.Index[m.Ptr[0]+i])
	}
	row := func(v []float64) Array { return Array{Rows: 1, Cols: len(v), Data: v} }
	return Inputs{"ptr": row(ptr), "index": row(index), "value": row(m.Value[m.Ptr[0]:m.Ptr[m.Rows]])}
}

func sparseGram(name string, m *linalg.CSR) Case {
	return Case{Work: "CSR·CSRᵀ into dense, " + name, Peer: "sparse_gram", Args: map[string]any{"columns": m.Cols},
		Prepare: func() Work {
			k := linalg.New[float64](m.Rows, m.Rows)
			return Work{
				Inputs: sparseInputs(m),
				Run:    func() { linalg.MulRows(0, k, m, m) },
				Check:  func(t Inputs) error { return agree("product", k.Data, t["result"].Data, 1e-13) },
			}
		}}
}

func sparseTimesDense(name string, m *linalg.CSR, columns int) Case {
	work := fmt.Sprintf("CSR·dense, %d columns, %s", columns, name)
	return Case{Work: work, Peer: "sparse_dense", Args: map[string]any{"columns": m.Cols}, Prepare: func() Work {
		x, y := random(m.Cols, columns, 14), linalg.New[float64](m.Rows, columns)
		in := sparseInputs(m)
		in["x"] = array(x)
		return Work{
			Inputs: in,
			Run:    func() { m.MulDense(0, y, x) },
			Check:  func(t Inputs) error { return agree("product", y.Data, t["result"].Data, 1e-13) },
		}
	}}
}
