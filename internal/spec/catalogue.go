package spec

import "github.com/mercer-ml/mercer/kernel"

// Parameter documents one argument of a catalogue entry. Arguments given by
// place come in the order of the entry's parameters.
type Parameter struct {
	Name    string
	Default string // as text; empty when it must be given
	Meaning string
}

// Domain says which points a kernel is defined on.
type Domain string

// The domains.
const (
	Anywhere Domain = ""      // Rᵈ
	Cube     Domain = "cube"  // (0, 1)ᵈ
	Ball     Domain = "ball"  // ‖x‖ < 1
	Angle    Domain = "angle" // one coordinate
	Codes    Domain = "codes" // whole numbers, the codes of categories
)

// Entry is a name of the language: how it is documented, built and printed. It is all that has to
// be said of a kernel outside of its own file: the command line lists it, and the tests of packages
// kernel and spec run its samples.
type Entry struct {
	Name    string
	Formula string
	Params  []Parameter
	Others  []Parameter // other ways to write a parameter, as other tools and texts do: by name alone, in place of it
	Sign    string      // how an operator without a name is written
	Domain  Domain
	Samples []string // texts of such kernels as they are printed, on three coordinates (one of an Angle)
	// takes says whether a call of this name is of this entry; nil: all are. The same name may be on
	// points of several kinds.
	takes func(c Call) bool
	// build makes the kernel; problems are recorded in a.
	build func(a *arguments) kernel.Kernel[any]
	// args prints a kernel of this entry, as it was before it was erased; false when k is of
	// another.
	args func(k any) ([]Arg, bool)
	// print does for an operator, whose parts are of the catalogue; k is opened.
	print func(c Catalogue, k kernel.Kernel[any]) (Expr, bool, error)
}

// Operates says that the entry makes a kernel of others, on points of any kind: it is one of
// Algebra.
func (e Entry) Operates() bool { return e.Sign != "" || e.print != nil && e.Name != "constant" }

// shown adds samples and where they are defined.
func (e Entry) shown(on Domain, samples ...string) Entry {
	e.Domain, e.Samples = on, samples
	return e
}

// Catalogue is the leaves of the language for points of one type. The algebra
// (+, *, ^, exp, normalize, polynomial, substitute, arccosine …) is the same for all.
type Catalogue []Entry

func (c Catalogue) find(name string) (Entry, bool) {
	for _, e := range c {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}

// of finds the entry of a call.
func (c Catalogue) of(call Call) (Entry, bool) {
	e, ok := c.find(call.Name)
	return e, ok && (e.takes == nil || e.takes(call))
}

// Names lists the entries and the functions of the algebra, for suggestions
// and completion.
func (c Catalogue) Names() []string {
	var names []string
	for _, e := range c {
		names = append(names, e.Name)
	}
	for _, e := range functions() {
		names = append(names, e.Name)
	}
	return names
}

// named makes an argument by name.
func named(name string, value Expr) Arg { return Arg{Name: name, Value: value} }

func num(v float64) Expr { return Number{Value: v} }

func nums(vs []float64) Expr {
	l := List{}
	for _, v := range vs {
		l.Items = append(l.Items, num(v))
	}
	return l
}

func rows(vss [][]float64) Expr {
	l := List{}
	for _, vs := range vss {
		l.Items = append(l.Items, nums(vs))
	}
	return l
}

// or replaces a zero field by the default it stands for.
func or(v, zero float64) float64 {
	if v == 0 {
		return zero
	}
	return v
}
