package model

import (
	"bufio"
	"io"
	"strconv"

	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
)

const libsvmFormat = "LIBSVM's format"

// machineKernel is a kernel as LIBSVM and ONNX have it, with a factor that
// goes into the coefficients.
type machineKernel struct {
	name          string // linear, polynomial, rbf, sigmoid, precomputed
	gamma, offset float64
	degree        int
	factor        float64
}

// machineKernelOf names the kernel, where it is one of LIBSVM's.
func (r record) machineKernelOf(format string) (machineKernel, error) {
	if r.domain == domainPrecomputed {
		return machineKernel{name: "precomputed", factor: 1}, nil
	}
	k, err := spec.ParseKernel(r.kernel)
	if err != nil {
		return machineKernel{}, err
	}
	factor := 1.0
	for {
		scale, ok := k.(kernel.ScaleOf[kernel.Vec])
		if !ok {
			break
		}
		factor *= scale.Factor
		k = scale.Kernel
	}
	or1 := func(v float64) float64 {
		if v == 0 {
			return 1
		}
		return v
	}
	switch k := k.(type) {
	case kernel.Linear:
		return machineKernel{name: "linear", factor: factor}, nil
	case kernel.Polynomial:
		degree := k.Degree
		if degree == 0 {
			degree = 2
		}
		return machineKernel{"polynomial", or1(k.Gamma), k.Offset, degree, factor}, nil
	case kernel.Gaussian:
		return machineKernel{name: "rbf", gamma: kernel.LIBSVMGamma.FromLengthscale(or1(k.Lengthscale)), factor: factor}, nil
	case kernel.Sigmoid:
		return machineKernel{name: "sigmoid", gamma: or1(k.Gamma), offset: k.Offset, factor: factor}, nil
	}
	return machineKernel{}, unfit(format, "it has the kernel %s, and the format only linear, poly, gaussian and sigmoid",
		clip(r.kernel))
}

// WriteLIBSVM writes the model as svm-train would, for svm-predict: support vector machines, and
// every other model with one function, with the kernels linear, poly, gaussian, sigmoid (each also
// with a factor) or precomputed. Class names that are whole numbers are LIBSVM's labels; other
// classes are their codes, see LIBSVMLabels. The options say which rows svm-predict will be given.
// A model with probabilities predicts by them, as svm-predict -b 1 does. Where classes get the same
// number of votes LIBSVM takes the first, and mercer the one of larger decision values. The error
// is an *UnfitError where the model, or its encoder, does not fit the format.
func (m *Model) WriteLIBSVM(w io.Writer, options LIBSVMOptions) error {
	r := m.body.record()
	if err := r.byFunction(libsvmFormat); err != nil {
		return err
	}
	if t := m.info.TargetMap; t != nil {
		return unfitMap(libsvmFormat, t)
	}
	if t := m.info.Threshold; t != nil {
		return unfit(libsvmFormat, "it names %q from a probability of %.4g on, and svm-predict the more probable class",
			clip(t.Class), t.At)
	}
	k, err := r.machineKernelOf(libsvmFormat)
	if err != nil {
		return err
	}
	if err := m.libsvmRows(options); err != nil {
		return err
	}
	o := &libsvmWriter{w: bufio.NewWriterSize(w, 1<<16), r: r}
	switch {
	case r.learner == "one-class":
		o.line("svm_type one_class")
		o.kernel(k)
		o.single(k, 1, 0)
		if marks := r.arrays["density marks"]; marks != nil {
			o.list("prob_density_marks", marks.RawRowView(0))
		}
		o.vectors(nil, nil)
	case r.classes == 0:
		if m.Outputs() != 1 {
			return unfit(libsvmFormat, "it predicts %d numbers, the format one", m.Outputs())
		}
		kind := "epsilon_svr"
		if r.report.Learner == "nu-SVR" {
			kind = "nu_svr"
		}
		scale, shift := 1.0, 0.0
		if a := m.info.TargetScale; a != nil {
			scale, shift = 1/a.Factor, a.Center
		}
		o.line("svm_type " + kind)
		o.kernel(k)
		o.single(k, scale, shift)
		if sigma, ok := r.numbers["laplace"]; ok {
			o.list("probA", []float64{sigma})
		}
		o.vectors(nil, nil)
	case r.learner == "svc" || r.classes == 2 && m.Outputs() == 1:
		p, err := r.pairwiseOf(libsvmFormat)
		if err != nil {
			return err
		}
		kind := "c_svc"
		if r.report.Learner == "nu-SVC" {
			kind = "nu_svc"
		}
		o.line("svm_type " + kind)
		o.kernel(k)
		o.line("nr_class " + strconv.Itoa(r.classes))
		o.line("total_sv " + strconv.Itoa(len(p.rows)))
		o.list("rho", p.rho)
		labels := m.LIBSVMLabels()
		text := "label"
		for _, c := range p.order {
			text += " " + strconv.Itoa(labels[c])
		}
		o.line(text)
		if p.a != nil {
			o.list("probA", p.a)
			o.list("probB", p.b)
		}
		text = "nr_sv"
		for _, n := range p.counts {
			text += " " + strconv.Itoa(n)
		}
		o.line(text)
		if k.factor != 1 {
			for _, row := range p.coef {
				for i := range row {
					row[i] *= k.factor
				}
			}
		}
		o.vectors(p.rows, p.coef)
	default:
		return unfit(libsvmFormat, "%s is no support vector machine, and tells %d classes apart", r.learner, r.classes)
	}
	if o.err != nil {
		return o.err
	}
	return o.w.Flush()
}

