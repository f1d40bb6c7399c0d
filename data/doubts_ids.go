package data

import (
	"math"
	"strings"

	"github.com/mercer-ml/mercer/internal/lazy"
)

// Columns that name rows, or what rows are of, rather than say something about them.

// numbersRows says that the values are whole numbers that go up by one: from row to row in five
// rows or more, or, of twenty or more, in any order.
func (c *Column) numbersRows() bool {
	n := c.Len()
	if c.Kind != Numeric || n < 5 {
		return false
	}
	least, inOrder := c.Numbers[0], true
	for i, x := range c.Numbers {
		if x != math.Trunc(x) { // missing ones among them
			return false
		}
		least, inOrder = min(least, x), inOrder && x == c.Numbers[0]+float64(i)
	}
	if inOrder || n < 20 {
		return inOrder
	}
	seen := make([]bool, n)
	for _, x := range c.Numbers {
		if !(x-least < float64(n)) || seen[int(x-least)] { // infinite ones have no difference
			return false
		}
		seen[int(x-least)] = true
	}
	return true
}

// things counts the different names in a column that is called an id, or made like one, and the
// rows that have one; both are zero for other columns. What a column is called is taken at its word
// in ten rows or more, what its names look like in twenty; a name may be missing in one row of ten.
func (c *Column) things() (names, rows int) {
	if c.Kind != Numeric && !c.Kind.named() && c.Kind != Text {
		return 0, 0
	}
	n, gaps := c.Len(), c.Missing()
	if 10*gaps > n || !(n-gaps >= 10 && c.calledID()) && !(n-gaps >= 20 && c.serial()) {
		return 0, 0
	}
	seen := make(map[string]bool, n)
	for i := range n {
		switch {
		case c.IsMissing(i):
			continue
		case c.Kind == Numeric && c.Numbers[i] != math.Trunc(c.Numbers[i]):
			return 0, 0
		}
		seen[c.String(i)] = true
	}
	return len(seen), n - gaps
}

// namesGroups says of a column with so many things that each is of several rows, as patients are of
// visits: twenty or more, each in two rows on average. An index begins anew in each part of a
// table.
func (c *Column) namesGroups(things int) bool {
	return things >= 20 && 2*things <= c.Len() && !strings.EqualFold(c.Name, "index")
}

// Grouping is the columns that name what several rows are of, patients with their visits. Rows of
// one may be alike, and are then no evidence each of its own.
func (d *Dataset) Grouping() (names []string) {
	for i := range d.Columns {
		c := &d.Columns[i]
		if things, _ := c.things(); c.namesGroups(things) {
			names = append(names, c.Name)
		}
	}
	return names
}

func (c *Column) calledID() bool {
	switch name := strings.ToLower(c.Name); {
	case name == "id" || name == "uuid" || name == "guid" || name == "key" || name == "index":
		return true
	case strings.HasSuffix(name, "_id") || strings.HasSuffix(name, " id"):
		return true
	}
	return strings.HasSuffix(c.Name, "Id") || strings.HasSuffix(c.Name, "ID")
}

var (
	numbered  = lazy.Regexp(`^(.*?)\d+(\D*)$`) // K00017, INV-2023-0042: the last number, and what is around it
	universal = lazy.Regexp(`^\{?[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\}?$`)
)

// serial says that names are made as those of a database are: the same letters around a number in
// every row, or UUIDs. Digits alone may be postcodes, which say something.
func (c *Column) serial() bool {
	if !c.Kind.named() && c.Kind != Text {
		return false
	}
	var first []string
	alike, unique := true, true
	for i := range c.Len() {
		if c.IsMissing(i) {
			continue
		}
		s := c.String(i)
		if alike {
			m := numbered().FindStringSubmatch(s)
			if first == nil {
				first = m
			}
			alike = m != nil && m[1]+m[2] != "" && m[1] == first[1] && m[2] == first[2]
		}
		if unique = unique && universal().MatchString(s); !alike && !unique {
			return false
		}
	}
	return true
}
