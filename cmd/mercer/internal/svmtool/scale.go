package svmtool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/files"
	"github.com/mercer-ml/mercer/internal/format/libsvm"
)

// Scale is svm-scale.
func Scale(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	return finish(scale(ctx, args, stdout, stderr), scaleUsage, stdout, stderr)
}

// scaling are the options of svm-scale.
type scaling struct {
	lower, upper float64
	labels       bool // -y
	yLow, yHigh  float64
	save, use    string
	data         string
}

func parseScale(args []string) (*scaling, error) {
	o := &scaling{lower: -1, upper: 1}
	number := func(s string) (float64, error) {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return 0, &helpRequest{fmt.Sprintf("%q is not a number", s)}
		}
		return v, nil
	}
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		need := 2
		if args[0] == "-y" {
			need = 3
		}
		if len(args) < need {
			return nil, &helpRequest{}
		}
		var err error
		switch args[0] {
		case "-l":
			o.lower, err = number(args[1])
		case "-u":
			o.upper, err = number(args[1])
		case "-y":
			o.labels = true
			if o.yLow, err = number(args[1]); err == nil {
				o.yHigh, err = number(args[2])
			}
		case "-s":
			o.save = args[1]
		case "-r":
			o.use = args[1]
		default:
			return nil, &helpRequest{"unknown option"}
		}
		if err != nil {
			return nil, err
		}
		args = args[need:]
	}
	switch {
	case !(o.upper > o.lower) || o.labels && !(o.yHigh > o.yLow):
		return nil, fmt.Errorf("inconsistent lower/upper specification")
	case o.save != "" && o.use != "":
		return nil, fmt.Errorf("cannot use -r and -s simultaneously")
	case len(args) != 1:
		return nil, &helpRequest{}
	}
	o.data = args[0]
	return o, nil
}

func scale(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parseScale(args)
	if err != nil {
		return err
	}
	if o.save != "" {
		if err := keepApart(o.save, o.data); err != nil {
			return err
		}
	}
	t, err := readTable(ctx, o.data, false)
	if err != nil {
		var shut *openError
		if errors.As(err, &shut) {
			return fmt.Errorf("can't open file %s", o.data)
		}
		return err
	}
	r, err := o.ranges(t)
	if err != nil {
		return err
	}
	if o.save != "" {
		if err := files.WriteAtomic(o.save, func(w io.Writer) error { _, err := r.WriteTo(w); return err }); err != nil {
			return err
		}
	}
	before, after := len(t.rows.CSR().Value), 0
	w := bufio.NewWriterSize(stdout, 1<<16)
	var v data.SparseVec
	for i, y := range t.y {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.WriteString(libsvm.FormatG(r.ApplyTarget(y), 17) + " ")
		v = r.TransformTo(v, t.rows.At(i))
		after += len(v.Index)
		for a, j := range v.Index {
			w.WriteString(strconv.Itoa(int(j)+1) + ":" + g6(v.Value[a]) + " ")
		}
		w.WriteByte('\n')
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if after > before {
		fmt.Fprintf(stderr,
			"WARNING: original #nonzeros %d\n       > new      #nonzeros %d\nIf feature values are non-negative, use -l 0 "+
				"rather than the default -l -1\n", before, after)
	}
	return nil
}

func (o *scaling) ranges(t *table) (*libsvm.Range, error) {
	if o.use != "" {
		f, err := os.Open(o.use)
		if err != nil {
			return nil, fmt.Errorf("can't open file %s", o.use)
		}
		defer f.Close()
		return libsvm.ReadRange(f, o.use)
	}
	r, err := libsvm.FitRange(t.rows, o.lower, o.upper)
	if err != nil {
		return nil, err
	}
	if o.labels {
		if err := r.FitTarget(t.y, o.yLow, o.yHigh); err != nil {
			return nil, err
		}
	}
	return r, nil
}
