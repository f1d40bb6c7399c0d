// Package fasta reads and writes biological sequences in FASTA format:
//
//	>id description
//	ACGT…
//	ACGT…
//
// Lines that start with ; before a sequence are comments.
package fasta

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/room"
)

// Record is one sequence.
type Record struct {
	ID          string
	Description string
	Sequence    string
}

// Read reads all records; name is how messages call the file. A sequence may
// hold letters, '-', '*' and '.'; blanks within it are dropped.
func Read(src io.Reader, name string) ([]Record, error) { return ReadWithin(src, name, 0) }

// recordBytes is what a record takes beside its letters.
const recordBytes = 48

// ReadWithin is Read in so many bytes of memory; 0 means half of the machine's.
func ReadWithin(src io.Reader, name string, bytes int64) ([]Record, error) {
	left := room.New(name, bytes)
	r := room.Lines{Src: bufio.NewReaderSize(src, 1<<16)}
	var out []Record
	var seq strings.Builder
	begun, started := 0, false
	fault := func(line, column int, reason, advice string) error {
		return &data.Error{File: name, Line: line, Byte: column, Reason: reason, Advice: advice, Kind: data.ErrSyntax}
	}
	finish := func() error {
		if !started {
			return nil
		}
		if seq.Len() == 0 {
			return fault(begun, 1, fmt.Sprintf("%q has no sequence", out[len(out)-1].ID),
				"give its letters on the lines below, or remove it")
		}
		out[len(out)-1].Sequence = seq.String()
		seq.Reset()
		return nil
	}
	for line := 1; ; line++ {
		raw, err := r.Next(left)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = left.Take(2*int64(len(raw)) + recordBytes) // a builder grows by doubling
		}
		if large := (*data.Error)(nil); errors.As(err, &large) {
			large.Line = line
			return nil, large
		}
		if err != nil {
			return nil, &data.Error{File: name, Line: line, Err: err}
		}
		text := strings.TrimRight(string(raw), "\r\n")
		switch {
		case strings.HasPrefix(text, ">"):
			if err := finish(); err != nil {
				return nil, err
			}
			id, description, _ := strings.Cut(strings.TrimSpace(text[1:]), " ")
			out = append(out, Record{ID: id, Description: strings.TrimSpace(description)})
			begun, started = line, true
		case strings.HasPrefix(text, ";"):
		case strings.TrimSpace(text) == "":
		case !started:
			return nil, fault(line, 1, "letters before the first >", "start each sequence with a line >id description")
		default:
			for i := range len(text) {
				switch c := text[i]; {
				case c == ' ' || c == '\t':
				case c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '-' || c == '*' || c == '.':
					seq.WriteByte(c)
				default:
					return nil, fault(line, i+1, fmt.Sprintf("%q is not a letter of a sequence", c),
						"sequences hold letters, '-', '*' and '.'")
				}
			}
		}
	}
	if err := finish(); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, &data.Error{File: name, Kind: data.ErrNoRows, Reason: "no sequences",
			Advice: "start each sequence with a line >id description"}
	}
	return out, nil
}

// Write writes records with lines of 70 letters.
func Write(w io.Writer, records []Record) error {
	b := bufio.NewWriter(w)
	for _, r := range records {
		b.WriteString(strings.TrimSpace(">" + r.ID + " " + r.Description))
		b.WriteByte('\n')
		for s := r.Sequence; len(s) > 0; {
			n := min(70, len(s))
			b.WriteString(s[:n])
			b.WriteByte('\n')
			s = s[n:]
		}
	}
	return b.Flush()
}
