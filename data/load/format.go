package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// Format names a file format: "csv", "tsv", "libsvm", "jsonl", "npy", "npz", "parquet", "arrow", "arrows",
// "fasta", "ts", "klp" or "xlsx".
type Format string

// The formats.
const (
	formatCSV         Format = "csv" // any delimiter
	formatTSV         Format = "tsv"
	formatLIBSVM      Format = "libsvm"
	formatJSONL       Format = "jsonl"
	formatNPY         Format = "npy"
	formatNPZ         Format = "npz"
	formatParquet     Format = "parquet"
	formatArrowFile   Format = "arrow"
	formatArrowStream Format = "arrows"
	formatFASTA       Format = "fasta"
	formatTS          Format = "ts"  // time series of the UEA and UCR archives
	formatKLP         Format = "klp" // trees and texts of the KeLP toolkit
	formatXLSX        Format = "xlsx"
)

var formats = []Format{formatCSV, formatTSV, formatLIBSVM, formatJSONL, formatNPY, formatNPZ, formatParquet,
	formatArrowFile, formatArrowStream, formatFASTA, formatTS, formatKLP, formatXLSX}

// Formats lists the formats by name.
func Formats() []Format { return append([]Format(nil), formats...) }

// ParseFormat checks the name of a format.
func ParseFormat(name string) (Format, error) {
	var names []string
	for _, f := range formats {
		if string(f) == name {
			return f, nil
		}
		names = append(names, string(f))
	}
	hint := ""
	if n, ok := phrase.Nearest(name, names); ok {
		hint = fmt.Sprintf("; did you mean %q?", n)
	}
	return "", fmt.Errorf("unknown format %q%s (formats: %s)", name, hint, strings.Join(names, ", "))
}

var byExtension = map[string]Format{
	".csv": formatCSV, ".tsv": formatTSV, ".tab": formatTSV, ".libsvm": formatLIBSVM, ".svm": formatLIBSVM,
	".svmlight": formatLIBSVM,
	".jsonl":    formatJSONL, ".ndjson": formatJSONL, ".npy": formatNPY, ".npz": formatNPZ, ".parquet": formatParquet,
	".pq":    formatParquet,
	".arrow": formatArrowFile, ".feather": formatArrowFile, ".ipc": formatArrowFile, ".arrows": formatArrowStream,
	".fasta": formatFASTA, ".fa": formatFASTA, ".fna": formatFASTA, ".faa": formatFASTA, ".ts": formatTS,
	".klp":  formatKLP,
	".xlsx": formatXLSX, ".xlsm": formatXLSX,
}

// Detect finds a format from the name of a file, and where that says nothing,
// or the first bytes are plainly of another format, from those.
func Detect(name string, head []byte) Format {
	if f := byMagic(head); f != "" {
		return f
	}
	if f := byName(name); f != "" {
		return f
	}
	return byContent(head)
}

func byMagic(head []byte) Format {
	for _, m := range []struct {
		magic  string
		format Format
	}{{"PAR1", formatParquet}, {"ARROW1\x00\x00", formatArrowFile}, {"\x93NUMPY", formatNPY},
		{"\xff\xff\xff\xff", formatArrowStream}} {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return m.format
		}
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return byZipEntry(head)
	}
	return ""
}

// byZipEntry tells a workbook from arrays by the name of the first file in it.
func byZipEntry(head []byte) Format {
	name := zipEntry(head)
	for _, start := range []string{"[Content_Types].xml", "_rels/", "xl/", "docProps/"} {
		if bytes.HasPrefix(name, []byte(start)) {
			return formatXLSX
		}
	}
	return formatNPZ
}

// zipEntry is the name of the first file in a zip archive, as far as it is here.
func zipEntry(head []byte) []byte {
	const fixed = 30 // bytes of the header before the name, whose length stands in bytes 26 and 27
	if len(head) < fixed {
		return nil
	}
	name := head[fixed:]
	return name[:min(len(name), int(head[26])|int(head[27])<<8)]
}

