// Documents as histograms of words: those about dogs have other words than those about cats, and
// their inner products tell them apart. Words that every document has are left out.
package main

import (
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel/seq"
	"gonum.org/v1/gonum/mat"
)

var documents = []string{
	"the dog barks at the mail and the dog pulls at the leash",
	"a dog on a leash barks at a dog",
	"the dog fetches the stick and barks",
	"the cat purrs on the sofa and the cat sleeps",
	"a cat sleeps on the sofa and purrs",
	"the cat climbs the tree and purrs",
}

// telling is a document without its small words.
func telling(document string) string {
	small := strings.Fields("the a and at on")
	return strings.Join(slices.DeleteFunc(strings.Fields(document),
		func(w string) bool { return slices.Contains(small, w) }), " ")
}

func main() {
	words := seq.NGrams{Words: true}
	shown := []string{"dog", "barks", "leash", "stick", "cat", "purrs", "sofa", "sleeps", "tree"}
	histogram := draw.New("how often each word comes", "", "")
	for about, from := range []int{0, 3} {
		var at, count []float64
		for j, w := range shown {
			n := 0.0
			for _, d := range documents[from : from+3] {
				n += words.Terms(d)[w]
			}
			if n > 0 {
				at, count = append(at, float64(len(shown)-j)), append(count, n)
			}
		}
		histogram.Across([]string{"about dogs", "about cats"}[about], about, count, at)
	}
	var places []float64
	for j := range shown {
		places = append(places, float64(len(shown)-j))
	}
	histogram.Labels(places, shown)

	k, n := seq.BagOfWords{}, len(documents)
	gram := mat.NewDense(n, n, nil)
	for i := range documents {
		for j := range documents {
			x, y := telling(documents[i]), telling(documents[j])
			gram.Set(i, j, k.Eval(x, y)/math.Sqrt(k.Eval(x, x)*k.Eval(y, y)))
		}
	}
	table := draw.New("how alike two documents are", "dogs, then cats", "")
	table.Matrix(gram, 0, 1)
	table.Bare()
	draw.Save("documents", 2, histogram, table)
}
