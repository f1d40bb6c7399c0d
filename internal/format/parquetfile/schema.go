package parquetfile

import (
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/internal/format/decompress"
)

// Physical is how a value is stored.
type Physical uint8

// The physical types, numbered as in parquet.thrift.
const (
	Boolean Physical = iota
	Int32
	Int64
	Int96
	Float
	Double
	Bytes
	FixedBytes
)

// Logical is what a value means, where that is more than its storage says.
type Logical uint8

// The logical types that are told apart.
const (
	Plain     Logical = iota
	Unsigned          // integers
	Decimal           // divided by 10^Scale
	Date              // days since 1970
	Timestamp         // Micros microseconds since 1970 each, or nanoseconds where that is 0
	Clock             // the time of a day, as Timestamp has it, since midnight
	Half              // 16-bit floating point
	UUID              // 16 bytes
	Unread            // a meaning that is not read: see Column.Meaning
)

// Column is a leaf of the schema.
type Column struct {
	Name     string // the path, with dots between; layers that the list convention adds are left out
	Physical Physical
	Logical  Logical
	Scale    int
	Micros   int64
	Zoned    bool   // of Timestamp: it is a point in time, and not what a clock shows
	Meaning  string // of Unread, in words
	Size     int    // bytes of FixedBytes
	Fault    error  // why nothing of it can be read, an *UnsupportedError; nil where it can

	// A value is there at definition level Present. MaxRepetition is how many
	// lists it is within; an element (or null in its place) of the innermost is
	// there from definition level Repeated on, and that list is empty one below.
	Present, MaxRepetition, Repeated int
}

// element is a node of the schema as the footer lists them, depth first.
type element struct {
	physical, size, repetition int
	name                       string
	children                   int
	converted, scale           int
	leaf                       bool
	logical                    int // number of the union LogicalType, 0: none
	unit                       int // of time
	signed                     bool
	zoned                      bool
}

const (
	required = 0
	optional = 1
	repeated = 2
)

func (c *compact) element() element {
	e := element{converted: -1, signed: true}
	c.fields(func(number, kind int) bool {
		switch {
		case number == 4 && kind == thriftBinary:
			e.name = string(c.bytes())
			return true
		case number == 10 && kind == thriftStruct:
			c.logicalType(&e)
			return true
		case kind != thriftI32:
			return false
		}
		x := c.int()
		if x < math.MinInt32 || x > math.MaxInt32 {
			c.fail()
		}
		switch number {
		case 1:
			e.physical, e.leaf = int(x), true
		case 2:
			e.size = int(x)
		case 3:
			e.repetition = int(x)
		case 5:
			e.children = int(x)
		case 6:
			e.converted = int(x)
		case 7:
			e.scale = int(x)
		}
		return true
	})
	return e
}

// The numbers of the union LogicalType that matter.
const (
	logicalDecimal   = 5
	logicalDate      = 6
	logicalTime      = 7
	logicalTimestamp = 8
	logicalInteger   = 10
	logicalUUID      = 14
	logicalHalf      = 15
)

func (c *compact) logicalType(e *element) {
	c.fields(func(number, kind int) bool {
		e.logical = number
		if kind != thriftStruct {
			return false
		}
		c.fields(func(field, kind int) bool {
			switch {
			case number == logicalDecimal && field == 1 && kind == thriftI32:
				e.scale = int(int32(c.int()))
				return true
			case (number == logicalTimestamp || number == logicalTime) && field == 1:
				e.zoned = kind == thriftTrue
			case (number == logicalTimestamp || number == logicalTime) && field == 2 && kind == thriftStruct:
				c.fields(func(unit, _ int) bool { e.unit = unit; return false })
				return true
			case number == logicalInteger && field == 2:
				e.signed = kind == thriftTrue
			}
			return false
		})
		return true
	})
}

// maxSchemaDepth bounds groups within groups.
const maxSchemaDepth = 64

