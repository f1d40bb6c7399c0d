package spec_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/discrete"
	"github.com/mercer-ml/mercer/kernel/mixed"
)

// untyped are the kernels that hold a Go function or data, and why they cannot be typed. They are
// printed as <NAME>; docs/kernels.md lists them.
var untyped = map[string]string{
	"kernel.Stationary":      "a Go function",
	"kernel.Radial":          "a Go function",
	"kernel.DotProduct":      "a Go function",
	"kernel.MultiplyOf":      "a Go function",
	"kernel.Precomputed":     "data: the matrix",
	"graph.Nodes":            "data: a graph",
	"prob.Latent":            "a Go function: the model",
	"prob.Marginalized":      "a Go function: the model",
	"prob.NormalProduct":     "points that no column holds: mixtureproduct is the same on mixtures of one part",
	"prob.MarginalizedCount": "data: a fitted model",
	"prob.Fisher":            "data: a fitted model",
	"prob.Covariance":        "a Go function: the joint density",
	"seq.EmpiricalOf":        "data: landmarks of any kind",
	"gram.RepairedKernel":    "data: eigenvectors",
	"kernel.FeatureSpace":    "data: names of features",
}

// Every kernel of the library has a text, or is on the list of those that hold what cannot be
// typed. A kernel that is added without either fails here.
func TestEveryKernelIsTypedOrSaysWhyNot(t *testing.T) {
	typed := map[string]bool{"kernel.SparseOf": true} // the same kernel on sparse rows
	for _, c := range languages() {
		for _, e := range append(slices.Clone(c), spec.Algebra()...) {
			for _, sample := range e.Samples {
				if k, err := spec.ParseWith(c, sample); err == nil {
					typesOf(reflect.ValueOf(k), typed)
				}
			}
		}
	}
	rows := mixed.Schema{Columns: []mixed.Column{{Name: "s", Kind: data.Text, Object: 0},
		{Name: "n", Kind: data.Text, Object: 1}}}
	for _, text := range []string{"spectrum() on s", "spectrum() on s,n"} {
		k, err := spec.ParseRows(rows, text)
		if err != nil {
			t.Fatal(err)
		}
		typesOf(reflect.ValueOf(k), typed)
	}
	found := kernelTypes(t, "../../kernel", "../../gram")
	if len(found) < 100 {
		t.Fatalf("%d kernels in the source; the walk is broken", len(found))
	}
	page, err := os.ReadFile("../../docs/kernels.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range found {
		why, cannot := untyped[name]
		switch {
		case typed[name] && cannot:
			t.Errorf("%s has a text; take it off the list", name)
		case !typed[name] && !cannot:
			t.Errorf("%s has no text: give it an entry in package spec with a sample, or say in the list why it cannot have one",
				name)
		case cannot && !strings.Contains(string(page), "`"+name+"`"):
			t.Errorf("docs/kernels.md does not say that %s cannot be typed (%s)", name, why)
		}
	}
	for name := range maps.Keys(untyped) {
		if !slices.Contains(found, name) {
			t.Errorf("%s is no kernel of the library", name)
		}
	}
}

// typesOf notes the types of all kernels within a value.
func typesOf(v reflect.Value, seen map[string]bool) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			typesOf(v.Elem(), seen)
		}
		return
	case reflect.Struct:
		for i := range v.NumField() {
			typesOf(v.Field(i), seen)
		}
	case reflect.Slice:
		if k := v.Type().Elem().Kind(); k == reflect.Interface || k == reflect.Struct {
			for i := range v.Len() {
				typesOf(v.Index(i), seen)
			}
		}
		return
	default:
		return
	}
	name, _, _ := strings.Cut(v.Type().Name(), "[")
	seen[filepath.Base(v.Type().PkgPath())+"."+name] = true
}

// kernelTypes are the exported types with a method Eval(x, y T) float64.
func kernelTypes(t *testing.T, roots ...string) []string {
	out := map[string]bool{}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.Contains(path, "kerneltest") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, d := range f.Decls {
				m, ok := d.(*ast.FuncDecl)
				if !ok || m.Recv == nil || m.Name.Name != "Eval" || m.Type.Params.NumFields() != 2 || len(m.Type.Params.List) != 1 {
					continue
				}
				if name := receiver(m.Recv.List[0].Type); ast.IsExported(name) {
					out[f.Name.Name+"."+name] = true
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return slices.Sorted(maps.Keys(out))
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// What cannot be typed is printed in angle brackets, whatever stands around it, and refused with
// the reason.
func TestWhatCannotBeTypedSaysSo(t *testing.T) {
	function := kernel.Stationary{Kappa: func(kernel.Vec) float64 { return 1 }}
	for want, k := range map[string]kernel.Kernel[kernel.Vec]{
		"<stationary>": function,
		"0.5*gaussian(lengthscale=2) + <stationary>": kernel.Sum(kernel.Scale[kernel.Vec](0.5,
			kernel.Gaussian{Lengthscale: 2}), function),
		"normalize(<stationary>)^2": kernel.Power(kernel.Normalize[kernel.Vec](function), 2),
		"<pullback>": kernel.Pullback(kernel.Kernel[kernel.Vec](kernel.Linear{}),
			func(x kernel.Vec) kernel.Vec { return x }),
		"<multiply(linear)>": kernel.Multiply(func(kernel.Vec) float64 { return 1 },
			kernel.Kernel[kernel.Vec](kernel.Linear{})),
	} {
		text := spec.Printed(k)
		if text != want {
			t.Errorf("printed as %s, want %s", text, want)
		}
		if _, err := spec.ParseKernel(text); err == nil || !strings.Contains(err.Error(), "cannot be typed") {
			t.Errorf("%s: %v", text, err)
		}
	}
	measured := discrete.OrnsteinUhlenbeck[string]{Rate: 2, Measure: func(string) float64 { return 2 }}
	if got := spec.Printed[[]string](measured); got != "<setou>" {
		t.Errorf("with a Go function printed as %s, which is another kernel", got)
	}
	measured.Measure = nil
	if got := spec.Printed[[]string](measured); got != "setou(rate=2)" {
		t.Errorf("printed as %s", got)
	}
	if got := spec.Printed[kernel.Vec](nil); got != "" {
		t.Errorf("no kernel is printed as %q", got)
	}
	sparse, err := kernel.OnSparse(kernel.Sum[kernel.Vec](kernel.Gaussian{Lengthscale: 2}, kernel.Linear{}), 3)
	if err != nil {
		t.Fatal(err)
	}
	if got := spec.Printed(sparse); got != "gaussian(lengthscale=2) + linear()" {
		t.Errorf("on sparse rows printed as %s", got)
	}
}

// Rounded leaves names, texts and whole numbers.
func TestRounded(t *testing.T) {
	for text, want := range map[string]string{
		"gaussian(lengthscale=1.23456789) on a1e5,\"x 1.23456\"": "gaussian(lengthscale=1.235) on " +
			"a1e5,\"x 1.23456\"",
		"12345678*chi2(gamma=1e-07)": "12345678*chi2(gamma=1e-07)",
		"0.123456*<stationary> + laplacel1(lengthscale=[1.00001, 123456.5])": "0.1235*<stationary> + " +
			"laplacel1(lengthscale=[1, 1.235e+05])",
		`over(chars(), alphabet="a\"1.23456")`: `over(chars(), alphabet="a\"1.23456")`,
	} {
		if got := spec.Rounded(text); got != want {
			t.Errorf("%s is rounded to %s, want %s", text, got, want)
		}
	}
}
