package seq

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Profile is a sequence known by the probabilities of the letters at each place, as an alignment of
// relatives of a protein gives them: row i of P is the distribution at place i.
type Profile struct {
	P [][]float64
}

// Smooth mixes every place with background probabilities: (p + t·q)/(1 + t). It takes zeros out of
// the profile.
func (p Profile) Smooth(t float64, background []float64) Profile {
	out := make([][]float64, len(p.P))
	for i, row := range p.P {
		out[i] = make([]float64, len(row))
		for j, v := range row {
			out[i][j] = (v + t*background[j]) / (1 + t)
		}
	}
	return Profile{out}
}

// ProfileOf is the profile of a string that is known for sure.
func ProfileOf(alphabet Alphabet, s string) Profile {
	var p Profile
	for _, c := range alphabet.codes(s) {
		row := make([]float64, alphabet.Size())
		if c >= 0 {
			row[c] = 1
		}
		p.P = append(p.P, row)
	}
	return p
}

// ProfileKernel counts common runs of K letters (3 when zero) that are likely at the places of two
// profiles,
//
//	k(x, y) = Σ_{b ∈ A^K} φ_b(x)·φ_b(y),   φ_b(x) = number of places j with -Σᵢ log p_{j+i}(bᵢ) < Limit
//
// (R. Kuang et al., Profile-based string kernels for remote homology detection and motif
// extraction, CSB 2004). A profile shorter than K has the value 0 with all profiles.
type ProfileKernel struct {
	K        int
	Limit    float64
	Alphabet Alphabet
}

func (k ProfileKernel) length() int { return or(k.K, 3) }

// Name is "profile".
func (ProfileKernel) Name() string { return "profile" }

func (k ProfileKernel) features(p Profile) counts {
	cost := make([][]float64, len(p.P))
	for i, row := range p.P {
		cost[i] = make([]float64, len(row))
		for j, v := range row {
			cost[i][j] = surprise(v)
		}
	}
	into := counts{}
	for i := 0; i+k.length() <= len(cost); i++ {
		neighbours(cost[i:i+k.length()], k.Limit, func(b []byte) { into[string(b)]++ })
	}
	return into
}

// Eval returns the number of pairs of places, times the runs likely at both.
func (k ProfileKernel) Eval(x, y Profile) float64 { return dot(k.features(x), k.features(y)) }

// PreparePoints counts the runs of each profile once.
func (k ProfileKernel) PreparePoints(ctx context.Context, x, y data.Points[Profile]) kernel.Rectangle {
	return kernel.PrepareSparse(ctx, x, y, k.features)
}

// EachFeature adds the number of places at which each run is likely.
func (k ProfileKernel) EachFeature(x Profile, add func(name string, value float64)) {
	k.Alphabet.eachRun(k.features(x), add)
}

// Validate refuses K < 0, a limit that is no positive number, and a bad alphabet.
func (k ProfileKernel) Validate() error {
	return firstError(
		mustBe(k.K >= 0, "profile", "k", k.K, "at least 1"),
		mustBe(k.Limit > 0 && finite(k.Limit), "profile", "limit", k.Limit, "a finite number > 0"),
		k.Alphabet.valid("profile"))
}

// CheckPoints refuses rows that are no distributions over the alphabet.
func (k ProfileKernel) CheckPoints(x data.Points[Profile]) error {
	for i := range x.Len() {
		for at, row := range x.At(i).P {
			if err := checkDistribution(fmt.Sprintf("seq: profile: row %d, position %d", i, at), k.Alphabet.Size(),
				row); err != nil {
				return err
			}
		}
	}
	return nil
}

// Properties of an inner product of counts.
func (ProfileKernel) Properties() kernel.Properties { return textFeatures() }
