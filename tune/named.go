package tune

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/fault"
)

// NotFitted is the error of learners that were named and could not be fitted: to these data, or in
// the time that there was. Nothing takes the place of a learner that somebody named.
type NotFitted struct {
	Learners []string
	Err      error // why
}

func (e *NotFitted) Error() string {
	return fmt.Sprintf("%s: %v; nothing takes the place of a learner that was named", strings.Join(e.Learners, ", "),
		fault.Plain(e.Err))
}

// Unwrap is why.
func (e *NotFitted) Unwrap() error { return e.Err }

// notFitted is the error of a search that has no model: of learners that were named, where they
// were.
func (s Search) notFitted(err error) error {
	if s.standIn || err == nil {
		return err
	}
	var names []string
	for _, c := range s.Candidates {
		if !slices.Contains(names, c.Learner) {
			names = append(names, c.Learner)
		}
	}
	return fault.In("tune", &NotFitted{names, err})
}

// onlyNamed says whether every learner that was asked for is one of these; false where none was.
func (o *AutoOptions) onlyNamed(names ...string) bool {
	found := o.learnerNames()
	for _, n := range found {
		if !slices.Contains(names, n) {
			return false
		}
	}
	return len(found) > 0
}

// learnerNames are those of the learners that were asked for, without their parameters. What cannot
// be read is said where it is needed.
func (o *AutoOptions) learnerNames() (out []string) {
	asked, err := askedFor(o.Learners, o.Task)
	if err != nil {
		return nil
	}
	for _, a := range asked {
		out = append(out, a.name)
	}
	return out
}
