package spec

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/learnt"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/discrete"
	"github.com/mercer-ml/mercer/kernel/prob"
	"github.com/mercer-ml/mercer/kernel/seq"
)

// field is a parameter of a kernel that is a field of its struct. A field that is zero is left out
// of the text, and stands for its default there as in Go; one without a default must be given.
type field struct {
	name    string // in the language
	of      string // in Go; empty: name with its first letter large
	missing string // the default as text
	meaning string
}

// goName is the name of the field in Go; "A.B" is field B of field A.
func (f field) goName() []string {
	if f.of == "" {
		return []string{strings.ToUpper(f.name[:1]) + f.name[1:]}
	}
	return strings.Split(f.of, ".")
}

// in finds the field in a struct.
func (f field) in(v reflect.Value) reflect.Value {
	for _, name := range f.goName() {
		v = v.FieldByName(name)
	}
	return v
}

// byFields is an entry for kernels of the Go type K, whose parameters are fields of it.
func byFields[T any, K kernel.Kernel[T]](name, formula string, fields ...field) Entry {
	return entryOf(reflect.TypeFor[K](), func(k any) kernel.Kernel[any] { return kernel.Erase[T](k.(K)) }, name, formula,
		fields)
}

// entryOf is byFields for a type of kernels; erase takes one of them.
func entryOf(of reflect.Type, erase func(k any) kernel.Kernel[any], name, formula string, fields []field) Entry {
	e := Entry{Name: name, Formula: formula}
	for _, f := range fields {
		if v := f.in(reflect.New(of).Elem()); !v.IsValid() {
			panic(fmt.Sprintf("spec: %v has no field %s", of, f.goName()))
		}
		e.Params = append(e.Params, Parameter{f.name, f.missing, f.meaning})
	}
	e.build = func(a *arguments) kernel.Kernel[any] {
		k := reflect.New(of).Elem()
		for _, f := range fields {
			x, given := a.get(f.name)
			switch {
			case given:
				setField(a, f.name, f.in(k), x)
			case f.missing == "":
				a.missing(f.name)
			}
		}
		return erase(k.Interface())
	}
	e.args = func(k any) ([]Arg, bool) {
		if reflect.TypeOf(k) != of {
			return nil, false
		}
		own := reflect.New(of).Elem() // whose fields have addresses
		own.Set(reflect.ValueOf(k))
		var args []Arg
		for _, f := range fields {
			v := f.in(own)
			if v.IsZero() && f.missing != "" {
				continue
			}
			x, err := fieldText(v)
			if err != nil {
				return nil, false
			}
			args = append(args, named(f.name, x))
		}
		if holdsMore(own, fields) {
			return nil, false
		}
		return args, true
	}
	return e
}

// holdsMore says whether a kernel has something in a field that no parameter writes, such as a Go
// function: a text without it would be of another kernel.
func holdsMore(own reflect.Value, fields []field) bool {
	for _, f := range fields {
		f.in(own).SetZero()
	}
	for i := range own.NumField() {
		if own.Type().Field(i).IsExported() && !own.Field(i).IsZero() {
			return true
		}
	}
	return false
}

// matrices are the substitution matrices that have a name.
var matrices = map[string]func() seq.SubstitutionMatrix{"blosum62": seq.BLOSUM62, "pam250": seq.PAM250}

// alphabets are the alphabets that have a name.
var alphabets = map[string]seq.Alphabet{"dna": seq.DNA, "rna": seq.RNA, "protein": seq.Protein,
	"protein-ambiguous": seq.ProteinAmbiguous}

// divergences are what hilbertian subtracts, by their names.
var divergences = map[string]prob.Divergence{"hellinger": prob.Hellinger, "jensenshannon": prob.JensenShannon,
	"chisquare": prob.ChiSquare, "totalvariation": prob.TotalVariation}

// setField reads an argument into a field of a kernel.
func setField(a *arguments, name string, v reflect.Value, x Expr) {
	switch p := v.Addr().Interface().(type) {
	case *int:
		*p = a.integer(name, 0)
	case *uint64:
		*p = uint64(max(a.integer(name, 0), 0))
	case *float64:
		*p = a.asNumber(name, x)
	case *[]float64:
		*p = a.asList(name, x)
	case *[][]float64:
		*p = a.matrix(name)
	case *bool:
		*p = a.truth(name, x)
	case *seq.Alphabet:
		*p = a.alphabet(name, x)
	case *seq.SubstitutionMatrix:
		if make, ok := choose(a, name, x, matrices); ok {
			*p = make()
		}
	case *seq.TermFrequency:
		*p, _ = choose(a, name, x, termFrequencies)
	case *seq.DocumentFrequency:
		*p, _ = choose(a, name, x, documentFrequencies)
	case *prob.Divergence:
		*p, _ = choose(a, name, x, divergences)
	case *discrete.TNorm:
		*p, _ = choose(a, name, x, tNorms)
	case *string:
		*p = a.quoted(name, x)
	case *[]string:
		*p = a.texts(name)
	case *[][][]float64:
		*p = a.cube(name, x)
	case *learnt.Information:
		*p, _ = choose(a, name, x, informations)
	case *learnt.TermsOf:
		*p, _ = choose(a, name, x, termsOf)
	case *learnt.Model[string]:
		*p, _ = readModel(a, x, textModels, "texts").(learnt.Model[string])
	case *learnt.Model[vec]:
		*p, _ = readModel(a, x, vectorModels, "numbers").(learnt.Model[vec])
	case *kernel.Kernel[vec]:
		*p = within[vec](a, Vectors(), x)
	case *kernel.Kernel[string]:
		*p = within[string](a, Strings(), x)
	default:
		panic(fmt.Sprintf("spec: no text for a %s", v.Type()))
	}
}

