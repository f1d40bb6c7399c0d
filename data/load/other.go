package load

import (
	"bytes"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/mtx"
)

// other is a kind of file that is none of the formats and that people have where they think of one.
type other struct{ begins, what, advice string }

const (
	saveAsTable = "save it as .xlsx, or as CSV"
	writeAsCSV  = "write the table as CSV with the program that made it"
	writeFromR  = "write the table in R with write.csv(x, \"x.csv\", row.names = FALSE)"
	unpickle    = "write the table as Parquet or CSV: a pickle is a program, which is never run here"
	theFile     = "get the file itself: this may be the page that leads to it"
)

var others = []other{
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel file of before 2007, or one with a password", saveAsTable},
	{"%PDF-", "a PDF document", "tables in it are pictures of text: look for the data that it was made of"},
	{"SQLite format 3\x00", "an SQLite database",
		"write a table of it as CSV: sqlite3 -header -csv FILE 'select * from TABLE'"},
	{"\x89HDF\r\n\x1a\n", "an HDF5 file", writeAsCSV},
	{"RDX2\nX\n", "a file of R's save()", writeFromR},
	{"RDX3\nX\n", "a file of R's save()", writeFromR},
	{"X\n\x00\x00\x00", "a file of R's saveRDS()", writeFromR},
	{"$FL2@(#)", "an SPSS file", writeAsCSV},
	{"<stata_dta>", "a Stata file", writeAsCSV},
	{"FEA1\x00\x00\x00\x00", "a Feather file of the first version",
		"write it again with a newer version: it is Arrow then"},
	{"\x80\x04\x95", "a pickle of Python's", unpickle},
	{"\x80\x05\x95", "a pickle of Python's", unpickle},
	{"\x89PNG\r\n", "a picture", "name a file of rows"},
	{"\xff\xd8\xff", "a picture", "name a file of rows"},
	{mtx.Banner, "a matrix in the form of Matrix Market",
		"write rows of it as LIBSVM or as a table; edges of one graph are read where a graph is asked for"},
	{"<?xml", "XML", writeAsCSV},
	{"<!doctype html", "a web page", theFile},
	{"<html", "a web page", theFile},
}

// refuseOther says of files that are none of the formats what they are, where that is plain.
func refuseOther(name string, head []byte) error {
	told := func(what, advice string) error {
		return &data.Error{File: name, Kind: data.ErrFormat, Reason: "this is " + what, Advice: advice}
	}
	text := bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head[:min(len(head), 256)], []byte("\xef\xbb\xbf")), " \t\r\n"))
	for _, o := range others {
		if bytes.HasPrefix(head, []byte(o.begins)) || o.begins[0] == '<' && bytes.HasPrefix(text, []byte(o.begins)) {
			return told(o.what, o.advice)
		}
	}
	const length = 8 // bytes before the header of a model file say how long it is
	if len(head) > length && bytes.HasPrefix(head[length:], []byte(`{"__metadata__"`)) {
		return told("a model file", "name a file of rows; where a model is asked for, it comes before the data")
	}
	if !bytes.HasPrefix(head, []byte("PK\x03\x04")) || len(zipEntry(head)) == 0 {
		return nil
	}
	switch entry := zipEntry(head); {
	case bytes.Contains(head[:min(len(head), 128)], []byte("application/vnd.oasis.opendocument")):
		return told("an OpenDocument file", saveAsTable)
	case byZipEntry(head) == formatNPZ && !bytes.HasSuffix(entry, []byte(".npy")):
		return told("a zip archive", "unpack it, and name the file of rows in it")
	}
	return nil
}
