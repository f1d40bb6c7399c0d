package celltext

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// NormalPart is a normal distribution as a part of a mixture, or as all of it.
type NormalPart struct {
	Weight float64
	Mean   []float64
	Cov    [][]float64 // a row for each coordinate
}

// NormalParts reads a normal distribution or a mixture of some:
//
//	{"mean": [1, 2], "cov": [[2, 0.5], [0.5, 1]]}            a mean and a covariance
//	{"mean": [1, 2], "var": [2, 1]}                          variances: the rest of the covariance is 0
//	{"parts": [{"weight": 0.3, "mean": 0, "var": 1}, …]}     a mixture; weights sum to 1
//	1.2±0.3; 5±0.1                                           means with standard deviations
//
// A number stands for a list of one. That a covariance is positive definite is not asked here.
func NormalParts(s string) ([]NormalPart, error) {
	text := strings.TrimSpace(s)
	if !strings.HasPrefix(text, "{") {
		part, err := plusMinus(text)
		return []NormalPart{part}, err
	}
	var w writtenNormal
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil {
		return nil, fmt.Errorf("%q is no distribution: %v; write it as {\"mean\":[1,2],\"cov\":[[2,0],[0,1]]} or 1.2±0.3",
			Shortened(s), err)
	}
	if w.Parts == nil {
		if w.Weight != nil && *w.Weight != 1 {
			return nil, fmt.Errorf("its weight is %v, and it is the only part", *w.Weight)
		}
		part, err := w.part()
		part.Weight = 1
		return []NormalPart{part}, err
	}
	if w.Mean != nil || w.Cov != nil || w.Var != nil || w.Weight != nil {
		return nil, fmt.Errorf(`it has "parts" beside a mean of its own; write either`)
	}
	return mixtureParts(w.Parts)
}

// mixtureParts are the parts of a mixture, with weights that sum to 1; without any they are equal.
func mixtureParts(parts []writtenNormal) ([]NormalPart, error) {
	out, sum, weighted := make([]NormalPart, len(parts)), 0.0, 0
	for i, p := range parts {
		if p.Parts != nil {
			return nil, fmt.Errorf("part %d is a mixture itself", i+1)
		}
		var err error
		if out[i], err = p.part(); err != nil {
			return nil, fmt.Errorf("part %d: %w", i+1, err)
		}
		if len(out[i].Mean) != len(out[0].Mean) {
			return nil, fmt.Errorf("part %d has %d coordinates, the first has %d", i+1, len(out[i].Mean), len(out[0].Mean))
		}
		out[i].Weight = 1 / float64(len(parts))
		if p.Weight != nil {
			weighted++
			if out[i].Weight = *p.Weight; !(out[i].Weight >= 0) {
				return nil, fmt.Errorf("the weight of part %d is %v, where a number from 0 to 1 is needed", i+1, *p.Weight)
			}
		}
		sum += out[i].Weight
	}
	switch {
	case len(parts) == 0:
		return nil, fmt.Errorf("it has no parts; a mixture has at least one")
	case weighted > 0 && weighted < len(parts):
		return nil, fmt.Errorf("%d of its %d parts have a weight; give one to each, or to none", weighted, len(parts))
	case math.Abs(sum-1) > 1e-6:
		return nil, fmt.Errorf("the weights of its parts sum to %v, want 1", sum)
	}
	return out, nil
}

// writtenNormal is a distribution as it stands in a cell.
type writtenNormal struct {
	Weight *float64        `json:"weight"`
	Mean   numbersOrOne    `json:"mean"`
	Cov    rowsOrOne       `json:"cov"`
	Var    numbersOrOne    `json:"var"`
	Parts  []writtenNormal `json:"parts"`
}

// numbersOrOne is a list of numbers; a number alone is a list of one.
type numbersOrOne []float64

// UnmarshalJSON reads both.
func (n *numbersOrOne) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '[' {
		*n = make(numbersOrOne, 1)
		return json.Unmarshal(b, &(*n)[0])
	}
	return json.Unmarshal(b, (*[]float64)(n))
}

// rowsOrOne is the rows of a matrix; a number alone is a matrix of one.
type rowsOrOne [][]float64

// UnmarshalJSON reads both.
func (r *rowsOrOne) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '[' {
		*r = rowsOrOne{make([]float64, 1)}
		return json.Unmarshal(b, &(*r)[0][0])
	}
	return json.Unmarshal(b, (*[][]float64)(r))
}

// part is the mean with its covariance, which is symmetric and as large.
func (w writtenNormal) part() (NormalPart, error) {
	d := len(w.Mean)
	p := NormalPart{Mean: w.Mean, Cov: w.Cov}
	switch {
	case d == 0:
		return p, fmt.Errorf(`it has no "mean"; write {"mean":[1,2],"cov":[[2,0],[0,1]]}`)
	case (w.Cov == nil) == (w.Var == nil):
		return p, fmt.Errorf(`give "cov", the rows of a covariance, or "var", the variances, and not both`)
	case w.Var != nil && len(w.Var) != d:
		return p, fmt.Errorf("%d variances for a mean of %d coordinates", len(w.Var), d)
	case w.Var != nil:
		p.Cov = diagonal(w.Var)
		return p, nil
	case len(w.Cov) != d:
		return p, fmt.Errorf("a covariance of %d rows for a mean of %d coordinates", len(w.Cov), d)
	}
	for i, row := range w.Cov {
		if len(row) != d {
			return p, fmt.Errorf("row %d of the covariance has %d numbers, the mean has %d", i+1, len(row), d)
		}
		for j := range i {
			if row[j] != w.Cov[j][i] {
				return p, fmt.Errorf("the covariance is not symmetric: entry (%d, %d) is %v, (%d, %d) is %v", i+1, j+1, row[j], j+1,
					i+1, w.Cov[j][i])
			}
		}
	}
	return p, nil
}

func diagonal(values []float64) [][]float64 {
	out := make([][]float64, len(values))
	for i, v := range values {
		out[i] = make([]float64, len(values))
		out[i][i] = v
	}
	return out
}

// plusMinus reads means with standard deviations, 1.2±0.3; 5±0.1, or with +- in place of the sign.
func plusMinus(s string) (NormalPart, error) {
	p := NormalPart{Weight: 1}
	var variances []float64
	for _, field := range strings.FieldsFunc(strings.ReplaceAll(s, "+-", "±"), func(r rune) bool {
		return r == ';' ||
			r == ','
	}) {
		mean, deviation, ok := strings.Cut(field, "±")
		m, err := strconv.ParseFloat(strings.TrimSpace(mean), 64)
		d, err2 := strconv.ParseFloat(strings.TrimSpace(deviation), 64)
		if !ok || err != nil || err2 != nil {
			return p, fmt.Errorf("%q is no mean with its deviation; write 1.2±0.3, or {\"mean\":[1,2],\"cov\":[[2,0],[0,1]]}",
				strings.TrimSpace(field))
		}
		p.Mean, variances = append(p.Mean, m), append(variances, d*d)
	}
	if p.Mean == nil {
		return p, fmt.Errorf("it is empty; write {\"mean\":[1,2],\"cov\":[[2,0],[0,1]]} or 1.2±0.3")
	}
	p.Cov = diagonal(variances)
	return p, nil
}

// Shortened is the beginning of a text, for a message.
func Shortened(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
