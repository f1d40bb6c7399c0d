package xlsx

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// The file is openpyxl's: bench/fixtures/reading.py.
func TestEveryday(t *testing.T) {
	text, err := os.ReadFile("testdata/everyday.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Read(bytes.NewReader(text), int64(len(text)), "everyday.xlsx", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(d.Names()); got != "[shop when price zip paid share at]" || d.Len() != 40 {
		t.Fatalf("%s, %d rows", got, d.Len())
	}
	for i := range d.Len() {
		day := time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 40*i)
		at := time.Date(2021, 3, 4, 12, 30, 15, 0, time.UTC).Add(time.Duration(i) * time.Hour)
		want := []string{[]string{"Köln", "Oslo", ""}[i%3], day.Format("2006-01-02"), phrase.Number(1.5 * float64(i)),
			fmt.Sprintf("%05d", i%4), fmt.Sprint(i%2 == 0), fmt.Sprint(i), at.Format("2006-01-02T15:04:05")}
		if i == 7 {
			want[2] = ""
		}
		for j, w := range want {
			if got := d.Columns[j].String(i); got != w {
				t.Errorf("row %d, %s: %q, want %q", i, d.Columns[j].Name, got, w)
			}
		}
	}
	if gap := d.Columns[2].Gap; gap == nil || gap.Line != 9 {
		t.Errorf("the gap is at %v", gap)
	}
	if d, err = Read(bytes.NewReader(text), int64(len(text)), "e", Options{Sheet: "2"}); err != nil || d.Len() != 2 ||
		d.Columns[1].Numbers[1] != 4.5 || d.Names()[0] != "x1" {
		t.Errorf("the second sheet: %v, %v", d, err)
	}
	if _, err = Read(bytes.NewReader(text), int64(len(text)), "e", Options{Bytes: 3000}); !errors.Is(err,
		data.ErrTooLarge) {
		t.Errorf("3 kB of memory: %v", err)
	}
}

// workbook is a file with one sheet, whose rows are given as XML.
func workbook(rows string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"xl/workbook.xml":            `<workbook><sheets><sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/sharedStrings.xml":       `<sst><si><t>name</t></si><si><r><t>two </t></r><r><t>runs</t></r><rPh><t>sound</t></rPh></si></sst>`,
		"xl/styles.xml":              `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/><numFmt numFmtId="165" formatCode="[Red]0.00&quot;d&quot;"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml":   `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`,
	} {
		w, _ := z.Create(name)
		w.Write([]byte(text))
	}
	z.Close()
	return b.Bytes()
}

func TestCells(t *testing.T) {
	read := func(rows string, o Options) (*data.Dataset, error) {
		text := workbook(rows)
		return Read(bytes.NewReader(text), int64(len(text)), "t.xlsx", o)
	}
	d,
		err := read(`<row r="3"><c r="B3" t="s"><v>0</v></c><c r="D3" t="inlineStr"><is><t>when</t></is></c><c t="str"><v>n</v></c></row>`+
		`<row r="4"><c r="B4" t="s"><v>1</v></c><c r="D4" s="1"><v>44378</v></c><c s="2"><f>1+1</f><v>2</v></c></row>`+
		`<row r="9"><c r="D9" s="3"><v>59</v></c><c t="e"><v>#N/A</v></c></row>`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for i := range d.Len() {
		for j := range d.Columns {
			got += "[" + d.Columns[j].String(i) + "]"
		}
	}
	// Day 59 is the 28th of February 1900.
	if fmt.Sprint(d.Names()) != "[name when n]" || got != "[two runs][2021-07-01][2][][1900-02-28][]" {
		t.Errorf("%v %s", d.Names(), got)
	}
	for rows, want := range map[string]string{
		`<row><c r="A1"><v>x</v></c></row>`:                                              "is no number",
		`<row><c r="A1" t="s"><v>7</v></c></row>`:                                        "shared text",
		`<row><c r="ZZZZ1"><v>1</v></c></row>`:                                           "a cell",
		`<row r="2"><c r="A2"><v>1</v></c></row><row r="1"><c r="A1"><v>1</v></c></row>`: "row 1 after row 2",
		`<row><c r="A1"><v>1</v></c><c r="A1"><v>1</v></c></row>`:                        "twice",
		``: "no rows",
		`<row><c r="A1" t="str"><v>a</v></c><c r="B1" t="str"><v>b</v></c></row>`: "no rows",
		`<row><c r="A1"><v>1</v>`: "damaged",
	} {
		_, err := read(rows, Options{})
		var fault *data.Error
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), want) || fault.File != "t.xlsx" {
			t.Errorf("%s: %v, want %q", rows, err, want)
		}
	}
	// A row that stands for very many bytes is refused and not spelled out.
	if _, err := read(`<row><c r="A1" t="str"><v>`+strings.Repeat("a", 1<<20)+`</v></c></row>`,
		Options{Bytes: 10000}); !errors.Is(err, data.ErrTooLarge) {
		t.Errorf("a long text: %v", err)
	}
}

