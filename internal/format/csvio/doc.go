// Package csvio reads and writes tables of delimited text: CSV, TSV and their
// relatives.
//
// Names to know: [Read] reads a whole file, [NewReader] one in parts, and [Options] says how.
// [NewWriter] writes. [ParseDelimiter], [ParseHeader] and [ParseDecimal] read what a person typed.
//
// The file is cut into blocks at record boundaries; blocks are parsed on all
// cores and come out in order, so that a 100 MB file takes about the time of
// reading it and the memory of its numbers. Delimiter, header, quoting and
// decimal mark are found from the first block and can be set. Numbers are the
// float64 nearest to their decimal text (Clinger's exact case, the Eisel-Lemire
// algorithm, and strconv for what those leave: D. Lemire, Number parsing at
// a gigabyte per second, Software: Practice and Experience 51, 2021).
//
// Quoting is that of RFC 4180: a field that starts with a double quote ends at
// the next double quote that is not doubled, and may hold delimiters and line
// ends.
package csvio
