package sparse

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// put writes a posterior: "alpha", "mean" and "covariance" of the weights, the
// "centres" they belong to, and whether the last is the intercept. Nothing is
// written for a posterior of no weights.
func (p rvmPosterior) put(suffix string, place map[int]int, numbers map[string]float64, arrays map[string]*mat.Dense) {
	numbers["intercept"+suffix] = 0
	if p.intercept {
		numbers["intercept"+suffix] = 1
	}
	if len(p.mu) == 0 {
		return
	}
	arrays["alpha"+suffix] = mat.NewDense(1, len(p.alpha), p.alpha)
	arrays["mean"+suffix] = mat.NewDense(1, len(p.mu), p.mu)
	arrays["covariance"+suffix] = linalg.Dense(p.sigma.Clone())
	if len(p.index) > 0 {
		at := make([]int, len(p.index))
		for a, i := range p.index {
			at[a] = place[i]
		}
		arrays["centres"+suffix] = learn.IndexArray(at)
	}
}

// readPosterior reads what put wrote. Its index is the number of the training point where
// the support is known, as when it was fitted.
func readPosterior(s learn.Saved[any], suffix string, support []int) (rvmPosterior, error) {
	p := rvmPosterior{intercept: s.Numbers["intercept"+suffix] != 0}
	a := s.Arrays["alpha"+suffix]
	if a == nil {
		if p.intercept {
			return p, fmt.Errorf("array %q is missing", "alpha"+suffix)
		}
		return p, nil
	}
	_, n := a.Dims()
	a, err := s.Array("alpha"+suffix, 1, n)
	if err != nil {
		return p, err
	}
	mean, err := s.Array("mean"+suffix, 1, n)
	if err != nil {
		return p, err
	}
	cov, err := s.Array("covariance"+suffix, n, n)
	if err != nil {
		return p, err
	}
	p.alpha, p.mu, p.sigma = a.RawRowView(0), mean.RawRowView(0), linalg.Of(cov)
	count := n
	if p.intercept {
		count--
	}
	if count > 0 {
		at, err := s.Indices("centres"+suffix, count, float64(s.Func.Centers.Len()))
		if err != nil {
			return p, err
		}
		for _, c := range at {
			if len(support) <= c {
				return p, fmt.Errorf("array \"support\" is missing")
			}
			p.index = append(p.index, support[c])
		}
	}
	return p, nil
}

func placesOf(support []int) map[int]int {
	place := make(map[int]int, len(support))
	for a, i := range support {
		place[i] = a
	}
	return place
}

// Saved returns the model as plain data: besides the function the posterior of the
// weights, the number "noise" and the log "evidence".
func (m *RVMRegressor[T]) Saved() learn.Saved[T] {
	s := m.ExpansionRegressor.Saved()
	s.Numbers = map[string]float64{"noise": m.of.noise}
	if s.Arrays == nil {
		s.Arrays = map[string]*mat.Dense{}
	}
	m.of.posterior.put("", placesOf(m.Support()), s.Numbers, s.Arrays)
	return s
}

func restoreRVM(s learn.Saved[any]) (learn.Model[any], error) {
	base, err := s.Regressor()
	if err != nil {
		return nil, err
	}
	noise, err := s.Number("noise")
	if err != nil || noise < 0 {
		return nil, fmt.Errorf("number \"noise\" is %g or missing", noise)
	}
	p, err := readPosterior(s, "", base.Support())
	if err != nil {
		return nil, err
	}
	if len(p.index) != len(base.Support()) {
		return nil, fmt.Errorf("%d weights for %d relevance vectors", len(p.index), len(base.Support()))
	}
	return &RVMRegressor[any]{*base, &rvmFit{f: base.Func(), support: base.Support(), noise: noise, posterior: p}}, nil
}

// Saved returns the model as plain data, with the posterior of the weights of
// output o under names that end in o.
func (m *RVMClassifier[T, L]) Saved() learn.Saved[T] {
	s := m.ExpansionClassifier.Saved()
	s.Numbers = map[string]float64{}
	if s.Arrays == nil {
		s.Arrays = map[string]*mat.Dense{}
	}
	for o, p := range m.of.posterior {
		p.put(fmt.Sprint(o), placesOf(m.Support()), s.Numbers, s.Arrays)
	}
	return s
}

func restoreRVMClassifier(s learn.Saved[any]) (learn.Model[any], error) {
	base, err := s.Classifier()
	if err != nil {
		return nil, err
	}
	m := &rvmClasses{f: base.Func(), support: base.Support()}
	for o := range s.Func.Outputs() {
		p, err := readPosterior(s, fmt.Sprint(o), base.Support())
		if err != nil {
			return nil, err
		}
		m.posterior = append(m.posterior, p)
	}
	return &RVMClassifier[any, int]{*base, m}, nil
}