type libsvmWriter struct {
	w    *bufio.Writer
	r    record
	coef [][]float64 // of a single function
	err  error
}

func (o *libsvmWriter) put(s string) {
	if o.err == nil {
		_, o.err = o.w.WriteString(s)
	}
}

func (o *libsvmWriter) line(s string) { o.put(s + "\n") }

func (o *libsvmWriter) list(name string, values []float64) {
	o.put(name)
	for _, v := range values {
		o.put(" " + short(v))
	}
	o.put("\n")
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func (o *libsvmWriter) kernel(k machineKernel) {
	o.line("kernel_type " + k.name)
	if k.name == "polynomial" {
		o.line("degree " + strconv.Itoa(k.degree))
	}
	if k.name == "polynomial" || k.name == "rbf" || k.name == "sigmoid" {
		o.line("gamma " + short(k.gamma))
	}
	if k.name == "polynomial" || k.name == "sigmoid" {
		o.line("coef0 " + short(k.offset))
	}
}

// single writes the header of a model with one function scale·f + shift.
func (o *libsvmWriter) single(k machineKernel, scale, shift float64) {
	n, _ := o.r.coef.Dims()
	row := make([]float64, n)
	for i := range row {
		row[i] = o.r.coef.At(i, 0) * k.factor * scale
	}
	o.coef = [][]float64{row}
	bias := 0.0
	if o.r.bias != nil {
		bias = o.r.bias[0]
	}
	o.line("nr_class 2")
	o.line("total_sv " + strconv.Itoa(n))
	o.list("rho", []float64{-(bias*scale + shift)})
}

// vectors writes the support vectors; nil rows mean all in order, nil coef the
// coefficients of the single function.
func (o *libsvmWriter) vectors(rows []int, coef [][]float64) {
	o.line("SV")
	if coef == nil {
		coef = o.coef
	}
	for at := range coef[0] {
		s := at
		if rows != nil {
			s = rows[at]
		}
		for _, c := range coef {
			o.put(short(c[at]) + " ")
		}
		switch {
		case o.r.sparse != nil:
			index, value := o.r.sparse.Row(s)
			for i, j := range index {
				o.put(strconv.Itoa(int(j)+1) + ":" + short(value[i]) + " ")
			}
		case o.r.domain == domainPrecomputed:
			o.put("0:" + strconv.Itoa(int(o.r.dense.At(s, 0))+1))
		default:
			for j, v := range o.r.dense.Row(s) {
				if v != 0 {
					o.put(strconv.Itoa(j+1) + ":" + short(v) + " ")
				}
			}
		}
		o.put("\n")
	}
}
