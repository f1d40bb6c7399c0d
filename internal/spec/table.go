package spec

import (
	"slices"

	"github.com/mercer-ml/mercer/data"
)

// OfTable says whether a text is about the columns of a table: it names some, or compares objects
// that only columns hold.
func OfTable(e Expr) bool {
	found := false
	walk(e, func(e Expr) {
		switch e := e.(type) {
		case On:
			found = true
		case Call:
			found = found || !e.Bare && comparesObjects(e)
		}
	})
	return found
}

// ColumnKinds says what columns have to be for a kernel that names them: tags a set in jaccard() on
// tags. A kernel that names none says under "" what the column has to be that it compares.
func ColumnKinds(e Expr) map[string]data.Kind {
	out := map[string]data.Kind{}
	named := false
	walk(e, func(e Expr) {
		on, ok := e.(On)
		if !ok {
			return
		}
		named = true
		for _, o := range kindsOfObjects {
			if usesOnly(on.Kernel, o) {
				for _, name := range on.Columns {
					out[name] = o.kind
				}
				return
			}
		}
	})
	for _, o := range kindsOfObjects {
		if _, found := out[""]; !named && !found && usesOnly(e, o) {
			out[""] = o.kind
		}
	}
	return out
}

// usesOnly says whether a kernel has leaves of objects, and all of them are of one kind.
func usesOnly(e Expr, o objects) bool {
	found, other := false, false
	walk(e, func(e Expr) {
		if c, ok := e.(Call); ok && !c.Bare && comparesObjects(c) {
			found = true
			_, own := o.catalogue().of(c)
			other = other || !own
		}
	})
	return found && !other
}

// TextPolicies says what the texts of a table have to become for a kernel: strings as they are
// where a kernel on strings looks at them, words weighted by rarity otherwise. texts are the names
// of the columns of text.
func TextPolicies(e Expr, texts []string) map[string]data.TextPolicy {
	out := map[string]data.TextPolicy{}
	for _, name := range texts {
		out[name] = "tfidf"
	}
	keep := func(names []string) {
		for _, name := range names {
			if slices.Contains(texts, name) {
				out[name] = "keep"
			}
		}
	}
	var visit func(e Expr)
	visit = func(e Expr) {
		switch e := e.(type) {
		case On:
			if comparesStrings(e.Kernel) {
				keep(e.Columns)
			}
		default:
			if c, ok := e.(Call); ok && isString(c) {
				keep(texts)
			}
			for _, part := range children(e) {
				visit(part)
			}
		}
	}
	visit(e)
	return out
}

// comparesStrings says whether a kernel on strings is in the text.
func comparesStrings(e Expr) bool {
	found := false
	walk(e, func(e Expr) {
		if c, ok := e.(Call); ok && isString(c) {
			found = true
		}
	})
	return found
}

func isString(c Call) bool {
	_, of := Strings().of(c)
	_, vector := Vectors().of(c)
	return of && !vector
}

// comparesObjects says whether a call is a kernel on objects and not on vectors.
func comparesObjects(c Call) bool {
	if _, vector := Vectors().of(c); vector {
		return false
	}
	return slices.ContainsFunc(kindsOfObjects, func(o objects) bool {
		_, ok := o.catalogue().of(c)
		return ok
	})
}

// walk calls f on e and all below it.
func walk(e Expr, f func(Expr)) {
	f(e)
	for _, part := range children(e) {
		walk(part, f)
	}
}

func children(e Expr) []Expr {
	switch e := e.(type) {
	case Sum:
		return e.Terms
	case Product:
		return e.Factors
	case Power:
		return []Expr{e.Base}
	case List:
		return e.Items
	case On:
		return []Expr{e.Kernel}
	case Call:
		var out []Expr
		for _, a := range e.Args {
			out = append(out, a.Value)
		}
		return out
	}
	return nil
}
