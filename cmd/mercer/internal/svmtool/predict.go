package svmtool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/files"
	"github.com/mercer-ml/mercer/internal/format/libsvm"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Predict is svm-predict. Rows are read, predicted and written a chunk at a
// time, so that memory does not grow with the file.
func Predict(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	return finish(predict(ctx, args, stdout, stderr), predictUsage, stdout, stderr)
}

func predict(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	probable, identical, say := false, false, stdout
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		switch {
		case args[0] == "-q":
			say = io.Discard
			args = args[1:]
		case args[0] == "-b" && len(args) > 1 && (args[1] == "0" || args[1] == "1"):
			probable = args[1] == "1"
			args = args[2:]
		case args[0] == "-i" && len(args) > 1 && (args[1] == "0" || args[1] == "1"):
			identical = args[1] == "1"
			args = args[2:]
		default:
			return &helpRequest{"Unknown option: " + args[0]}
		}
	}
	if len(args) != 3 {
		return &helpRequest{}
	}
	if _, err := os.Stat(args[0]); args[0] != "-" && errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("can't open input file %s", args[0])
	}
	if err := keepApart(args[2], args[0], args[1]); err != nil {
		return err
	}
	m, err := readModel(args[1])
	if err != nil {
		return err
	}
	if probable && !m.hasProbability() {
		return fmt.Errorf("Model does not support probabiliy estimates")
	}
	if !probable && m.hasProbability() {
		fmt.Fprintf(say, "Model supports probability estimates, but disabled in prediction.\n")
	}
	p := &predictor{modelFile: m, probable: probable && !m.machines.Type.regresses(), identical: identical, say: say}
	if probable && m.machines.Type.regresses() {
		fmt.Fprintf(say,
			"Prob. model for test data: target value = predicted value + z,\nz: Laplace distribution "+
				"e^(-|z|/sigma)/(2sigma),sigma=%s\n", g6(m.ProbA[0]))
	}
	if err := files.WriteSoon(ctx, args[2], func(w io.Writer) error { return p.run(ctx, args[0], w) }); err != nil {
		return err
	}
	if m.machines.Type.regresses() {
		fmt.Fprintf(say, "Mean squared error = %s (regression)\n", g6(p.score.meanSquare()))
		fmt.Fprintf(say, "Squared correlation coefficient = %s (regression)\n", g6(p.score.correlation()))
	} else {
		fmt.Fprintf(say, "Accuracy = %s%% (%d/%d) (classification)\n", g6(p.score.accuracy()), p.score.right, p.score.n)
	}
	return nil
}

type predictor struct {
	*modelFile
	probable  bool
	identical bool
	say       io.Writer
	score     tally
	laid      *rkhs.Func[kernel.Vec] // the machines on support vectors that are laid out, once made
}

