package mixed

import (
	"encoding/json"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/prob"
	"gonum.org/v1/gonum/mat"
)

// histogram is the shares of a histogram, of as many bins as the others have.
func (c Column) histogram(s string) (kernel.Vec, error) {
	p, err := data.HistogramShares(s)
	if err == nil && c.Size > 0 && len(p) != c.Size {
		return nil, fmt.Errorf("it has %d bins, the first histogram of the rows fitted on has %d", len(p), c.Size)
	}
	return p, err
}

// distribution is a mixture of normal distributions, a normal one being a mixture of one part.
func (c Column) distribution(s string) (prob.Mixture, error) {
	parts, err := celltext.NormalParts(s)
	if err != nil {
		return prob.Mixture{}, err
	}
	if d := len(parts[0].Mean); c.Size > 0 && d != c.Size {
		return prob.Mixture{}, fmt.Errorf("it has %d coordinates, the first distribution of the rows fitted on has %d", d,
			c.Size)
	}
	var m prob.Mixture
	for _, p := range parts {
		d := len(p.Mean)
		cov := mat.NewSymDense(d, nil)
		for i := range d {
			for j := range i + 1 {
				cov.SetSym(i, j, p.Cov[i][j])
			}
		}
		m.Weights, m.Parts = append(m.Weights, p.Weight), append(m.Parts, prob.Normal{Mean: p.Mean, Cov: cov})
	}
	return m, m.Validate()
}

// mixtureText writes a mixture so that distribution reads it with every bit.
func mixtureText(m prob.Mixture) string {
	type part struct {
		Weight float64     `json:"weight"`
		Mean   []float64   `json:"mean"`
		Cov    [][]float64 `json:"cov"`
	}
	var out struct {
		Parts []part `json:"parts"`
	}
	for i, n := range m.Parts {
		p := part{Weight: m.Weights[i], Mean: n.Mean, Cov: make([][]float64, len(n.Mean))}
		for a := range p.Cov {
			p.Cov[a] = make([]float64, len(n.Mean))
			for b := range p.Cov[a] {
				p.Cov[a][b] = n.Cov.At(a, b)
			}
		}
		out.Parts = append(out.Parts, p)
	}
	text, _ := json.Marshal(out) // numbers are finite: Validate has asked
	return string(text)
}
