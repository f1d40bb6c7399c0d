package model

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestNearestCenters: the shares of all centres and the bias are the decision value, distances
// grow, and of pairs of classes the first is spoken for by what is positive.
func TestNearestCenters(t *testing.T) {
	seen := 0
	for _, c := range fittedCases(t) {
		if c.x.Sparse != nil && c.x.Dense.Len() == 0 && c.model.body.domain() != domainSparse {
			continue
		}
		p, err := c.model.PredictEncoded(t.Context(), c.x, Want{Scores: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range []int{0, 3} {
			e, err := c.model.NearestCenters(t.Context(), c.x, i, 1<<20)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if len(e.Centers) != c.model.Centers() || len(e.Outputs) != c.model.Outputs() && e.Function {
				t.Errorf("%s: %d centres of %d, %d outputs of %d", c.name, len(e.Centers), c.model.Centers(), len(e.Outputs),
					c.model.Outputs())
			}
			for k := 1; k < len(e.Centers); k++ {
				if e.Centers[k].Distance < e.Centers[k-1].Distance {
					t.Errorf("%s: centre %d is nearer than the one before", c.name, k)
				}
			}
			if !e.Function || p.Scores == nil || len(e.Sum) != len(e.Outputs) {
				continue
			}
			for j := range e.Outputs {
				sum := e.Bias[j]
				for _, one := range e.Centers {
					sum += one.Shares[j]
				}
				want := p.Scores.At(i, j)
				if a := c.model.info.TargetScale; a != nil {
					want = a.Apply(want)
				}
				if math.Abs(sum-e.Sum[j]) > 1e-9*(1+math.Abs(sum)) {
					t.Errorf("%s: shares add up to %g, said %g", c.name, sum, e.Sum[j])
				}
				if strings.HasPrefix(c.model.Learner(), "svc") || c.model.Learner() == "ridge" {
					seen++
					if math.Abs(sum-want) > 1e-9*(1+math.Abs(want)) {
						t.Errorf("%s, output %d: shares add up to %g, the decision is %g", c.name, j, sum, want)
					}
				}
			}
		}
		if pairs := c.model.outputPairs(); pairs != nil {
			checkVotes(t, c, p.Scores, p.Codes, pairs)
		}
	}
	if seen < 4 {
		t.Errorf("only %d decision values were compared", seen)
	}
}

// checkVotes: the class with most pairs won by their names is the one predicted.
func checkVotes(t *testing.T, c fittedCase, scores *mat.Dense, codes []int, pairs [][2]int) {
	agree := 0
	for i, code := range codes {
		votes := make([]int, len(c.model.Classes()))
		for j, pair := range pairs {
			if scores.At(i, j) > 0 {
				votes[pair[0]]++
			} else {
				votes[pair[1]]++
			}
		}
		most := true
		for _, v := range votes {
			most = most && v <= votes[code]
		}
		if most {
			agree++
		}
	}
	if agree < len(codes)*9/10 { // with probabilities the likeliest class may be another
		t.Errorf("%s: votes by name agree with %d of %d predictions", c.name, agree, len(codes))
	}
}
