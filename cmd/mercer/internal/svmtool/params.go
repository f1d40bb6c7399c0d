package svmtool

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/kernel"
)

// svmType is LIBSVM's -s.
type svmType int

const (
	cSVC svmType = iota
	nuSVC
	oneClass
	epsilonSVR
	nuSVR
)

var svmTypeNames = []string{"c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr"}

func (t svmType) classifies() bool { return t == cSVC || t == nuSVC }
func (t svmType) regresses() bool  { return t == epsilonSVR || t == nuSVR }

// kernelType is LIBSVM's -t.
type kernelType int

const (
	linear kernelType = iota
	polynomial
	rbf
	sigmoid
	precomputed
)

var kernelTypeNames = []string{"linear", "polynomial", "rbf", "sigmoid", "precomputed"}

// kernelParams are a kernel by LIBSVM's names.
type kernelParams struct {
	Type   kernelType
	Degree int
	Gamma  float64
	Coef0  float64
}

// kernel is the kernel on vectors: LIBSVM's γ is 1/(2ℓ²) of a length-scale ℓ.
// Where mercer takes γ = 0 for "not given", a γ too small to matter stands for it.
func (p kernelParams) kernel() kernel.Kernel[kernel.Vec] {
	gamma := max(p.Gamma, 1e-300)
	switch p.Type {
	case linear:
		return kernel.Linear{}
	case polynomial:
		if p.Degree == 0 {
			return kernel.Constant[kernel.Vec](1)
		}
		return kernel.Polynomial{Gamma: gamma, Offset: p.Coef0, Degree: p.Degree}
	case sigmoid:
		return kernel.Sigmoid{Gamma: gamma, Offset: p.Coef0}
	default:
		return kernel.Gaussian{Lengthscale: 1 / math.Sqrt(2*gamma)}
	}
}

// params are the options of svm-train.
type params struct {
	Type       svmType
	Kernel     kernelParams
	C, Nu, P   float64
	Eps        float64
	CacheMB    float64 // 0: not given
	Shrinking  bool
	Probable   bool
	WeightFor  []int
	Weight     []float64
	Folds      int // 0: no cross-validation
	Quiet      bool
	Identical  bool   // LIBSVM's own path, digit for digit
	Device     string // cpu, gpu, or empty: a GPU where that is faster
	GammaGiven bool
	Data       string
	Model      string
}

// helpRequest asks for the usage text, after the message if there is one.
type helpRequest struct{ message string }

func (e *helpRequest) Error() string { return e.message }

// parseTrain reads the arguments of svm-train.
func parseTrain(args []string) (*params, error) {
	p := &params{Kernel: kernelParams{Type: rbf, Degree: 3}, C: 1, Nu: 0.5, P: 0.1, Eps: 1e-3, Shrinking: true}
	i := 0
	for ; i < len(args) && strings.HasPrefix(args[i], "-"); i++ {
		name := args[i]
		if name == "-q" {
			p.Quiet = true
			continue
		}
		i++
		if i >= len(args) || len(name) < 2 {
			return nil, &helpRequest{}
		}
		if err := p.set(name, args[i]); err != nil {
			return nil, err
		}
	}
	if i >= len(args) {
		return nil, &helpRequest{}
	}
	p.Data = args[i]
	if i+1 < len(args) {
		p.Model = args[i+1]
	} else {
		p.Model = p.Data[strings.LastIndexByte(p.Data, '/')+1:] + ".model"
	}
	return p, p.check()
}

func (p *params) set(name, value string) error {
	if name == "-D" {
		if p.Device = value; value != "cpu" && value != "gpu" && value != "auto" {
			return &helpRequest{fmt.Sprintf("option -D takes auto, cpu or gpu, not %q", value)}
		}
		return nil
	}
	number, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil {
		return &helpRequest{fmt.Sprintf("option %s takes a number, not %q", name, value)}
	}
	switch name[1] {
	case 's':
		p.Type = svmType(number)
	case 't':
		p.Kernel.Type = kernelType(number)
	case 'd':
		p.Kernel.Degree = int(number)
	case 'g':
		p.Kernel.Gamma, p.GammaGiven = number, true
	case 'r':
		p.Kernel.Coef0 = number
	case 'n':
		p.Nu = number
	case 'm':
		p.CacheMB = number
		if !(number > 0) {
			return fmt.Errorf("ERROR: cache_size <= 0")
		}
	case 'c':
		p.C = number
	case 'e':
		p.Eps = number
	case 'p':
		p.P = number
	case 'h':
		if number != 0 && number != 1 {
			return fmt.Errorf("ERROR: shrinking != 0 and shrinking != 1")
		}
		p.Shrinking = number == 1
	case 'b':
		if number != 0 && number != 1 {
			return fmt.Errorf("ERROR: probability != 0 and probability != 1")
		}
		p.Probable = number == 1
	case 'i':
		if number != 0 && number != 1 {
			return fmt.Errorf("ERROR: identical != 0 and identical != 1")
		}
		p.Identical = number == 1
	case 'v':
		p.Folds = int(number)
		if p.Folds < 2 {
			return &helpRequest{"n-fold cross validation: n must >= 2"}
		}
	case 'w':
		label, err := strconv.Atoi(name[2:])
		if err != nil {
			return &helpRequest{fmt.Sprintf("option %s: a class label, a whole number, follows -w", name)}
		}
		p.WeightFor, p.Weight = append(p.WeightFor, label), append(p.Weight, number)
	default:
		return &helpRequest{"Unknown option: " + name}
	}
	return nil
}

// check refuses parameters with LIBSVM's own messages.
func (p *params) check() error {
	bad := func(what string) error { return fmt.Errorf("ERROR: %s", what) }
	switch {
	case p.Type < cSVC || p.Type > nuSVR:
		return bad("unknown svm type")
	case p.Kernel.Type < linear || p.Kernel.Type > precomputed:
		return bad("unknown kernel type")
	case !(p.Kernel.Gamma >= 0) && (p.Kernel.Type == polynomial || p.Kernel.Type == rbf || p.Kernel.Type == sigmoid):
		return bad("gamma < 0")
	case p.Kernel.Degree < 0 && p.Kernel.Type == polynomial:
		return bad("degree of polynomial kernel < 0")
	case !(p.Eps > 0):
		return bad("eps <= 0")
	case !(p.C > 0) && (p.Type == cSVC || p.Type.regresses()):
		return bad("C <= 0")
	case !(p.Nu > 0 && p.Nu <= 1) && (p.Type == nuSVC || p.Type == oneClass || p.Type == nuSVR):
		return bad("nu <= 0 or nu > 1")
	case !(p.P >= 0) && p.Type == epsilonSVR:
		return bad("p < 0")
	case p.Device == "gpu" && (p.Identical || p.Kernel.Type == precomputed):
		return bad("-D gpu with -i 1 or a precomputed kernel: both are the processor's; leave -D out")
	}
	return nil
}
