// Package klp reads examples with several representations each, in the text format of the KeLP
// toolkit (.klp):
//
//	LOC |BT:grct| (S (NP Rome)) |ET| |BS:text| where is Rome |ES|
//
// A line is an example: its label, then representations by name. Trees (|BT:name| … |ET|) and
// strings (|BS:name| … |ES|) become columns; vectors (|BV:name| … |EV|, |BDV:name| … |EDV|) are
// left out, and said to be.
package klp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/internal/format/room"
)

// kinds are the representations that become columns, by how they begin.
var kinds = map[string]data.Kind{"BT": data.Tree, "BS": data.Text}

// others are those that do not.
var others = []string{"BV", "BDV"}

// representation is one of an example.
type representation struct {
	kind, name, text string
	at               int // its first byte, from 1
}

// Read reads a file; name is how messages call it, and bytes the memory it may take, 0 for half of
// the machine's.
func Read(src io.Reader, name string, bytes int64) (*data.Dataset, error) {
	left := room.New(name, bytes)
	lines := room.Lines{Src: bufio.NewReaderSize(src, 1<<16)}
	var labels []string
	var names []string // of the columns, as they first come
	columns := map[string]*data.Column{}
	d := &data.Dataset{Name: name}
	for line := 1; ; line++ {
		raw, err := lines.Next(left)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = left.Take(2*int64(len(raw)) + 64)
		}
		if large := (*data.Error)(nil); errors.As(err, &large) {
			large.Line = line
			return nil, large
		}
		if err != nil {
			return nil, &data.Error{File: name, Line: line, Err: err}
		}
		text := strings.TrimRight(strings.TrimPrefix(string(raw), "\ufeff"), "\r\n")
		if strings.TrimSpace(text) == "" {
			continue
		}
		fault := func(at int, reason, advice string) error {
			return &data.Error{File: name, Line: line, Byte: at, Reason: reason, Advice: advice, Kind: data.ErrSyntax}
		}
		label, parts, at, reason := split(text)
		if reason != "" {
			return nil, fault(at, reason, "write LABEL |BT:name| (tree) |ET| |BS:name| text |ES|")
		}
		labels = append(labels, label)
		for _, p := range parts {
			kind, ok := kinds[p.kind]
			if !ok {
				if s := (data.SkippedColumn{Column: p.name,
					Reason: "vectors of KeLP files are not read"}); !slices.Contains(d.Skipped, s) {
					d.Skipped = append(d.Skipped, s)
				}
				continue
			}
			if kind == data.Tree && p.text != "" {
				if _, err := bracket.Parse(p.text); err != nil {
					return nil, fault(p.at, fmt.Sprintf("%q is no tree: %v", p.name, err), "close all brackets")
				}
			}
			c := columns[p.name]
			if c == nil {
				if err := left.Take(room.Column + int64(len(p.name))); err != nil {
					return nil, err
				}
				names = append(names, p.name)
				c = &data.Column{Name: p.name, Kind: kind}
				columns[p.name] = c
			}
			if c.Kind != kind || len(c.Strings) == len(labels) {
				return nil, fault(p.at, fmt.Sprintf("%q comes twice in an example, or as a tree here and as a string there",
					p.name), "give each representation a name of its own")
			}
			// An example without it has a missing value.
			if err := left.Take(16 * int64(len(labels)-len(c.Strings))); err != nil {
				return nil, err
			}
			c.Strings = append(append(c.Strings, make([]string, len(labels)-1-len(c.Strings))...), p.text)
		}
	}
	if len(labels) == 0 {
		return nil, &data.Error{File: name, Kind: data.ErrNoRows, Reason: "no examples",
			Advice: "write a line LABEL |BT:name| (tree) |ET| for each"}
	}
	if err := left.Fits(int64(len(labels)), 16*int64(len(names))); err != nil {
		return nil, err
	}
	d.Columns = append(d.Columns, data.LevelColumn("label", labels))
	for _, n := range names {
		c := columns[n]
		c.Strings = append(c.Strings, make([]string, len(labels)-len(c.Strings))...)
		d.Columns = append(d.Columns, *c)
	}
	return d, nil
}

// split takes a line apart; a reason says what is wrong at a byte.
func split(text string) (label string, parts []representation, at int, reason string) {
	begin := strings.IndexByte(text, '|')
	if begin < 0 {
		return "", nil, 1, "an example without representations"
	}
	if label = strings.TrimSpace(text[:begin]); label == "" {
		return "", nil, 1, "an example without a label"
	}
	for at = begin; at < len(text); {
		if text[at] == ' ' || text[at] == '\t' {
			at++
			continue
		}
		if text[at] != '|' {
			return "", nil, at + 1, fmt.Sprintf("%q outside a representation", text[at])
		}
		head, _, ok := strings.Cut(text[at+1:], "|")
		kind, name, named := strings.Cut(head, ":")
		if _, known := kinds[kind]; !ok || !named || name == "" || name == "label" || !known &&
			!slices.Contains(others, kind) {
			return "", nil, at + 1, fmt.Sprintf("unknown bracket |%s|", head)
		}
		inside := at + len(head) + 2
		end := strings.Index(text[inside:], "|E"+kind[1:]+"|")
		if end < 0 {
			return "", nil, at + 1, fmt.Sprintf("|%s| is not closed by |E%s|", head, kind[1:])
		}
		body := text[inside : inside+end]
		first := len(body) - len(strings.TrimLeft(body, " \t"))
		parts = append(parts, representation{kind, name, strings.TrimSpace(body), inside + first + 1})
		at = inside + end + len("|E|") + len(kind[1:])
	}
	return label, parts, 0, ""
}
