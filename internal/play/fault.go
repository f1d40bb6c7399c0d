package play

import (
	"context"
	"errors"

	"github.com/mercer-ml/mercer/internal/spec"
)

// Fault is what is wrong with a question, and at which of its settings: the page says it there.
type Fault struct {
	Field   string `json:"field,omitempty"`  // the setting, as "kernel" or "params.C"; empty: the question as a whole
	Column  int    `json:"column,omitempty"` // of a text, counted from 1
	Code    string `json:"code,omitempty"`   // for the page to act on
	Message string `json:"message"`
}

// CodeForgotten is the code of a question whose base is not known: it is to be asked again with all
// its fields.
const CodeForgotten = "forgotten"

func (f *Fault) Error() string { return f.Message }

// at puts an error at a setting; one that already has a place keeps it.
func at(field string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	var f *Fault
	if errors.As(err, &f) {
		return err
	}
	f = &Fault{Field: field, Message: err.Error()}
	var text *spec.Error
	if errors.As(err, &text) {
		f.Column = text.Column
	}
	return f
}

// moved puts an error at another setting than it says: the second kernel of a scene has a place of
// its own.
func moved(field string, err error) error {
	f := *faultOf(at(field, err))
	f.Field = field
	return &f
}

// faultOf is an error as a page is told it; nil is none.
func faultOf(err error) *Fault {
	if err == nil {
		return nil
	}
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	return &Fault{Message: err.Error()}
}
