package load

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/mtx"
	"github.com/mercer-ml/mercer/internal/lazy"
	"github.com/mercer-ml/mercer/internal/mend"
)

// formatWords are formats as people know them.
var formatWords = map[Format]string{
	formatCSV: "delimited text (CSV)", formatTSV: "text with tabs (TSV)", formatLIBSVM: "LIBSVM", formatJSONL: "JSON",
	formatNPY: "an array of NumPy (NPY)", formatNPZ: "arrays of NumPy (NPZ)", formatParquet: "Parquet",
	formatArrowFile: "an Arrow file", formatArrowStream: "an Arrow stream", formatFASTA: "sequences (FASTA)",
	formatTS: "time series (.ts)", formatKLP: "KeLP", formatXLSX: "an Excel workbook",
}

const matrixMarket = "a matrix (Matrix Market)"

// refuseMisnamed says of a file whose name and whose first bytes are plainly of two formats what
// either is: its reader would say that it is damaged, or read nonsense.
func refuseMisnamed(name string, head []byte) error {
	named := byName(name)
	looks, plain := looksLike(head)
	what := formatWords[named]
	if extension(name) == ".mtx" {
		if what = matrixMarket; bytes.HasPrefix(head, []byte(mtx.Banner)) || !plain || looks == "" {
			return nil
		}
	}
	if what == "" || !plain || looks == named || !contradicts(named, looks, firstLine(head)) {
		return nil
	}
	return &data.Error{File: name, Kind: data.ErrFormat, Remedy: mend.Format,
		Reason: fmt.Sprintf("its name says %s, and it begins as %s does", what, formatWords[looks])}
}

// extension is that of the name of a file, without that of a compression.
func extension(name string) string {
	base := strings.ToLower(name)
	for _, z := range []string{".gz", ".zst", ".gzip", ".zstd"} {
		base = strings.TrimSuffix(base, z)
	}
	return filepath.Ext(base)
}

// byName is the format that the name of a file says; empty where it says nothing.
func byName(name string) Format { return byExtension[extension(name)] }

// looksLike is the format of text by its first bytes; plain is false where they are no text, which
// the readers of binary formats tell, and the formats that are known by their first bytes are read
// whatever the name says.
func looksLike(head []byte) (f Format, plain bool) {
	if byMagic(head) != "" || wrapping(head) != "" || len(bytes.TrimSpace(head)) == 0 {
		return "", false
	}
	for i := 0; i < 3 && !utf8.Valid(head) && len(head) > 4; i++ { // a letter may be cut where the bytes end
		head = head[:len(head)-1]
	}
	if bytes.IndexByte(head, 0) >= 0 || !utf8.Valid(head) {
		return "", false
	}
	return byContent(head), true
}

var pairOfIndex = lazy.Regexp(`(^|[ \t])(qid|[0-9]+):[-+.0-9]`)

// contradicts says whether a first line of one format cannot be the beginning of another.
func contradicts(named, looks Format, line []byte) bool {
	switch named {
	case formatNPY, formatNPZ, formatParquet, formatArrowFile, formatArrowStream, formatXLSX, "":
		return true
	case formatLIBSVM:
		return looks != formatCSV || bytes.ContainsAny(line, ",;\t\"") && !pairOfIndex().Match(line)
	case formatJSONL:
		return line[0] != '{' && line[0] != '['
	case formatFASTA:
		return line[0] != '>' && line[0] != ';'
	case formatTS:
		return line[0] != '@'
	case formatKLP:
		return !bytes.Contains(line, []byte("|B"))
	case formatTSV:
		return looks == formatCSV && !bytes.ContainsRune(line, '\t') && bytes.ContainsAny(line, ",;") ||
			plainlyOther(looks, line)
	case formatCSV:
		return plainlyOther(looks, line)
	}
	return false
}

// plainlyOther says whether a line is of a format that no header and no row of a table looks like.
func plainlyOther(looks Format, line []byte) bool {
	switch looks {
	case formatJSONL:
		return bytes.HasPrefix(line, []byte(`{"`)) || bytes.HasPrefix(line, []byte(`[{"`))
	case formatTS:
		return bytes.HasPrefix(bytes.ToLower(line), []byte("@problemname"))
	case formatKLP:
		return true
	case formatLIBSVM:
		return !bytes.ContainsAny(line, ",;\t")
	case formatFASTA:
		return !bytes.ContainsAny(line, ",;\t")
	}
	return false
}

// firstLine is the first that says something.
func firstLine(head []byte) []byte {
	text := bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return line
		}
		text = rest
	}
	return []byte{' '}
}
