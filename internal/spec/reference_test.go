package spec_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
)

var update = flag.Bool("update", false, "write docs/kernels.md anew from the tables")

// docs/kernels.md has the grammar of doc.go and every entry of the tables.
func TestReference(t *testing.T) {
	const page = "../../docs/kernels.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for name, content := range map[string]string{"grammar": grammar(t), "kernels": tables(t)} {
		part := regexp.MustCompile(`(?s)(<!-- ` + name + `: [^\n]*-->\n).*?(<!-- end -->)`)
		if !part.MatchString(want) {
			t.Fatalf("%s has no place for the %s", page, name)
		}
		want = part.ReplaceAllStringFunc(want, func(old string) string {
			m := part.FindStringSubmatch(old)
			return m[1] + "\n" + content + "\n" + m[2]
		})
	}
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s is not what the tables say; go test ./spec -run TestReference -update", page)
	}
	if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// grammar is the rules in the comment of the package.
func grammar(t *testing.T) string {
	source, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	rules := regexp.MustCompile(`(?m)^//\t([a-z]+ +=.*)$`).FindAllStringSubmatch(string(source), -1)
	if len(rules) < 7 {
		t.Fatalf("%d rules in doc.go", len(rules))
	}
	var b strings.Builder
	b.WriteString("```\n")
	for _, r := range rules {
		b.WriteString(r[1] + "\n")
	}
	b.WriteString("```\n")
	return b.String()
}

// tables is a section for numbers, one for the operators, and one for each kind of object.
func tables(t *testing.T) string {
	var b strings.Builder
	b.WriteString("## On numbers\n\n")
	for _, e := range spec.Vectors() {
		b.WriteString(section(e.Name, e.Formula, e.Params, e.Others))
		fmt.Fprintf(&b, "\n%s\n\n", propertiesOf(t, e.Name, e.Samples))
	}
	b.WriteString("## Operators, on points of any kind\n\n")
	for _, e := range spec.Algebra() {
		name := e.Name
		if name == "" {
			name = e.Sign
		}
		b.WriteString(section(name, e.Formula, e.Params, e.Others) + "\n")
	}
	last := ""
	for _, e := range spec.ObjectKernels() {
		if on := e.On.String(); on != last {
			fmt.Fprintf(&b, "## On columns of kind %s\n\n", on)
			last = on
		}
		b.WriteString(section(e.Name, e.Formula, e.Params, nil))
		fmt.Fprintf(&b, "\n%s\n\n", e.Properties)
	}
	return b.String()
}

// section is one entry: a heading, the formula, a line for each parameter.
func section(name, formula string, params, others []spec.Parameter) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n`%s`\n", strings.ReplaceAll(name, "*", `\*`), formula)
	for i, p := range params {
		if i == 0 {
			b.WriteString("\n")
		}
		value := "required"
		if p.Default != "" {
			value = "default " + p.Default
		}
		fmt.Fprintf(&b, "- `%s` (%s): %s\n", p.Name, value, p.Meaning)
	}
	for _, p := range others {
		fmt.Fprintf(&b, "- `%s` instead: %s\n", p.Name, p.Meaning)
	}
	return b.String()
}

// propertiesOf are those at the defaults, or of the first sample where something must be given.
func propertiesOf(t *testing.T, name string, samples []string) string {
	k, err := spec.ParseKernel(name + "()")
	of := ""
	if err != nil {
		if k, err = spec.ParseKernel(samples[0]); err != nil {
			t.Fatal(err)
		}
		of = "Of `" + samples[0] + "`: "
	}
	return of + kernel.PropertiesOf(k).String()
}
