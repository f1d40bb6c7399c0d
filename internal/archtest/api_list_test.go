package archtest

import (
	"flag"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/api.txt anew")

// What is promised is written down: a change of the public API shows in docs/api.txt, where a
// reader of the change sees it.
func TestAPIIsTheListed(t *testing.T) {
	const file = "../../docs/api.txt"
	packages := publicPackages(t)
	var b strings.Builder
	b.WriteString("# The public API, a line for each exported name. Written by: go test ./internal/archtest -run " +
		"APIIsTheListed -update\n")
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		pkg := packages[path]
		short := func(p *types.Package) string {
			if p == pkg {
				return ""
			}
			return p.Name()
		}
		var lines []string
		for _, name := range pkg.Scope().Names() {
			if o := pkg.Scope().Lookup(name); o.Exported() {
				lines = append(lines, declarations(o, short)...)
			}
		}
		if len(lines) > 0 {
			b.WriteString("\npackage " + path + "\n" + strings.Join(lines, "\n") + "\n")
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	had, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	listed, there := linesOf(string(had)), linesOf(b.String())
	for line := range listed {
		if !there[line] {
			t.Errorf("listed in docs/api.txt and gone: %s", line)
		}
	}
	for line := range there {
		if !listed[line] {
			t.Errorf("not listed in docs/api.txt: %s", line)
		}
	}
	if t.Failed() {
		t.Log("where the change is meant, say it in CHANGELOG.md and write the list anew with -update")
	}
}

// linesOf are the lines of a list, each with the package it stands under.
func linesOf(list string) map[string]bool {
	out, pkg := map[string]bool{}, ""
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if p, ok := strings.CutPrefix(line, "package "); ok {
			pkg = p
		} else if line != "" && !strings.HasPrefix(line, "#") {
			out[pkg+": "+line] = true
		}
	}
	return out
}

// declarations are the lines of an exported name: itself, the exported fields of a struct, the
// methods of a type.
func declarations(o types.Object, short types.Qualifier) []string {
	name, ok := o.(*types.TypeName)
	if !ok {
		return []string{types.ObjectString(o, short)}
	}
	if name.IsAlias() {
		return []string{"type " + o.Name() + " = " + types.TypeString(types.Unalias(o.Type()), short)}
	}
	named := o.Type().(*types.Named)
	head := types.ObjectString(o, short)
	var out []string
	if s, ok := named.Underlying().(*types.Struct); ok {
		if at := strings.Index(head, " struct{"); at >= 0 {
			head = head[:at] + " struct"
		}
		for i := range s.NumFields() {
			if f := s.Field(i); f.Exported() {
				out = append(out, "  field "+o.Name()+"."+f.Name()+" "+types.TypeString(f.Type(), short))
			}
		}
	}
	if !types.IsInterface(named) {
		methods := types.NewMethodSet(types.NewPointer(named))
		for i := range methods.Len() {
			if m := methods.At(i).Obj(); m.Exported() {
				out = append(out, "  method "+o.Name()+"."+m.Name()+strings.TrimPrefix(types.TypeString(m.Type(), short), "func"))
			}
		}
	}
	return append([]string{head}, out...)
}