// Rows above the table and rows that are none are no rows.
func TestRowsThatAreNone(t *testing.T) {
	row := func(cells ...any) string {
		var b strings.Builder
		b.WriteString("<row>")
		for j, c := range cells {
			switch c := c.(type) {
			case string:
				fmt.Fprintf(&b, `<c r="%c1" t="str"><v>%s</v></c>`, 'A'+j, c)
			case int:
				fmt.Fprintf(&b, `<c r="%c1"><v>%d</v></c>`, 'A'+j, c)
			}
		}
		return b.String() + "</row>"
	}
	many := strings.Repeat(row("x", 1, 2), 20)
	for _, c := range []struct{ rows, names, note, fault string }{
		{row("Sales") + row("of 2024") + row() + row("shop", "sold", "left") + many, "[shop sold left]",
			`rows 1 to 2 ("Sales", …) stand above the table and are left out`, ""},
		{row(nil, "Sales") + row("shop", "sold", "left") + many, "[shop sold left]",
			`row 1 ("Sales") stands above the table and is left out`, ""},
		{row("shop") + many, "[shop x2 x3]", "", ""},                       // names that are not there
		{row("shop") + row("a", "b") + row("c", "d"), "[shop x2]", "", ""}, // nothing but words
		{row("shop", "sold", "left") + row(nil, "pieces", "kg") + many, "[shop sold pieces left kg]",
			`the first two rows are taken for names: ["shop" "sold pieces" "left kg"]`, ""},
		{row("Sales") + row("shop", "shop", "left") + many, "[Sales shop Sales shop.2 Sales left]",
			`the first two rows are taken for names: ["Sales shop" "Sales shop" "Sales left"]column 2, a further "Sales shop", is called "Sales shop.2"`,
			""},
		{row("shop", "sold", "sold") + many, "[shop sold sold.2]", `column 3, a further "sold", is called "sold.2"`, ""},
		{row("shop", "sold", "left") + row("x", "many", 1) + many, "", "",
			`t.xlsx:2: column "sold" is "many" where 20 other rows are numbers`},
		{row("shop", "sold", "left") + row("x", "NA", 1) + row("x", "3", 1) + many, "[shop sold left]", "", ""},
		{row("shop", "sold", "left") + row("x", "unknown", 1) + row("x", 4, "n.a.") + row("x", "unknown", 1) + many,
			"[shop sold left]", `"n.a.", "unknown" among the numbers of sold, left: taken for missing values`, ""},
		{row("shop", "sold", "left") + row("x", "unknown", 1) + row("x", "lots", 1) + many, "", "",
			`t.xlsx:3: column "sold" is "lots" where 20 other rows are numbers`},
	} {
		text := workbook(c.rows)
		d, err := Read(bytes.NewReader(text), int64(len(text)), "t.xlsx", Options{})
		switch {
		case c.fault != "":
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%v, want %q", err, c.fault)
			}
		case err != nil:
			t.Errorf("%s: %v", c.names, err)
		case fmt.Sprint(d.Names()) != c.names || noted(d) != c.note:
			t.Errorf("%v %q, want %s %q", d.Names(), d.Notes, c.names, c.note)
		case strings.Contains(c.note, "missing") && (d.Columns[1].Kind != data.Numeric || d.Columns[1].Missing() != 2 ||
			d.Columns[2].Kind != data.Numeric):
			t.Errorf("%v with %d missing values, %v", d.Columns[1].Kind, d.Columns[1].Missing(), d.Columns[2].Kind)
		}
	}
	// What a person says of a column is not doubted.
	text := workbook(row("shop", "sold", "left") + row("x", "many", 1) + many)
	if d, err := Read(bytes.NewReader(text), int64(len(text)), "t.xlsx",
		Options{Infer: data.Inference{Told: data.Kinds(map[string]data.Kind{"sold": data.Categorical})}}); err != nil ||
		d.Columns[1].Kind != data.Categorical {
		t.Errorf("told: %v", err)
	}
}

func TestDateFormats(t *testing.T) {
	for code, want := range map[string]bool{"yyyy-mm-dd": true, "General": false, "0.00": false, `0 "days"`: false,
		"[h]:mm": true, "[Red]0": false, "[$-409]d-mmm": true, `\d0`: false, "#,##0;[Red]d": false, "": false} {
		if dateFormat(code) != want {
			t.Errorf("%q", code)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(workbook(`<row r="1"><c r="A1"><v>1</v></c></row>`))
	if text, err := os.ReadFile("testdata/everyday.xlsx"); err == nil {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Read(bytes.NewReader(text), int64(len(text)), "f.xlsx", Options{Bytes: 1 << 20})
		if err != nil {
			var fault *data.Error
			if !errors.As(err, &fault) || fault.File != "f.xlsx" {
				t.Fatalf("an error without a file: %v", err)
			}
			return
		}
		if err := d.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

// noted is what the reader did unasked.
func noted(d *data.Dataset) (text string) {
	for _, n := range d.Notes {
		text += n.Text
	}
	return text
}