// leaves walks the schema and lists its columns.
func leaves(elements []element, memory *decompress.Allowance) ([]Column, error) {
	if len(elements) == 0 {
		return nil, fmt.Errorf("%w: no schema", errThrift)
	}
	var out []Column
	next := 1
	var walk func(children int, path []string, def, rep, atRepeated int) error
	walk = func(children int, path []string, def, rep, atRepeated int) error {
		if len(path) > maxSchemaDepth {
			return fmt.Errorf("%w: groups %d deep", errThrift, len(path))
		}
		for range children {
			if next >= len(elements) {
				return fmt.Errorf("%w: the schema announces more columns than it has", errThrift)
			}
			e := &elements[next]
			next++
			d, r, at := def, rep, atRepeated
			switch e.repetition {
			case required:
			case optional:
				d++
			case repeated:
				d, r, at = d+1, r+1, d+1
			default:
				return fmt.Errorf("%w: %q has repetition %d", errThrift, e.name, e.repetition)
			}
			p := append(path[:len(path):len(path)], e.name)
			if !e.leaf {
				if err := walk(e.children, p, d, r, at); err != nil {
					return err
				}
				continue
			}
			// The name of a group comes again in that of each of its columns.
			bytes := int64(columnBytes)
			for _, name := range p {
				bytes += int64(len(name)) + 1
			}
			if err := memory.Take(bytes); err != nil {
				return err
			}
			c := Column{Name: dotted(p, r > 0), Present: d, MaxRepetition: r, Repeated: at}
			if err := e.annotate(&c); err != nil {
				return err
			}
			out = append(out, c)
		}
		return nil
	}
	if err := walk(elements[0].children, nil, 0, 0, 0); err != nil {
		return nil, err
	}
	if next != len(elements) {
		return nil, fmt.Errorf("%w: the schema has more columns than it announces", errThrift)
	}
	return out, nil
}

// dotted joins a path. The layers that the list convention adds say nothing to
// a reader.
func dotted(path []string, list bool) string {
	var names []string
	for _, p := range path {
		if list && len(names) > 0 && (p == "list" || p == "element" || p == "item" || p == "array") {
			continue
		}
		names = append(names, p)
	}
	return strings.Join(names, ".")
}

// The numbers of ConvertedType, from before there were logical types.
const (
	convertedDecimal         = 5
	convertedDate            = 6
	convertedTimeMillis      = 7
	convertedTimeMicros      = 8
	convertedTimestampMillis = 9
	convertedTimestampMicros = 10
	convertedUint8           = 11
	convertedUint64          = 14
	convertedInterval        = 21
)

// annotate finds what the values of a leaf mean.
func (e *element) annotate(c *Column) error {
	if e.physical < 0 || e.physical > int(FixedBytes) {
		return fmt.Errorf("%w: column %q is of type %d", errThrift, c.Name, e.physical)
	}
	c.Physical, c.Size = Physical(e.physical), e.size
	if c.Physical == FixedBytes && (e.size <= 0 || e.size > 1<<24) {
		return fmt.Errorf("%w: column %q has values of %d bytes", errThrift, c.Name, e.size)
	}
	whole := c.Physical == Int32 || c.Physical == Int64
	converted := e.converted
	if e.logical != 0 {
		converted = -1 // the newer annotation holds
	}
	switch {
	case e.logical == logicalDecimal || converted == convertedDecimal:
		c.Logical, c.Scale = Decimal, e.scale
		if e.scale < 0 || e.scale > 400 || !whole && c.Physical != Bytes && c.Physical != FixedBytes {
			return fmt.Errorf("%w: column %q has decimals of scale %d in type %d", errThrift, c.Name, e.scale, e.physical)
		}
	case c.Physical == Int32 && (e.logical == logicalDate || converted == convertedDate):
		c.Logical = Date
	case c.Physical == Int64 && e.logical == logicalTimestamp:
		c.Logical, c.Zoned = Timestamp, e.zoned
		switch e.unit {
		case 1:
			c.Micros = 1000
		case 2:
			c.Micros = 1
		}
	case c.Physical == Int64 && converted == convertedTimestampMillis:
		c.Logical, c.Micros, c.Zoned = Timestamp, 1000, true // as the format says of them
	case c.Physical == Int64 && converted == convertedTimestampMicros:
		c.Logical, c.Micros, c.Zoned = Timestamp, 1, true
	case whole && (e.logical == logicalTime || converted == convertedTimeMillis || converted == convertedTimeMicros):
		c.Logical = Clock
		switch {
		case e.logical == logicalTime && e.unit == 1 || converted == convertedTimeMillis:
			c.Micros = 1000
		case e.logical == logicalTime && e.unit == 2 || converted == convertedTimeMicros:
			c.Micros = 1
		}
	case whole && (e.logical == logicalInteger && !e.signed || converted >= convertedUint8 &&
		converted <= convertedUint64):
		c.Logical = Unsigned
	case c.Physical == FixedBytes && c.Size == 2 && e.logical == logicalHalf:
		c.Logical = Half
	case c.Physical == FixedBytes && c.Size == 16 && e.logical == logicalUUID:
		c.Logical = UUID
	case converted == convertedInterval:
		c.Logical, c.Meaning = Unread, "interval"
	}
	return nil
}
