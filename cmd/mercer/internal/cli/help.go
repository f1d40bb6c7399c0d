package cli

import (
	"github.com/spf13/cobra"
)

// topics are pages that belong to no verb: mercer help missing.
func topics() []*cobra.Command {
	page := func(name, short, long string) *cobra.Command {
		return &cobra.Command{Use: name, Short: short, Long: long}
	}
	return []*cobra.Command{
		page("missing", "What becomes of missing values", missingHelp),
		page("formats", "Which files are read, and how", formatsHelp),
		page("kernel-language", "How kernels are written", kernelLanguageHelp()),
		page("tasks", "What there is to learn, and how it is judged", tasksHelp),
		page("learners", "The learners and their parameters", learnersHelp()),
		page("errors", "What can go wrong, and how it is told", errorClassesText()),
		page("exit-codes", "What the exit codes mean", exitCodesHelp),
	}
}

const missingHelp = `Empty fields and NA, N/A, NaN, null, None, ? and the like are missing values;
--na names further ones. By default they are an error that counts them column
by column. --missing chooses another way:

  error      refuse them (the default)
  drop       leave out the rows that have any
  mean       put the column's mean in their place; for categories the share of
             each level
  indicator  as mean, and add a 0/1 column that says where a value was missing

The choice is kept in the model. Rows with a missing value get an empty
prediction under drop, so that lines of input and output stay side by side.
predict and eval have --missing error, drop or mean of their own; where the
model refuses missing values, they drop such rows and count them.

In Parquet, Arrow and JSON, which have a null, only that is missing, and the
empty text; words such as NA are values there.`

const formatsHelp = `The format is found from the name, and where that says nothing from the first
bytes; --format says it. gzip and zstd are undone first. "-" is standard input.

  csv, tsv   delimited text: delimiter, header, quoting and decimal mark are
             found from the content (--delimiter, --header, --decimal)
  libsvm     LIBSVM and SVMlight: label index:value index:value ...
  jsonl      a JSON object on each line, or one array of objects
  npy, npz   arrays of NumPy; the last column or an array y is the target
  parquet    Apache Parquet
  arrow      Apache Arrow files; arrows: Arrow streams
  fasta      sequences; classes from their headers: >id label=x, >id x, >id|x
  ts         time series of the UEA and UCR archives
  klp        trees and texts of the KeLP toolkit
  xlsx       Excel workbooks: the first sheet, or --sheet

Columns are numeric, categorical, boolean, text, time or sequence, found from
all of their values; mercer data FILE shows what was found. --type NAME=KIND
says it, and how it is written:

  --type price=numeric:comma     or numeric:point: the decimal mark
  --type when=date:dmy           or date:mdy, date:ymd: the order
  --ignore id                    leave a column out

Texts become words: --text tfidf weighs them by how rare they are, in the form
of scikit-learn; logtfidf counts n of them as log(1+n), and one that d of N
texts have as log(N/(1+d)); pairs counts words and pairs of words that follow
one another, letters runs of one to five letters within a word, both n times as
1+log(n); hash needs no look at all texts. auto, the default, is tfidf; mercer
fit finds out which of words, pairs and letters tells classes apart best, and
says so. Kernels on strings take texts as they are ('ssk() on title').

A model keeps how its columns were read, and reads other files in that way. The
target is the last column unless --target names another. Two values, named
classes or few whole numbers are classes; other numbers are a quantity to
predict.

Model files (.mercer) are safetensors containers: data only, with a checksum.`

func kernelLanguageHelp() string {
	return `A kernel is a name with parameters, and kernels are added, multiplied and raised
to whole powers:

  gaussian(lengthscale=2)
  0.5*gaussian(lengthscale=2) + linear()
  matern(nu=2.5, lengthscale=3) * poly(degree=2)
  gaussian(lengthscale=[1, 2, 0.3])        a length-scale for each column

A number in front is a weight; a number alone is the constant kernel. mercer
kernels lists the names with formulas and parameters. In a search the
length-scales given are the middle of what is tried; --grid sets the values.

Operators make kernels of others: k1 + k2, k1 * k2, c * k, k ^ p, and

` + operatorHelp() + `

Widths may be written as other tools and texts have them:

  gaussian(gamma=0.5)       exp(-γ‖x-y‖²): LIBSVM, scikit-learn; kernlab's sigma
  gaussian(sigma=2)         exp(-‖x-y‖²/(2σ²)): the length-scale; bandwidth=2
  gaussian(variance=4)      σ² in place of σ
  gaussian(kernelscale=2)   exp(-‖x-y‖²/s²): MATLAB
  laplace(gamma=0.5)        exp(-γ‖x-y‖); laplacel1 is scikit-learn's laplacian
  periodic(period=24)       on a circle of that length; so are theta(period=24)
  fourier(coef=[1, 0.5], period=24)   and this one

Others' names of a kernel (rbf, se, dot, …) are answered with ours.`
}

const exitCodesHelp = `  0    all went well. Where --learner was left out and time was short, the model
       of fit may be a stand-in on few centres; output, report, model file and
       inspect say so
  1    the work could not be done (a disk is full, a solver failed)
  2    the request or the input is at fault: an unknown option, a file that is
       not there or does not hold what it should; the message says what to do
  3    fit: the model is written, but on the rows held out it is worse, by more
       than chance, than an answer that looks at no column; do not use it
  4    fit: a learner that was named could not be fitted, to these data or in
       this time; nothing was written, and nothing takes its place
  130  stopped by Ctrl-C or SIGTERM; what was found by then is kept

The drop-in verbs svm-train, svm-predict and svm-scale exit with 1 on any
failure, as LIBSVM's programs do.`
