package arrowfile

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/format/decompress"
)

// Kind is what the values of a column are, as far as reading them goes.
type Kind uint8

// The kinds of column.
const (
	Null  Kind = iota
	Int        // Width bits, Signed or not
	Float      // Width bits
	Bool
	Decimal    // Width bits, divided by 10^Scale
	Instant    // a date or timestamp: Width bits, in units of Micros (or a thousandth where that is 0)
	Text       // offsets of Width bits into bytes
	TextView   // views of 16 bytes
	List       // offsets of Width bits into Element
	FixedList  // Size values of Element
	Dictionary // indices into a dictionary of Element
)

// Type is the type of a column.
type Type struct {
	Kind    Kind
	Width   int
	Signed  bool
	Scale   int
	Micros  int64 // microseconds per unit of an Instant; 0: nanoseconds
	Zoned   bool  // of an Instant: it is a point in time, and not what a clock shows
	Clock   bool  // of an Instant: the time of a day, since midnight
	Size    int
	Element *Type

	dictionary int64
}

// Field is a named column.
type Field struct {
	Name string
	Type
}

// UnsupportedError is a column of a type that is not read.
type UnsupportedError struct{ Column, Type string }

// Error names the column and its type.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("column %q is of type %s, which is neither a number, a string, a time nor a list of numbers",
		e.Column, e.Type)
}

// schema is the columns of a file and the types of its dictionaries.
type schema struct {
	fields       []Field
	dictionaries map[int64]Type
	bigEndian    bool
}

// The numbers of the union Type of Schema.fbs, by name.
var typeNames = [...]string{"none", "null", "integer", "floating point", "binary", "utf8", "bool", "decimal", "date",
	"time", "timestamp", "interval",
	"list", "struct", "union", "fixed-size binary", "fixed-size list", "map", "duration", "large binary", "large utf8",
	"large list", "run-end encoded",
	"binary view", "utf8 view", "list view", "large list view"}

const (
	typeNull          = 1
	typeInt           = 2
	typeFloat         = 3
	typeUtf8          = 5
	typeBool          = 6
	typeDecimal       = 7
	typeDate          = 8
	typeTime          = 9
	typeTimestamp     = 10
	typeList          = 12
	typeFixedSizeList = 16
	typeLargeUtf8     = 20
	typeLargeList     = 21
	typeUtf8View      = 24
)

// fieldBytes is about what a column of a schema takes beside its name.
const fieldBytes = 160

func parseSchema(t table, most int64) (*schema, error) {
	s := &schema{dictionaries: map[int64]Type{}, bigEndian: t.int16(0, 0) == 1}
	names := decompress.Allowance{Most: most}
	for _, f := range t.tables(1) {
		// Many columns may have the bytes of one name.
		if _, n := f.vector(0, 1); names.Take(int64(n)+fieldBytes) != nil {
			return nil, names.Take(int64(n) + fieldBytes)
		}
		name := f.string(0)
		ty, err := parseType(name, f)
		if err != nil {
			return nil, err
		}
		if ty.Kind == Dictionary {
			if before, ok := s.dictionaries[ty.dictionary]; ok && before != *ty.Element {
				return nil, fmt.Errorf("%w: dictionary %d has two types", errMetadata, ty.dictionary)
			}
			s.dictionaries[ty.dictionary] = *ty.Element
		}
		s.fields = append(s.fields, Field{name, ty})
	}
	if t.m.bad {
		return nil, errMetadata
	}
	return s, nil
}

// parseType reads the type of a field: of its values, or of indices where it
// has a dictionary.
func parseType(column string, f table) (Type, error) {
	ty, err := plainType(column, f)
	if err != nil {
		return ty, err
	}
	if d := f.table(4); d.pos > 0 {
		if ty.Kind == List || ty.Kind == FixedList || ty.Kind == Instant {
			return ty, &UnsupportedError{column, "dictionary of lists or times"}
		}
		value := ty
		ty = Type{Kind: Dictionary, Width: 32, Signed: true, Element: &value, dictionary: d.int64(0)}
		if index := d.table(1); index.pos > 0 {
			ty.Width, ty.Signed = index.int32(0, 0), index.byte(1, 0) != 0
		}
		if !wholeWidth(ty.Width) {
			return ty, fmt.Errorf("%w: column %q has indices of %d bits", errMetadata, column, ty.Width)
		}
	}
	return ty, nil
}

