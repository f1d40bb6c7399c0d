package cli

import (
	"fmt"
	"strings"
)

// errorClass is a kind of fault that the program tells apart. A script in
// testdata/script shows each, marked "# class: NAME".
type errorClass struct{ Name, Meaning string }

// errorClasses lists them all, for `mercer help errors`.
func errorClasses() []errorClass {
	return []errorClass{
		{"unknown-verb", "no such verb; the nearest is named"},
		{"unknown-flag", "no such option"},
		{"flag-value", "an option has a value it cannot have"},
		{"missing-argument", "too few arguments"},
		{"extra-argument", "too many arguments"},
		{"output-place", "the folder to write to is not there"},
		{"overwrites", "a file to write is one that is read, or is written twice"},
		{"journal", "the journal is no journal, of another search, or in use"},
		{"no-such-file", "neither a file nor a built-in set"},
		{"folder", "a folder where a file is meant"},
		{"empty-file", "nothing in the file"},
		{"no-rows", "a header and no rows"},
		{"damaged-compression", "gzip or zstd data that end early or do not add up"},
		{"wrong-format", "the file is not of the format its name or --format says"},
		{"ragged-row", "a line with more or fewer fields than there are columns"},
		{"open-quote", "a quote that is never closed"},
		{"too-large", "the data would take more memory than is allowed"},
		{"not-a-number", "text in a column of numbers"},
		{"not-finite", "a number too large for float64, or an infinity"},
		{"bad-line", "a line of LIBSVM, JSON, FASTA … that cannot be read"},
		{"missing-values", "missing values, and no policy for them"},
		{"unknown-column", "a column that is named but not there"},
		{"nothing-to-learn", "a target of one class, or too few rows"},
		{"unknown-kernel", "no kernel of that name"},
		{"kernel-syntax", "a kernel that cannot be read, or a parameter out of range"},
		{"not-fitted", "a learner that was named cannot be fitted (exit code 4)"},
		{"unknown-parameter", "--grid names a parameter that no candidate has"},
		{"no-such-model", "the model file is not there"},
		{"not-a-model", "the file is no model"},
		{"damaged-model", "a model file that was cut short or changed (checksum)"},
		{"newer-model", "the model file was written by a newer mercer"},
		{"missing-column", "the data lack a column that the model needs"},
		{"unseen-category", "a category that the model never saw"},
		{"no-probabilities", "--proba asked of a model that has none"},
		{"no-deviations", "--std asked of a model that has none"},
		{"no-intervals", "--interval asked of a model that cannot give it"},
		{"no-truth", "data to judge a model by that lack the target"},
		{"server", "a server that does not answer, or refuses"},
		{"does-not-fit", "a model that the format to export to cannot hold"},
		{"disk", "a file or stream cannot be written (exit code 1)"},
		{"interrupted", "Ctrl-C, or a request to end (SIGTERM; exit code 130)"},
	}
}

func errorClassesText() string {
	var b strings.Builder
	b.WriteString(`Messages name the file, line, column and value at fault and what to do. Unless
said otherwise the exit code is 2, and nothing is written.

`)
	for _, c := range errorClasses() {
		fmt.Fprintf(&b, "  %-20s %s\n", c.Name, c.Meaning)
	}
	return b.String()
}
