package archtest

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// A module that imports ours can name every type in our public signatures and fields: none is of an
// internal package.
func TestNoInternalTypeInPublicAPI(t *testing.T) {
	seen := 0
	for path, pkg := range publicPackages(t) {
		for _, name := range pkg.Scope().Names() {
			o := pkg.Scope().Lookup(name)
			if !o.Exported() {
				continue
			}
			seen++
			for _, l := range leaks(o) {
				t.Errorf("%s.%s", path, l)
			}
		}
	}
	if seen < 500 {
		t.Fatalf("%d exported names seen: the walk is broken", seen)
	}
}

// publicPackages are those that other modules may import, by their paths within ours.
func publicPackages(t *testing.T) map[string]*types.Package {
	t.Helper()
	packages, err := loadPublic()
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// loadPublic asks the go command once for all tests: it takes seconds.
var loadPublic = sync.OnceValues(func() (map[string]*types.Package, error) {
	exports, err := exportData()
	if err != nil {
		return nil, err
	}
	imports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		file, ok := exports[path]
		if !ok {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(file)
	})
	out := map[string]*types.Package{}
	for path := range exports {
		if !strings.HasPrefix(path, module) || private(path) || strings.HasPrefix(path, module+"/cmd/") {
			continue
		}
		pkg, err := imports.Import(path)
		if err != nil {
			return nil, err
		}
		out[strings.TrimPrefix(path, module+"/")] = pkg
	}
	return out, nil
})

func private(path string) bool { return strings.Contains(path+"/", "/internal/") }

// exportData is where the compiler left what it knows of each package of the module and what it
// imports.
func exportData() (map[string]string, error) {
	c := exec.Command("go", "list", "-export", "-deps", "-f", "{{if .Export}}{{.ImportPath}} {{.Export}}{{end}}", "./...")
	c.Dir = "../.."
	var fault bytes.Buffer
	c.Stderr = &fault
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, fault.String())
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if path, file, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			exports[path] = file
		}
	}
	return exports, nil
}

// leaks says where an exported name shows a type of an internal package.
func leaks(o types.Object) []string {
	var out []string
	w := &walker{seen: map[types.Type]bool{}}
	look := func(what string, t types.Type) {
		if bad := w.internal(t); bad != "" {
			out = append(out, what+" shows "+bad)
		}
	}
	name, isType := o.(*types.TypeName)
	if !isType {
		look(o.Name(), o.Type())
		return out
	}
	if name.IsAlias() {
		look(o.Name(), types.Unalias(o.Type()))
		return out
	}
	named := o.Type().(*types.Named)
	for i := range named.TypeParams().Len() {
		look(o.Name()+"["+named.TypeParams().At(i).String()+"]", named.TypeParams().At(i).Constraint())
	}
	if s, ok := named.Underlying().(*types.Struct); ok {
		for i := range s.NumFields() {
			if f := s.Field(i); f.Exported() {
				look(o.Name()+"."+f.Name(), f.Type())
			}
		}
	} else {
		look(o.Name(), named.Underlying())
	}
	// Methods, those of embedded fields too.
	methods := types.NewMethodSet(types.NewPointer(named))
	for i := range methods.Len() {
		if m := methods.At(i).Obj(); m.Exported() {
			look(o.Name()+"."+m.Name(), m.Type())
		}
	}
	return out
}

// walker looks through the shape of a type, up to the names in it.
type walker struct{ seen map[types.Type]bool }

// internal is the first type of an internal package that t names, or nothing.
func (w *walker) internal(t types.Type) string {
	if t == nil || w.seen[t] {
		return ""
	}
	w.seen[t] = true
	defer delete(w.seen, t)
	switch t := t.(type) {
	case *types.Alias:
		return w.internal(types.Unalias(t))
	case *types.Named:
		if p := t.Obj().Pkg(); p != nil && private(p.Path()) {
			return t.Obj().Pkg().Path() + "." + t.Obj().Name()
		}
		for i := range t.TypeArgs().Len() {
			if bad := w.internal(t.TypeArgs().At(i)); bad != "" {
				return bad
			}
		}
	case *types.TypeParam:
		return w.internal(t.Constraint())
	case *types.Pointer:
		return w.internal(t.Elem())
	case *types.Slice:
		return w.internal(t.Elem())
	case *types.Array:
		return w.internal(t.Elem())
	case *types.Chan:
		return w.internal(t.Elem())
	case *types.Map:
		return first(w.internal(t.Key()), w.internal(t.Elem()))
	case *types.Tuple:
		for i := range t.Len() {
			if bad := w.internal(t.At(i).Type()); bad != "" {
				return bad
			}
		}
	case *types.Signature:
		for i := range t.TypeParams().Len() {
			if bad := w.internal(t.TypeParams().At(i).Constraint()); bad != "" {
				return bad
			}
		}
		return first(w.internal(t.Params()), w.internal(t.Results()))
	case *types.Struct:
		for i := range t.NumFields() {
			if bad := w.internal(t.Field(i).Type()); bad != "" && t.Field(i).Exported() {
				return bad
			}
		}
	case *types.Interface:
		for i := range t.NumExplicitMethods() {
			if m := t.ExplicitMethod(i); m.Exported() {
				if bad := w.internal(m.Type()); bad != "" {
					return bad
				}
			}
		}
		for i := range t.NumEmbeddeds() {
			if bad := w.internal(t.EmbeddedType(i)); bad != "" {
				return bad
			}
		}
	case *types.Union:
		for i := range t.Len() {
			if bad := w.internal(t.Term(i).Type()); bad != "" {
				return bad
			}
		}
	}
	return ""
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// The walk sees what it is to see: fields, methods of embedded types, constraints, results, type
// arguments.
func TestLeaksAreSeen(t *testing.T) {
	inside := types.NewPackage(module+"/internal/x", "x")
	hidden := types.NewNamed(types.NewTypeName(token.NoPos, inside, "T", nil), types.Typ[types.Int], nil)
	outside := types.NewPackage(module+"/y", "y")
	variable := func(name string, ty types.Type) *types.Var { return types.NewVar(token.NoPos, outside, name, ty) }
	function := func(ty types.Type) *types.Signature {
		return types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(variable("", ty)), false)
	}
	for name, ty := range map[string]types.Type{
		"pointer": types.NewPointer(hidden), "slice of maps": types.NewSlice(types.NewMap(types.Typ[types.String], hidden)),
		"result": function(hidden), "field": types.NewStruct([]*types.Var{types.NewField(token.NoPos, outside, "F", hidden,
			false)}, nil),
		"method": types.NewInterfaceType([]*types.Func{types.NewFunc(token.NoPos, outside, "M", function(hidden))},
			nil).Complete(),
		"union": types.NewInterfaceType(nil,
			[]types.Type{types.NewUnion([]*types.Term{types.NewTerm(false, hidden)})}).Complete(),
	} {
		if w := (&walker{map[types.Type]bool{}}); w.internal(ty) == "" {
			t.Errorf("%s: nothing seen", name)
		}
	}
	plain := types.NewStruct([]*types.Var{types.NewField(token.NoPos, outside, "f", hidden, false)}, nil)
	if w := (&walker{map[types.Type]bool{}}); w.internal(plain) != "" {
		t.Error("a field that is not exported is no leak")
	}
}
