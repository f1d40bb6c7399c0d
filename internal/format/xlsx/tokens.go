package xlsx

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"

	"github.com/mercer-ml/mercer/data"
)

// What a workbook may cost beside the values of its cells: XML is read through and not kept, but
// the decoder holds a text, a tag or a remark whole, and every element that is open.
const (
	xmlShare   = 64  // times the memory for the data is the most XML of a part
	tokenShare = 16  // a share of that memory is the most that stands between two signs <
	maxDepth   = 100 // elements within one another; those of a workbook are fewer than ten
)

// counted passes XML on as long as it has room.
type counted struct {
	io.Reader
	left        int64 // of all
	token, most int64 // since the last <
	tail        []byte
	until       []byte // what ends a remark, in which < means nothing
	err         error
}

var errDeclaration = errors.New("a document type declaration, which a workbook must not have")

// Kinds of markup in which the sign < means nothing, and what ends them.
var markup = []struct{ begin, end string }{{"!--", "-->"}, {"![CDATA[", "]]>"}, {"?", "?>"}}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, c.err
	}
	if fault := c.look(p[:n]); fault != nil {
		return 0, fault
	}
	return n, err
}

// look counts the bytes of each token.
func (c *counted) look(p []byte) error {
	for _, b := range p {
		if c.token++; c.token > c.most {
			return c.err
		}
		if c.until != nil {
			if c.tail = append(c.tail, b); len(c.tail) > len(c.until) {
				c.tail = c.tail[1:]
			}
			if bytes.Equal(c.tail, c.until) {
				c.until, c.tail = nil, nil
			}
			continue
		}
		if b == '<' {
			c.token, c.tail = 0, make([]byte, 0, 16)
			continue
		}
		if c.tail != nil {
			c.tail = append(c.tail, b)
			if err := c.opening(); err != nil {
				return err
			}
		}
	}
	return nil
}

// opening looks at what stands behind a sign <.
func (c *counted) opening() error {
	for _, m := range markup {
		if string(c.tail) == m.begin {
			c.until, c.tail = []byte(m.end), nil
			return nil
		}
		if len(c.tail) < len(m.begin) && m.begin[:len(c.tail)] == string(c.tail) {
			return nil // it may become one
		}
	}
	if c.tail[0] == '!' {
		return errDeclaration
	}
	c.tail = nil
	return nil
}

// token is the next of a decoder, whose open elements are counted.
func (b *book) token(d *xml.Decoder) (xml.Token, error) {
	t, err := d.Token()
	switch t.(type) {
	case xml.StartElement:
		if b.depth++; b.depth > maxDepth {
			return nil, errors.New("elements within elements, more than a workbook has")
		}
	case xml.EndElement:
		b.depth--
	}
	return t, err
}

// decoder reads a part within the room.
func (b *book) decoder(r io.Reader, size uint64) *xml.Decoder {
	b.depth = 0
	left := b.room.Left()
	return xml.NewDecoder(&counted{Reader: r, left: xmlShare * left, most: max(left/tokenShare, 1<<12), err: data.TooLargeError(b.name, float64(max(size, uint64(left)+1)), left, "at least")})
}