// open gives the chunks of a file; one for a precomputed kernel counts its
// columns from 0.
func (p *predictor) open(ctx context.Context, path string) (data.Stream, func(), error) {
	if p.kernelParams.Type != precomputed {
		s, err := load.Open(ctx, path, load.Options{Format: "libsvm"})
		if err != nil {
			return nil, nil, err
		}
		return s, func() { s.Close() }, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	return libsvm.NewReader(f, path, libsvm.Options{ZeroBased: true}), func() { f.Close() }, nil
}

func (p *predictor) run(ctx context.Context, path string, w io.Writer) error {
	s, closeFile, err := p.open(ctx, path)
	if err != nil {
		return err
	}
	defer closeFile()
	out := bufio.NewWriterSize(w, 1<<16)
	if p.probable && p.machines.Type == oneClass {
		out.WriteString("label normal outlier\n")
	} else if p.probable {
		out.WriteString("labels")
		for _, l := range p.Label {
			fmt.Fprintf(out, " %d", l)
		}
		out.WriteByte('\n')
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		chunk, err := s.Next()
		if err == io.EOF {
			return out.Flush()
		}
		if err != nil {
			return err
		}
		t, err := newTable(chunk)
		if err != nil {
			return err
		}
		d, err := p.decisions(ctx, t)
		if err != nil {
			return err
		}
		p.write(out, t.y, d)
	}
}

func (p *predictor) decisions(ctx context.Context, t *table) (*mat.Dense, error) {
	if p.kernelParams.Type == precomputed {
		return p.lookUp(t)
	}
	dim := max(p.sv.Dim(), t.rows.Dim(), 1)
	if !p.identical && p.total() > 0 && p.outputs() > 0 && t.rows.Len() > 0 && dense(p.sv) && dim <= 2*p.sv.Dim() {
		return p.decideLaidOut(ctx, t, dim)
	}
	k, err := kernel.OnSparse(p.kernelParams.kernel(), dim)
	if err != nil {
		return nil, err
	}
	var sv data.Points[data.SparseVec]
	if p.total() > 0 {
		sv = widened(p.sv, dim)
	}
	if p.machines.Type.regresses() && p.identical {
		return decideInOrder(&p.machines, p.kernelParams, k, sv, data.Points[data.SparseVec](t.rows)), nil
	}
	return decide(ctx, &p.machines, k, sv, widened(t.rows, dim))
}

// decideLaidOut decides with all entries of the rows in place. The support vectors are made ready
// once, and again where a chunk has more columns.
func (p *predictor) decideLaidOut(ctx context.Context, t *table, dim int) (*mat.Dense, error) {
	if p.laid == nil || len(p.laid.Centers.At(0)) < dim {
		p.laid = p.function(p.kernelParams.kernel(), laidOut(p.sv, dim))
	}
	out := mat.NewDense(t.rows.Len(), p.outputs(), nil)
	return out, p.laid.EvaluateTo(ctx, out, laidOut(t.rows, len(p.laid.Centers.At(0))))
}

// lookUp finds the kernel values of the support vectors in each row, by their
// serial numbers.
func (p *predictor) lookUp(t *table) (*mat.Dense, error) {
	n, m := t.rows.Len(), p.total()
	if n == 0 || p.outputs() == 0 {
		return new(mat.Dense), nil
	}
	out := mat.NewDense(n, p.outputs(), nil)
	var coef *mat.Dense
	if m > 0 {
		coef = p.byMachine()
	}
	dense := make([]float64, t.rows.Dim())
	for i := range n {
		clear(dense)
		v := t.rows.At(i)
		for a, j := range v.Index {
			dense[j] = v.Value[a]
		}
		row := out.RawRowView(i)
		for c := range row {
			row[c] = -p.Rho[c]
		}
		for a := range m {
			s := p.serial[a]
			if s < 1 || s >= len(dense) {
				return nil, fmt.Errorf("%s: rows have kernel values with %d training rows, but the model needs number %d", t.name,
					len(dense)-1, s)
			}
			for c := range row {
				row[c] += coef.At(a, c) * dense[s]
			}
		}
	}
	return out, nil
}

func (p *predictor) write(out *bufio.Writer, y []float64, d *mat.Dense) {
	prob := make([]float64, len(p.Label))
	for i := range y {
		var row []float64
		if p.outputs() > 0 {
			row = d.RawRowView(i)
		}
		var v float64
		if p.probable {
			if p.machines.Type == oneClass {
				v = p.value(row)
				normal := normality(p.Marks, row[0])
				prob = []float64{normal, 1 - normal}
			} else {
				v = p.probabilities(prob, row, p.say)
			}
			out.WriteString(g6(v))
			for _, q := range prob {
				out.WriteString(" " + g6(q))
			}
		} else {
			v = p.value(row)
			// Newer versions print regression values with all digits.
			if p.machines.Type.regresses() {
				out.WriteString(libsvm.FormatG(v, 17))
			} else {
				out.WriteString(g6(v))
			}
		}
		out.WriteByte('\n')
		p.score.add(v, y[i])
	}
}