// isArrayOfObjects is true of the line that opens one in JSON.
func isArrayOfObjects(line []byte) bool {
	rest, opens := bytes.CutPrefix(line, []byte("["))
	rest = bytes.TrimLeft(rest, " \t")
	return opens && (len(rest) == 0 || rest[0] == '{')
}

// byContent looks at the first line that says something.
func byContent(head []byte) Format {
	text := bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		switch {
		case line[0] == '{' || isArrayOfObjects(line):
			return formatJSONL
		case line[0] == '>':
			return formatFASTA
		case line[0] == '@':
			return formatTS
		case bytes.Contains(line, []byte("|BT:")) || bytes.Contains(line, []byte("|BS:")):
			return formatKLP
		case looksLikeLIBSVM(string(line)):
			return formatLIBSVM
		}
		return formatCSV
	}
	return formatCSV
}

// looksLikeLIBSVM: a number, then index:value pairs only.
func looksLikeLIBSVM(line string) bool {
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(line)
	if len(words) < 2 {
		return false
	}
	if _, err := strconv.ParseFloat(words[0], 64); err != nil {
		return false
	}
	// The line may be cut off where the first bytes end: not the last word.
	for _, w := range words[1:max(2, len(words)-1)] {
		index, value, ok := strings.Cut(w, ":")
		if !ok {
			return false
		}
		if _, err := strconv.Atoi(index); err != nil && index != "qid" {
			return false
		}
		if _, err := strconv.ParseFloat(value, 64); err != nil {
			return false
		}
	}
	return true
}

func (s *source) format(asked Format) (Format, error) {
	if asked != "" {
		return ParseFormat(string(asked))
	}
	if err := refuseOther(s.name, s.head); err != nil {
		return "", err
	}
	if err := refuseMisnamed(s.name, s.head); err != nil {
		return "", err
	}
	return Detect(s.name, s.head), nil
}

// wrapping names what the bytes of a table are wrapped in, by their first: a compression, or
// UTF-16; it is empty where they stand plainly.
func wrapping(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return "gzip"
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")):
		return "zstd"
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return "utf-16"
	}
	return ""
}

// maxWindow bounds the memory that a zstd file can ask for.
const maxWindow = 256 << 20

// unwrap undoes that; UTF-16 becomes UTF-8.
func unwrap(r io.Reader, name string) (io.ReadCloser, error) {
	var head [4]byte
	n, err := io.ReadFull(r, head[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, &data.Error{File: name, Err: err}
	}
	all := io.MultiReader(bytes.NewReader(head[:n]), r)
	switch wrapping(head[:n]) {
	case "gzip":
		z, err := gzip.NewReader(all)
		if err != nil {
			return nil, &data.Error{File: name, Kind: data.ErrDamaged, Reason: "damaged gzip", Advice: "copy the file again",
				Err: err}
		}
		return &damageTold{z, "gzip"}, nil
	case "zstd":
		z, err := zstd.NewReader(all, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, &data.Error{File: name, Kind: data.ErrDamaged, Reason: "damaged zstd", Advice: "copy the file again",
				Err: err}
		}
		return &damageTold{z.IOReadCloser(), "zstd"}, nil
	case "utf-16":
		return io.NopCloser(newUTF16(all, name)), nil
	}
	return io.NopCloser(all), nil
}

// damage is the fault of compressed bytes. The cause is not unwrapped: io.ErrUnexpectedEOF from
// within would be taken for a short file.
type damage struct {
	compression string
	cause       error
}

func (e *damage) Error() string {
	return fmt.Sprintf("the %s data are damaged or cut short (%v); copy the file again", e.compression, e.cause)
}

func (e *damage) Is(target error) bool { return target == data.ErrDamaged }

// damageTold says of a failing decompressor what a person can do.
type damageTold struct {
	io.ReadCloser
	kind string
}

func (d *damageTold) Read(p []byte) (int, error) {
	n, err := d.ReadCloser.Read(p)
	if err == nil || err == io.EOF || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return n, err
	}
	return n, &damage{d.kind, err}
}
