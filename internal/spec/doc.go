// Package spec is the small language in which kernels and learners are written
// on the command line, in model files, in the server and on the web page:
//
//	0.5*gaussian(lengthscale=[1, 2, 0.3]) + linear()^2
//	svm(kernel=matern(nu=2.5, lengthscale=3), c=4)
//
// It is both parsed and printed, and the two are inverse to each other: Format
// of a parsed text parses to the same tree, and numbers keep every bit.
//
// Names to know: [ParseKernel] reads a kernel on vectors, [ParseRows] one on the rows of a table,
// [ParseLearners] learners. [FormatKernel] and [FormatRows] write them. [Catalogue] lists all there
// are, and a [Learner] is a name with its settings. [Error] says which letter is wrong.
//
//	expr   = term { "+" term }
//	term   = factor { "*" factor }
//	factor = atom [ "^" number ] [ "on" column { "," column } ]
//	atom   = number | text | list | call | "(" expr ")"
//	call   = name "(" [ arg { "," arg } ] ")"
//	arg    = [ name "=" ] expr
//	list   = "[" [ expr { "," expr } ] "]"
//
// Names are letters, digits, "_" and "-"; texts are in double quotes with Go's
// escapes. A column is a name, or a text where it is none:
//
//	gaussian() on price,age + 0.5*ssk(k=4, decay=0.5) on "short title"
//
// compares the rows of a table by kernels on its columns. White space means nothing. A number
// standing as a term is the constant kernel; a number among factors is a weight.
package spec
