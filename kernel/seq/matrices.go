package seq

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// SubstitutionMatrix has a score for every pair of letters of an alphabet: how much likelier it is
// to see them aligned in related sequences than by chance, as a logarithm.
type SubstitutionMatrix struct {
	Alphabet Alphabet
	Scores   [][]float64 // symmetric
	// Unit is what one point of score is as a natural logarithm: ln2/2 for scores in half bits.
	Unit float64
}

// BLOSUM62 is the matrix of S. Henikoff and J. G. Henikoff (Amino acid substitution matrices from
// protein blocks, PNAS 1992), in half bits, over ProteinAmbiguous. It is in the public domain, as
// NCBI distributes it.
func BLOSUM62() SubstitutionMatrix {
	return SubstitutionMatrix{ProteinAmbiguous, scoresOf(blosum62), math.Ln2 / 2}
}

// PAM250 is the matrix of M. Dayhoff, R. Schwartz and B. Orcutt (A model of evolutionary change in
// proteins, 1978), in thirds of bits, over ProteinAmbiguous. It is in the public domain, as NCBI
// distributes it.
func PAM250() SubstitutionMatrix {
	return SubstitutionMatrix{ProteinAmbiguous, scoresOf(pam250), math.Ln2 / 3}
}

// Background is how often the twenty amino acids occur in proteins, in the order of Protein (A.
// Robinson and L. Robinson, Distribution of glutamine and asparagine residues and their near
// neighbors in peptides and proteins, PNAS 1991).
func Background() []float64 {
	return []float64{0.07805, 0.05129, 0.04487, 0.05364, 0.01925, 0.04264, 0.06295, 0.07377, 0.02199, 0.05142,
		0.09019, 0.05744, 0.02243, 0.03856, 0.05203, 0.07120, 0.05841, 0.01330, 0.03216, 0.06441}
}

// Only is the matrix of the letters of another alphabet, all of which it has to have.
func (m SubstitutionMatrix) Only(alphabet Alphabet) SubstitutionMatrix {
	out := SubstitutionMatrix{Alphabet: alphabet, Unit: m.Unit}
	at := m.Alphabet.codes(string(alphabet))
	for _, i := range at {
		row := make([]float64, len(at))
		for b, j := range at {
			row[b] = m.Scores[i][j]
		}
		out.Scores = append(out.Scores, row)
	}
	return out
}

// Joint is the probability of each aligned pair of letters that the scores stand for, p(a, b) ∝
// q_a·q_b·e^{score·Unit}.
func (m SubstitutionMatrix) Joint(background []float64) [][]float64 {
	joint, sum := make([][]float64, len(m.Scores)), 0.0
	for a, row := range m.Scores {
		joint[a] = make([]float64, len(row))
		for b, s := range row {
			joint[a][b] = background[a] * background[b] * math.Exp(m.Unit*s)
			sum += joint[a][b]
		}
	}
	for _, row := range joint {
		for b := range row {
			row[b] /= sum
		}
	}
	return joint
}

// Conditional is the probability of each letter given what it was aligned with, P(a | b) in row b
// and column a.
func (m SubstitutionMatrix) Conditional(background []float64) [][]float64 {
	rows := m.Joint(background)
	for _, row := range rows {
		sum := 0.0
		for _, p := range row {
			sum += p
		}
		for a := range row {
			row[a] /= sum
		}
	}
	return rows
}

// positiveTable says whether a symmetric table of numbers is positive semi-definite, up to
// rounding.
func positiveTable(rows [][]float64) bool {
	s := mat.NewSymDense(len(rows), nil)
	for i := range rows {
		for j := range i + 1 {
			s.SetSym(i, j, rows[i][j])
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, false) {
		return false
	}
	v := e.Values(nil)
	return v[0] >= -1e-12*math.Abs(v[len(v)-1])
}

func scoresOf(table [24][24]int8) [][]float64 {
	out := make([][]float64, len(table))
	for i, row := range table {
		for _, v := range row {
			out[i] = append(out[i], float64(v))
		}
	}
	return out
}
