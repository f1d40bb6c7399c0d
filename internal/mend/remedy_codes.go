// Package mend numbers the options that mend a fault of data.
package mend

// The remedies: values of data.Remedy, which those that name flags, forms or parameters know.
const (
	None      = iota
	Missing   // a policy for missing values
	Unseen    // a policy for categories that were not seen
	Target    // another column as the target
	Scaling   // no scaling
	Text      // another policy for text
	Rows      // rows, or to read the first line as one
	Header    // to read the first line as data
	NA        // to count the value as missing
	Kind      // to count the value as missing, or another kind for the column
	Delimiter // another delimiter than that of the error's Value
	Format    // another format
	Memory    // more memory
	Dates     // the order of day and month in the error's Column
	Numbers   // the decimal mark of the error's Column
	Ignore    // to leave the error's Column out
	Encoding  // the encoding of the text
	Temp      // another place for files that are made in the course of the work
	Map       // another map of the target, or none
	Groups    // to keep rows with the same value of the error's Column together
	Order     // to test on the last rows by the error's Column
	Names     // to take one line for the names of columns, or two
)
