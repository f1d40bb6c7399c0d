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
	attrShare  = 32  // as many bytes of that share is an attribute, which is kept with its neighbours
	openBytes  = 256 // what the decoder keeps for an attribute or a name while its element is open
	maxDepth   = 100 // elements within one another; those of a workbook are fewer than ten
)

// counted passes XML on as long as it has room.
type counted struct {
	io.Reader
	left        int64 // of all
	token, most int64 // since the last <
	tag         bool  // a tag is open
	quote       byte  // that began a value in it
	tail        []byte
	start       [16]byte // memory of the tail
	until       []byte   // what ends a remark, in which < means nothing
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
			c.token, c.tail, c.tag, c.quote = 0, c.start[:0], true, 0
			continue
		}
		if c.tag {
			c.within(b)
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

// within counts the attributes of a tag.
func (c *counted) within(b byte) {
	switch {
	case c.quote != 0:
		if b == c.quote {
			c.quote = 0
		}
	case b == '"' || b == '\'':
		c.quote = b
	case b == '=':
		c.token += attrShare
	case b == '>':
		c.tag = false
	}
}

// opening looks at what stands behind a sign <.
func (c *counted) opening() error {
	for _, m := range markup {
		if string(c.tail) == m.begin {
			c.until, c.tail, c.tag = []byte(m.end), nil, false
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

// token is the next of a decoder. The elements that are open are counted, and so is what the
// decoder keeps for them: their names and name spaces.
func (b *book) token(d *xml.Decoder) (xml.Token, error) {
	t, err := d.Token()
	switch t := t.(type) {
	case xml.StartElement:
		if len(b.open) == maxDepth {
			return nil, errors.New("elements within elements, more than a workbook has")
		}
		size := openBytes + int64(len(t.Name.Space)+len(t.Name.Local))
		for _, a := range t.Attr {
			size += openBytes + int64(len(a.Name.Space)+len(a.Name.Local)+len(a.Value))
		}
		if err := b.room.Take(size); err != nil {
			return nil, err
		}
		b.open = append(b.open, size)
	case xml.EndElement:
		if n := len(b.open); n > 0 {
			b.room.Give(b.open[n-1])
			b.open = b.open[:n-1]
		}
	}
	return t, err
}

// decoder reads a part within the room.
func (b *book) decoder(r io.Reader, size uint64) *xml.Decoder {
	b.open = b.open[:0]
	left := b.room.Left()
	return xml.NewDecoder(&counted{Reader: r, left: xmlShare * left, most: max(left/tokenShare, 1<<12),
		err: data.TooLargeError(b.name, float64(max(size, uint64(left)+1)), left, "at least")})
}
