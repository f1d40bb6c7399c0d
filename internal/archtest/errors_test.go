package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// flagPattern is how a command line's flag looks in a text.
var flagPattern = regexp.MustCompile(`(^|[\s("':;|])--[a-z]`)

// A library knows no command line: what mends a fault is a code, which the program that has flags
// puts into words. Programs are under cmd, beam and bench; the playground's gallery shows commands,
// for people to copy.
func TestLibrariesSpeakOfNoFlags(t *testing.T) {
	eachFile(t, func(rel string, set *token.FileSet, f *ast.File) {
		if within(rel, "cmd") || within(rel, "beam") || within(rel, "bench") ||
			strings.HasPrefix(rel, "internal/play/gallery_entries") {
			return
		}
		for _, at := range flagsIn(f) {
			t.Errorf("%s speaks of a flag; give a remedy code, as data.Remedy", set.Position(at))
		}
	})
}

// An error is asked by errors.Is and errors.As, never by its text.
func TestErrorsAreNotReadAsText(t *testing.T) {
	eachFile(t, func(_ string, set *token.FileSet, f *ast.File) {
		for _, at := range textAsked(f) {
			t.Errorf("%s asks an error by its text; use errors.Is or errors.As", set.Position(at))
		}
	})
}

// The rules find what they look for, and nothing else.
func TestErrorRules(t *testing.T) {
	const head = "package p\nfunc f(err error) bool {\n"
	for code, want := range map[string]int{
		`return strings.Contains(err.Error(), "x")`:                              1,
		`return strings.HasPrefix(strings.ToLower(err.Error()), "x")`:            2,
		`return err.Error() == "x"`:                                              1,
		`return "x" != err.Error()`:                                              1,
		"switch err.Error() {\ncase \"x\":\n}\nreturn true":                      1,
		"text := err.Error()\ntext = strings.TrimPrefix(text, \"x\")":            1,
		"text := err.Error()\nreturn text == \"x\"":                              1,
		"var text = err.Error()\nreturn strings.Index(text, \"x\") > 0":          1,
		`return regexp.MustCompile("x").MatchString(err.Error())`:                1,
		`return errors.Is(err, io.EOF) && fmt.Sprint(err.Error()) != ""`:         0,
		"text := err.Error()\nreturn write(text)":                                0,
		"text := name\nreturn strings.Contains(text, \"x\")":                     0,
		`return err == io.EOF`:                                                   0,
		`return csv.Error() != nil`:                                              0,
		"b.WriteString(err.Error())\nreturn strings.Contains(b.String(), \"x\")": 0,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", head+code+"\n}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(textAsked(f)); got != want {
			t.Errorf("%s: %d found, want %d", code, got, want)
		}
	}
	for text, want := range map[string]int{"use --target": 1, "--na": 1, "(--type x)": 1, "a -- b": 0, "a--b": 0, "-s": 0,
		"----": 0} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nconst c = "+strconv.Quote(text), 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(flagsIn(f)); got != want {
			t.Errorf("%q: %d found, want %d", text, got, want)
		}
	}
}

// eachFile calls visit for every Go file of the module that is no test.
func eachFile(t *testing.T, visit func(rel string, set *token.FileSet, f *ast.File)) {
	t.Helper()
	root, seen := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			if file != root && (strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") || base == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		seen++
		visit(filepath.ToSlash(rel), set, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 100 {
		t.Fatalf("%d files seen: the walk is broken", seen)
	}
}

// flagsIn lists the string literals that speak of a flag.
func flagsIn(f *ast.File) (found []token.Pos) {
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil && flagPattern.MatchString(text) {
				found = append(found, lit.Pos())
			}
		}
		return true
	})
	return found
}

// textAsked lists the places that look into an error's text: a function of strings or of a regular
// expression on it, a comparison, a switch. A variable that was given the text counts as it.
func textAsked(f *ast.File) (found []token.Pos) {
	for _, decl := range f.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		texts := map[string]bool{}
		isText := func(e ast.Expr) bool {
			name, ok := e.(*ast.Ident)
			return ok && texts[name.Name] || holdsErrorText(e)
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, left := range n.Lhs {
					if name, ok := left.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) && isErrorText(n.Rhs[i]) {
						texts[name.Name] = true
					}
				}
			case *ast.ValueSpec:
				for i, v := range n.Values {
					if isErrorText(v) {
						texts[n.Names[i].Name] = true
					}
				}
			case *ast.CallExpr:
				if asksText(n) && slices.ContainsFunc(n.Args, isText) {
					found = append(found, n.Pos())
				}
			case *ast.BinaryExpr:
				if (n.Op == token.EQL || n.Op == token.NEQ) && !isNil(n.X) && !isNil(n.Y) {
					for _, side := range []ast.Expr{n.X, n.Y} {
						if name, ok := side.(*ast.Ident); ok && texts[name.Name] || isErrorText(side) {
							found = append(found, n.Pos())
						}
					}
				}
			case *ast.SwitchStmt:
				if n.Tag != nil && isText(n.Tag) {
					found = append(found, n.Pos())
				}
			}
			return true
		})
	}
	return found
}

// isErrorText says whether e is a call x.Error().
func isErrorText(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) > 0 {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && method.Sel.Name == "Error"
}

// isNil: csv.Writer's Error is an error, not its text.
func isNil(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && name.Name == "nil"
}

// holdsErrorText says whether x.Error() stands somewhere in e.
func holdsErrorText(e ast.Expr) (holds bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && isErrorText(x) {
			holds = true
		}
		return !holds
	})
	return holds
}

// asksText says whether a call is of package strings or bytes, or matches a regular expression.
func asksText(call *ast.CallExpr) bool {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := method.X.(*ast.Ident)
	return ok && (pkg.Name == "strings" || pkg.Name == "bytes" || pkg.Name == "regexp") ||
		strings.HasPrefix(method.Sel.Name, "Match") || strings.HasPrefix(method.Sel.Name, "FindString")
}
