// Package absent knows the words that people write among numbers where there is none.
package absent

import (
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mend"
)

// words may be meant as a level of a column of names, and are then no missing values: they are
// looked for where nine of ten values are numbers, only.
var words = set(`unknown|unk|missing|not available|not applicable|not known|not measured|not recorded|not reported|no data|nodata|no value|n.a.|n.a|n/k|nk|n.d.|nd|nil|
	tbd|tba|pending|blank|empty|undefined|invalid|error|#div/0!|#ref!|#value!|#name?|#num!|#null!|-|--|---|–|—|.|..|…|...|unbekannt|fehlt|k.a.|keine angabe|inconnu|desconocido|sconosciuto|onbekend`)

func set(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Split(text, "|") {
		out[strings.TrimSpace(w)] = true
	}
	return out
}

// Word says whether a text is one of them.
func Word(s string) bool { return words[strings.ToLower(s)] }

// Note says which words of which columns were taken for missing values.
func Note(found, columns []string) data.Note {
	return data.Note{Text: fmt.Sprintf("%s among the numbers of %s: taken for missing values", Quoted(found),
		Some(columns)), Remedy: mend.Kind}
}

// Quoted lists texts in quotes.
func Quoted(texts []string) string {
	out := make([]string, len(texts))
	for i, w := range texts {
		if len(w) > longest {
			w = strings.ToValidUTF8(w[:longest], "") + "…"
		}
		out[i] = fmt.Sprintf("%q", w)
	}
	return Some(out)
}

const longest = 60 // bytes of a text that are shown

// Some lists the first eight of many.
func Some(texts []string) string {
	const most = 8
	if n := len(texts); n > most {
		return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], ", "), n-most)
	}
	return strings.Join(texts, ", ")
}
