// Package mend names the options that mend a fault of data.
package mend

// The remedies: values of data.Remedy, which those that name flags, forms or parameters know.
const (
	None      = ""
	Missing   = "missing"   // a policy for missing values
	Unseen    = "unseen"    // a policy for categories that were not seen
	Target    = "target"    // another column as the target
	Scaling   = "scaling"   // no scaling
	Text      = "text"      // another policy for text
	Rows      = "rows"      // rows, or to read the first line as one
	Header    = "header"    // to read the first line as data
	NA        = "na"        // to count the value as missing
	Kind      = "kind"      // to count the value as missing, or another kind for the column
	Delimiter = "delimiter" // another delimiter than that of the error's Value
	Format    = "format"    // another format
	Memory    = "memory"    // more memory
	Dates     = "dates"     // the order of day and month in the error's Column
	Numbers   = "numbers"   // the decimal mark of the error's Column
	Ignore    = "ignore"    // to leave the error's Column out
	Encoding  = "encoding"  // the encoding of the text
	Temp      = "temp"      // another place for files that are made in the course of the work
	Map       = "map"       // another map of the target, or none
	Groups    = "groups"    // to keep rows with the same value of the error's Column together
	Order     = "order"     // to test on the last rows by the error's Column
	Names     = "names"     // to take one line for the names of columns, or two
)

// All is every remedy but None.
var All = []string{Missing, Unseen, Target, Scaling, Text, Rows, Header, NA, Kind, Delimiter, Format,
	Memory, Dates, Numbers, Ignore, Encoding, Temp, Map, Groups, Order, Names}
