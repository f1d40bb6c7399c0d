package spec

import (
	"strconv"
	"strings"
	"sync"

	"github.com/mercer-ml/mercer/internal/lazy"
	"github.com/mercer-ml/mercer/kernel"
)

// Printed prints any kernel on points of any kind, for people and for files that people read. It is the
// text that parses to the same kernel. A part that cannot be typed, since it holds a Go function or
// data, is its name in angle brackets, as in
//
//	0.5*gaussian(lengthscale=2) + <stationary>
//
// which no kernel is written with: the parser refuses it and says why.
func Printed[T any](k kernel.Kernel[T]) string {
	if k == nil {
		return ""
	}
	e, err := everything().expr(kernel.Erase(k))
	if err != nil {
		e = opaque{name: kernel.NameOf(k)}
	}
	return Format(e)
}

// everything is all leaves of the language, and last one that takes what has no text.
var everything = sync.OnceValue(func() Catalogue {
	c := rowsOf{}.catalogue()
	c = append(c, Vectors()...)
	for _, o := range kindsOfObjects {
		c = append(c, o.catalogue()...)
	}
	return append(c, Entry{
		print: func(c Catalogue, k kernel.Kernel[any]) (Expr, bool, error) {
			if sparse, ok := kernel.Concrete(k).(kernel.SparseOf); ok { // the same kernel, on rows kept another way
				e, err := c.expr(kernel.OnVectors(sparse.Dense))
				return e, true, err
			}
			return opaque{name: kernel.NameOf(k)}, true, nil
		},
	})
})

// opaque stands for a kernel that cannot be typed.
type opaque struct {
	position
	name string
}

func (o opaque) format(b *strings.Builder, _ binding) { b.WriteString("<" + o.name + ">") }

// opaqueHint is what the parser says of it.
const opaqueHint = "a kernel in angle brackets holds a Go function or data: it is a value of a program, and " +
	"cannot be typed"

// Rounded is a kernel's text for reading, with at most four digits of each number; names and what
// stands in quotes stay. What it parses to is the same kernel up to those digits.
func Rounded(text string) string {
	return tokens().ReplaceAllStringFunc(text, func(token string) string {
		v, err := strconv.ParseFloat(token, 64)
		if err != nil || !strings.ContainsAny(token, ".e") { // whole numbers may count something
			return token
		}
		return strconv.FormatFloat(v, 'g', 4, 64)
	})
}

// tokens are texts in quotes, names and numbers.
var tokens = lazy.Regexp(`"(?:[^"\\]|\\.)*"|[\pL_][\pL\pN_-]*|\d+(?:\.\d+)?(?:e[-+]\d+)?`)
