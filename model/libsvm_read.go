package model

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// The bounds of a LIBSVM model: the coefficients are kept by centre and pair
// of classes, and most of them are zero.
const (
	maxLIBSVMLine  = 1 << 28
	maxLIBSVMCoefs = 1 << 26
)

// libsvmModel is the text of a model of LIBSVM, parsed.
type libsvmModel struct {
	kind, kernel   string
	degree         int
	gamma, coef0   float64
	classes, total int
	rho            []float64
	labels         []int
	probA, probB   []float64
	marks          []float64
	counts         []int
	coef           [][]float64 // by support vector: classes-1, or 1
	vectors        []data.SparseVec
	serials        []int
	dim            int
	line           int
	precomputed    bool
	classification bool
}

// ReadLIBSVM reads a model that svm-train wrote: all five formulations, all
// five kernels, with probabilities. The model has no encoding: its points are
// sparse rows as a LIBSVM file has them; for a precomputed kernel the file is
// to be read with indices from 0, or its columns are the kernel values with
// the training objects. Classes are the labels in increasing order.
func ReadLIBSVM(src io.Reader) (*Model, error) {
	p := &libsvmModel{degree: 3}
	in := bufio.NewScanner(src)
	in.Buffer(make([]byte, 1<<16), maxLIBSVMLine)
	if err := p.header(in); err != nil {
		return nil, &libsvmError{p.line, err}
	}
	for in.Scan() {
		p.line++
		if err := p.vector(in.Text()); err != nil {
			return nil, &libsvmError{p.line, err}
		}
	}
	if err := in.Err(); err != nil {
		return nil, &libsvmError{p.line, err}
	}
	m, err := p.model()
	if err != nil {
		return nil, &libsvmError{Err: err}
	}
	return m, nil
}

func (p *libsvmModel) header(in *bufio.Scanner) error {
	for in.Scan() {
		p.line++
		f := strings.Fields(in.Text())
		if len(f) == 0 {
			continue
		}
		if f[0] == "SV" {
			return p.check()
		}
		if len(f) < 2 && f[0] != "nr_sv" {
			return fmt.Errorf("%q has no value", clip(f[0]))
		}
		var err error
		switch f[0] {
		case "svm_type":
			p.kind = f[1]
		case "kernel_type":
			p.kernel = f[1]
		case "degree":
			p.degree, err = strconv.Atoi(f[1])
		case "gamma":
			p.gamma, err = oneFinite(f[1])
		case "coef0":
			p.coef0, err = oneFinite(f[1])
		case "nr_class":
			p.classes, err = strconv.Atoi(f[1])
		case "total_sv":
			p.total, err = strconv.Atoi(f[1])
		case "rho":
			p.rho, err = finiteList(f[1:])
		case "label":
			p.labels, err = intList(f[1:])
		case "nr_sv":
			p.counts, err = intList(f[1:])
		case "probA":
			p.probA, err = finiteList(f[1:])
		case "probB":
			p.probB, err = finiteList(f[1:])
		case "prob_density_marks":
			p.marks, err = finiteList(f[1:])
		default:
			return fmt.Errorf("unknown entry %q; is this a model that svm-train wrote?", clip(f[0]))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f[0], err)
		}
	}
	if err := in.Err(); err != nil {
		return err
	}
	return errors.New("no line \"SV\"; is this a model that svm-train wrote, and all of it?")
}

func oneFinite(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !finite(v) {
		return 0, fmt.Errorf("%q is no finite number", clip(s))
	}
	return v, nil
}

