// Package xlsx reads a sheet of an Excel workbook (Office Open XML, ECMA-376): a zip file of XML
// parts. Cells are numbers, dates (numbers with the format of a date), texts and truth values
// (numbers); formulas have the value that was last computed, and errors such as #N/A are missing.
// Nothing is computed here. The first row with something in it holds the names of the columns where
// all of them are texts; a title above it is left out. A word among numbers is refused.
package xlsx

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/room"
)

// Options says how to read.
type Options struct {
	Sheet string         // name of the sheet, or its number from 1; empty: the first
	Infer data.Inference // what is told of columns; the rest is found from the content
	// NoHeader says that the first row holds values; YesHeader that it holds names; TwoHeader that
	// the first two do.
	NoHeader, YesHeader, TwoHeader bool
	Bytes                          int64 // memory for the data set; 0: half of the machine's
}

// book is an opened workbook.
type book struct {
	name    string
	parts   map[string]*zip.File
	room    *room.Room
	strings []string // that cells share
	dates   []bool   // which styles of cells are those of dates
	open    []int64  // elements that are open, and what the decoder keeps for each
	base    int64    // microseconds of day 0
}

// Read reads a sheet of the workbook in src.
func Read(src io.ReaderAt, size int64, name string, o Options) (*data.Dataset, error) {
	z, err := zip.NewReader(src, size)
	if err != nil {
		return nil, &data.Error{File: name, Kind: data.ErrFormat, Reason: "not a readable Excel workbook",
			Advice: "it may be cut short: save it again as .xlsx, or as CSV", Err: err}
	}
	b := &book{name: name, parts: map[string]*zip.File{}, room: room.New(name, o.Bytes)}
	for _, f := range z.File {
		b.parts[strings.TrimPrefix(f.Name, "/")] = f
	}
	part, err := b.find(o.Sheet)
	if err != nil {
		return nil, err
	}
	if err := b.readStrings(); err != nil {
		return nil, err
	}
	if err := b.readStyles(); err != nil {
		return nil, err
	}
	t := &table{book: b, infer: &o.Infer}
	if err := b.each(part, t.element); err != nil {
		return nil, err
	}
	d, err := t.dataset(o)
	if err != nil {
		return nil, err
	}
	return d, data.InferKinds(d, o.Infer)
}

// each gives the elements of a part in order.
func (b *book) each(part string, element func(d *xml.Decoder, e xml.StartElement) error) error {
	f := b.parts[part]
	if f == nil {
		return b.fault("part "+part+" is not in it", nil)
	}
	r, err := f.Open()
	if err != nil {
		return b.fault("part "+part, err)
	}
	defer r.Close()
	d := b.decoder(r, f.UncompressedSize64)
	for {
		t, err := b.token(d)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			if e, ok := t.(xml.StartElement); ok {
				err = element(d, e)
			}
		}
		if err != nil {
			if said := (*data.Error)(nil); errors.As(err, &said) {
				return said
			}
			return b.fault("part "+part, err)
		}
	}
}

func (b *book) fault(reason string, err error) error {
	return &data.Error{File: b.name, Kind: data.ErrDamaged, Reason: "the workbook is damaged: " + reason,
		Advice: "save it again as .xlsx, or as CSV", Err: err}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// find is the part of a sheet, by name or number.
func (b *book) find(sheet string) (string, error) {
	type named struct{ name, id string }
	var sheets []named
	target := map[string]string{}
	err := b.each("xl/workbook.xml", func(_ *xml.Decoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "sheet":
			id := ""
			for _, a := range e.Attr { // r:id, beside sheetId
				if a.Name.Local == "id" {
					id = a.Value
				}
			}
			sheets = append(sheets, named{attribute(e, "name"), id})
			return b.room.Take(64 + int64(len(id)+len(attribute(e, "name"))))
		case "workbookPr":
			if v := attribute(e, "date1904"); v == "1" || v == "true" {
				b.base = epoch1904
			}
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if b.base == 0 {
		b.base = epoch1900
	}
	err = b.each("xl/_rels/workbook.xml.rels", func(_ *xml.Decoder, e xml.StartElement) error {
		if e.Name.Local == "Relationship" {
			target[attribute(e, "Id")] = attribute(e, "Target")
			return b.room.Take(256 + int64(len(attribute(e, "Id"))+len(attribute(e, "Target"))))
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	var names []string
	for i, s := range sheets {
		names = append(names, s.name)
		if sheet == s.name || sheet == "" && i == 0 {
			return sheetPart(target[s.id]), nil
		}
	}
	if i, err := strconv.Atoi(sheet); err == nil && i >= 1 && i <= len(sheets) {
		return sheetPart(target[sheets[i-1].id]), nil
	}
	return "", &data.Error{File: b.name, Value: sheet, Kind: data.ErrNoColumn,
		Reason: fmt.Sprintf("no sheet %q (found: %s)", sheet, strings.Join(names, ", ")),
		Advice: "name one of them, or give its number"}
}

// sheetPart is the name of a part that the workbook refers to.
func sheetPart(target string) string {
	if rest, ok := strings.CutPrefix(target, "/"); ok {
		return rest
	}
	return path.Join("xl", target)
}

// readStrings reads the texts that cells refer to by number.
func (b *book) readStrings() error {
	if b.parts["xl/sharedStrings.xml"] == nil {
		return nil
	}
	return b.each("xl/sharedStrings.xml", func(d *xml.Decoder, e xml.StartElement) error {
		if e.Name.Local != "si" {
			return nil
		}
		s, err := b.text(d)
		b.strings = append(b.strings, s)
		return err
	})
}

// text joins the runs of a text up to the end of its element; readings of characters (phonetic) are
// left out.
func (b *book) text(d *xml.Decoder) (string, error) {
	var out strings.Builder
	depth, inside, phonetic := 1, false, 0
	for depth > 0 {
		t, err := b.token(d)
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.StartElement:
			depth++
			inside = t.Name.Local == "t"
			if t.Name.Local == "rPh" {
				phonetic = depth
			}
		case xml.EndElement:
			if depth == phonetic {
				phonetic = 0
			}
			depth--
			inside = false
		case xml.CharData:
			if inside && phonetic == 0 {
				if err := b.room.Take(int64(len(t))); err != nil {
					return "", err
				}
				out.Write(t)
			}
		}
	}
	return out.String(), b.room.Take(64) // a list of them grows by doubling
}