func wholeWidth(w int) bool { return w == 8 || w == 16 || w == 32 || w == 64 }

func plainType(column string, f table) (Type, error) {
	t := f.table(3)
	number := int(f.byte(2, 0))
	switch number {
	case typeNull:
		return Type{Kind: Null}, nil
	case typeInt:
		ty := Type{Kind: Int, Width: t.int32(0, 0), Signed: t.byte(1, 0) != 0}
		if !wholeWidth(ty.Width) {
			return ty, fmt.Errorf("%w: column %q has integers of %d bits", errMetadata, column, ty.Width)
		}
		return ty, nil
	case typeFloat:
		precision := t.int16(0, 0)
		if precision < 0 || precision > 2 {
			return Type{}, fmt.Errorf("%w: column %q has precision %d", errMetadata, column, precision)
		}
		return Type{Kind: Float, Width: 16 << precision}, nil
	case typeBool:
		return Type{Kind: Bool, Width: 1}, nil
	case typeDecimal:
		ty := Type{Kind: Decimal, Scale: t.int32(1, 0), Width: t.int32(2, 128)}
		if w := ty.Width; w != 32 && w != 64 && w != 128 && w != 256 || ty.Scale < -400 || ty.Scale > 400 {
			return ty, fmt.Errorf("%w: column %q has decimals of %d bits and scale %d", errMetadata, column, ty.Width, ty.Scale)
		}
		return ty, nil
	case typeDate:
		if t.int16(0, 1) == 0 {
			return Type{Kind: Instant, Width: 32, Signed: true, Micros: 24 * 3600 * 1e6}, nil
		}
		return Type{Kind: Instant, Width: 64, Signed: true, Micros: 1000}, nil
	case typeTimestamp:
		unit := t.int16(0, 0)
		if unit < 0 || unit > 3 {
			return Type{}, fmt.Errorf("%w: column %q has time unit %d", errMetadata, column, unit)
		}
		return Type{Kind: Instant, Width: 64, Signed: true, Micros: [...]int64{1e6, 1e3, 1, 0}[unit],
			Zoned: t.string(1) != ""}, nil
	case typeTime:
		unit, width := t.int16(0, 1), t.int32(1, 32)
		if unit < 0 || unit > 3 || width != 32 && width != 64 {
			return Type{}, fmt.Errorf("%w: column %q has times of unit %d and %d bits", errMetadata, column, unit, width)
		}
		return Type{Kind: Instant, Width: width, Signed: true, Micros: [...]int64{1e6, 1e3, 1, 0}[unit], Clock: true}, nil
	case typeUtf8:
		return Type{Kind: Text, Width: 32}, nil
	case typeLargeUtf8:
		return Type{Kind: Text, Width: 64}, nil
	case typeUtf8View:
		return Type{Kind: TextView, Width: 128}, nil
	case typeList, typeLargeList, typeFixedSizeList:
		return listType(column, number, t, f.tables(5))
	}
	name := fmt.Sprintf("number %d", number)
	if number < len(typeNames) {
		name = typeNames[number]
	}
	return Type{}, &UnsupportedError{column, name}
}

func listType(column string, number int, t table, children []table) (Type, error) {
	if len(children) != 1 {
		return Type{}, fmt.Errorf("%w: column %q is a list of %d types", errMetadata, column, len(children))
	}
	if e := children[0]; e.table(4).pos > 0 || !numeric(int(e.byte(2, 0))) {
		return Type{}, &UnsupportedError{column, "list of other than numbers"}
	}
	element, err := plainType(column, children[0])
	if err != nil {
		return Type{}, err
	}
	switch number {
	case typeList:
		return Type{Kind: List, Width: 32, Element: &element}, nil
	case typeLargeList:
		return Type{Kind: List, Width: 64, Element: &element}, nil
	}
	ty := Type{Kind: FixedList, Size: t.int32(0, 0), Element: &element}
	if ty.Size < 0 {
		return ty, fmt.Errorf("%w: column %q has lists of %d", errMetadata, column, ty.Size)
	}
	return ty, nil
}

func numeric(number int) bool {
	return number == typeInt || number == typeFloat || number == typeBool || number == typeDecimal
}