func finiteList(f []string) ([]float64, error) {
	out := make([]float64, len(f))
	for i, s := range f {
		var err error
		if out[i], err = oneFinite(s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func intList(f []string) ([]int, error) {
	out := make([]int, len(f))
	for i, s := range f {
		v, err := strconv.ParseInt(s, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%q is no whole number", clip(s))
		}
		out[i] = int(v)
	}
	return out, nil
}

// check verifies the header.
func (p *libsvmModel) check() error {
	switch p.kind {
	case "c_svc", "nu_svc":
		p.classification = true
	case "one_class", "epsilon_svr", "nu_svr":
		if p.classes != 2 {
			return fmt.Errorf("nr_class %d in a model of type %s, want 2", p.classes, p.kind)
		}
	default:
		return fmt.Errorf("svm_type %q, want c_svc, nu_svc, one_class, epsilon_svr or nu_svr", clip(p.kind))
	}
	if !slices.Contains([]string{"linear", "polynomial", "rbf", "sigmoid", "precomputed"}, p.kernel) {
		return fmt.Errorf("kernel_type %q, want linear, polynomial, rbf, sigmoid or precomputed", clip(p.kernel))
	}
	p.precomputed = p.kernel == "precomputed"
	if p.total < 1 {
		return fmt.Errorf("total_sv %d; a model without support vectors says nothing", p.total)
	}
	pairs := 1
	if p.classification {
		if p.classes < 2 || p.classes > 1<<15 {
			return fmt.Errorf("nr_class %d: a model of one class says nothing, and more than %d are not read", p.classes, 1<<15)
		}
		pairs = p.classes * (p.classes - 1) / 2
		if len(p.labels) != p.classes || len(p.counts) != p.classes {
			return fmt.Errorf("nr_class %d, but %d labels and %d entries of nr_sv", p.classes, len(p.labels), len(p.counts))
		}
		sum := 0
		for _, n := range p.counts {
			if n < 0 {
				return fmt.Errorf("nr_sv %d", n)
			}
			sum += n
		}
		if sum != p.total {
			return fmt.Errorf("total_sv %d, but nr_sv sums to %d", p.total, sum)
		}
		sorted := slices.Clone(p.labels)
		slices.Sort(sorted)
		if len(slices.Compact(sorted)) != p.classes {
			return fmt.Errorf("the same label twice")
		}
		if p.probA != nil && (len(p.probA) != pairs || len(p.probB) != pairs) {
			return fmt.Errorf("%d entries of probA and %d of probB, want %d", len(p.probA), len(p.probB), pairs)
		}
	}
	if len(p.rho) != pairs {
		return fmt.Errorf("%d entries of rho, want %d", len(p.rho), pairs)
	}
	if p.total > maxLIBSVMCoefs/pairs {
		return fmt.Errorf("%d support vectors of %d pairs of classes; at most %d coefficients are read", p.total, pairs,
			maxLIBSVMCoefs)
	}
	return nil
}

// vector reads a line of support vector: coefficients, then index:value.
func (p *libsvmModel) vector(text string) error {
	f := strings.Fields(text)
	if len(f) == 0 {
		return nil
	}
	if len(p.coef) == p.total {
		return fmt.Errorf("more support vectors than total_sv %d", p.total)
	}
	width := 1
	if p.classification {
		width = p.classes - 1
	}
	if len(f) < width {
		return fmt.Errorf("%d coefficients, want %d", len(f), width)
	}
	coef, err := finiteList(f[:width])
	if err != nil {
		return err
	}
	p.coef = append(p.coef, coef)
	var v data.SparseVec
	last := -1
	for _, pair := range f[width:] {
		name, value, ok := strings.Cut(pair, ":")
		j, err := strconv.Atoi(name)
		if !ok || err != nil || j < 0 || j > maxDim || j == 0 && !p.precomputed {
			return fmt.Errorf("%q is no index:value, with an index from 1 to %d", clip(pair), maxDim)
		}
		x, err := oneFinite(value)
		if err != nil {
			return err
		}
		if p.precomputed {
			if j == 0 {
				if x != math.Trunc(x) || x < 1 || x > maxDim {
					return fmt.Errorf("0:%s is no number of a training object", clip(value))
				}
				p.serials = append(p.serials, int(x)-1)
				p.dim = max(p.dim, int(x))
			}
			continue
		}
		if j <= last {
			return fmt.Errorf("index %d after %d: they must increase", j, last)
		}
		last = j
		v.Index, v.Value = append(v.Index, int32(j-1)), append(v.Value, x)
		p.dim = max(p.dim, j)
	}
	if p.precomputed && len(p.serials) != len(p.coef) {
		return errors.New("no 0:number entry, or two, in a support vector of a precomputed kernel")
	}
	p.vectors = append(p.vectors, v)
	return nil
}

// libsvmNames is what package learn calls the formulations.
var libsvmNames = map[string]string{
	"c_svc": "C-SVC", "nu_svc": "nu-SVC", "one_class": "one-class SVM", "epsilon_svr": "epsilon-SVR", "nu_svr": "nu-SVR",
}

func (p *libsvmModel) model() (*Model, error) {
	if len(p.coef) != p.total {
		return nil, fmt.Errorf("%d support vectors, total_sv says %d (cut short?)", len(p.coef), p.total)
	}
	r := record{
		dim: p.dim, numbers: map[string]float64{}, arrays: map[string]*mat.Dense{},
		report: learn.Report{Learner: libsvmNames[p.kind], Converged: true},
	}
	info := Info{Notes: map[string]string{"imported": "from a LIBSVM model"}}
	switch {
	case p.classification:
		info.Classes = p.takeClasses(&r)
	default:
		r.learner = "svr"
		if p.kind == "one_class" {
			r.learner, r.classes = "one-class", 2
			if p.marks != nil {
				r.arrays["density marks"] = mat.NewDense(1, len(p.marks), p.marks)
			}
		} else if len(p.probA) > 0 {
			r.numbers["laplace"] = p.probA[0] // scale of the Laplace noise
		}
		r.coef = mat.NewDense(p.total, 1, nil)
		for i, c := range p.coef {
			r.coef.Set(i, 0, c[0])
		}
		r.bias = []float64{-p.rho[0]}
	}
	if p.precomputed {
		index := linalg.New[float64](p.total, 1)
		for i, s := range p.serials {
			index.Set(i, 0, float64(s))
		}
		b, err := precomputedOn(r, index)
		if err != nil {
			return nil, err
		}
		return assemble(b, info)
	}
	t := slices.Index([]string{"linear", "polynomial", "rbf", "sigmoid"}, p.kernel)
	k, err := kernel.LIBSVM(t, p.gamma, p.coef0, p.degree)
	if err != nil {
		return nil, err
	}
	if r.kernel, err = spec.FormatKernel(k); err != nil {
		return nil, err
	}
	r.domain = domainSparse
	r.sparse = data.SparseOf(p.vectors, p.dim).CSR()
	b, err := r.body(nil)
	if err != nil {
		return nil, err
	}
	return assemble(b, info)
}

// takeClasses sorts the labels and turns the machines accordingly; it returns
// the names of the classes.
func (p *libsvmModel) takeClasses(r *record) []string {
	k := p.classes
	sorted := slices.Clone(p.labels)
	slices.Sort(sorted)
	order, names := make([]int, k), make([]string, k)
	place := mat.NewDense(1, k, nil)
	for i, l := range p.labels {
		order[i], _ = slices.BinarySearch(sorted, l)
		names[order[i]] = strconv.Itoa(l)
		place.Set(0, i, float64(order[i]))
	}
	r.learner, r.classes, r.arrays["order"] = "svc", k, place
	pairs := len(p.rho)
	r.coef, r.bias = mat.NewDense(p.total, pairs, nil), make([]float64, pairs)
	start := make([]int, k+1)
	for c, n := range p.counts {
		start[c+1] = start[c] + n
	}
	var platt *mat.Dense
	if p.probA != nil {
		platt = mat.NewDense(pairs, 2, nil)
		r.arrays["platt"] = platt
	}
	at := 0
	eachPair(order, func(i, j, column int, sign float64) {
		for s := start[i]; s < start[i+1]; s++ {
			r.coef.Set(s, column, sign*p.coef[s][j-1])
		}
		for s := start[j]; s < start[j+1]; s++ {
			r.coef.Set(s, column, sign*p.coef[s][i])
		}
		r.bias[column] = -sign * p.rho[at]
		if platt != nil {
			platt.SetRow(column, []float64{p.probA[at], sign * p.probB[at]})
		}
		at++
	})
	return names
}