// fieldText prints a field of a kernel.
func fieldText(v reflect.Value) (Expr, error) {
	switch p := v.Interface().(type) {
	case int:
		return num(float64(p)), nil
	case uint64:
		return num(float64(p)), nil
	case float64:
		return num(p), nil
	case []float64:
		return nums(p), nil
	case [][]float64:
		return rows(p), nil
	case bool:
		return word(fmt.Sprint(p)), nil
	case seq.Alphabet:
		return alphabetText(p), nil
	case seq.SubstitutionMatrix:
		for name, known := range matrices {
			if reflect.DeepEqual(p, known()) {
				return word(name), nil
			}
		}
		return nil, fmt.Errorf("spec: a substitution matrix of one's own has no text")
	case seq.TermFrequency:
		return wordOf(termFrequencies, p)
	case seq.DocumentFrequency:
		return wordOf(documentFrequencies, p)
	case prob.Divergence:
		return wordOf(divergences, p)
	case discrete.TNorm:
		return wordOf(tNorms, p)
	case string:
		return Text{Value: p}, nil
	case []string:
		l := List{}
		for _, s := range p {
			l.Items = append(l.Items, Text{Value: s})
		}
		return l, nil
	case [][][]float64:
		l := List{}
		for _, m := range p {
			l.Items = append(l.Items, rows(m))
		}
		return l, nil
	case learnt.Information:
		return wordOf(informations, p)
	case learnt.TermsOf:
		return wordOf(termsOf, p)
	case learnt.Model[string]:
		return modelText(p, textModels)
	case learnt.Model[vec]:
		return modelText(p, vectorModels)
	}
	switch p := v.Addr().Interface().(type) {
	case *kernel.Kernel[vec]:
		return Vectors().expr(kernel.OnVectors(*p))
	case *kernel.Kernel[string]:
		return Strings().expr(kernel.Erase(*p))
	}
	panic(fmt.Sprintf("spec: no text for a %s", v.Type()))
}

// alphabetText is the name of an alphabet, or its letters.
func alphabetText(p seq.Alphabet) Expr {
	for name, known := range alphabets {
		if p == known {
			return word(name)
		}
	}
	return Text{Value: string(p)}
}

func word(name string) Expr { return Call{Name: name, Bare: true} }

func wordOf[V comparable](known map[string]V, v V) (Expr, error) {
	for name, k := range known {
		if k == v {
			return word(name), nil
		}
	}
	return nil, fmt.Errorf("spec: %v has no name", v)
}

// truth reads true or false.
func (a *arguments) truth(name string, x Expr) bool {
	v, _ := choose(a, name, x, map[string]bool{"true": true, "false": false})
	return v
}

// alphabet reads the name of an alphabet, or its letters in quotes.
func (a *arguments) alphabet(name string, x Expr) seq.Alphabet {
	if t, ok := x.(Text); ok {
		return seq.Alphabet(t.Value)
	}
	v, _ := choose(a, name, x, alphabets)
	return v
}

// choose reads one of a few words.
func choose[V any](a *arguments, name string, x Expr, known map[string]V) (V, bool) {
	c, ok := x.(Call)
	if ok && c.Bare {
		if v, ok := known[c.Name]; ok {
			return v, true
		}
	}
	var words []string
	for w := range known {
		words = append(words, w)
	}
	slices.Sort(words)
	hint := "write " + strings.Join(words, ", ")
	if ok {
		if close := didYouMean(c.Name, words); close != "" {
			hint = close
		}
	}
	a.fail(x.column(), fmt.Sprintf("%s is %s", name, Format(x)), hint)
	var none V
	return none, false
}

// within reads an argument that is a kernel on other points, of type U.
func within[U any](a *arguments, c Catalogue, x Expr) kernel.Kernel[U] {
	k, err := (&builder{source: a.builder.source, catalogue: c}).kernel(x)
	if err != nil {
		if a.err == nil {
			a.err = err
		}
		return nil
	}
	typed, _ := kernel.Retyped[U](k)
	return typed
}
