package tune

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// asked is a learner as AutoOptions.Learners has it.
type asked struct {
	name   string
	text   string
	kernel kernel.Kernel[kernel.Vec] // nil: as for all
	hold   []string                  // parameters of kernel that were written
	axes   []Axis                    // what is said of its parameters
	idle   []string                  // parameters that have no say beside these
}

// CheckLearners refuses texts of learners that a search for a task could not be given; the error is
// a *spec.Error, or wraps one.
func CheckLearners(texts []string, task data.Task) error {
	_, err := askedFor(texts, task)
	return err
}

// askedFor reads learners with their settings.
func askedFor(texts []string, task data.Task) ([]asked, error) {
	var out []asked
	for _, text := range texts {
		learners, err := spec.ParseLearners(text)
		if err != nil {
			return nil, fault.In("tune", err)
		}
		for _, l := range learners {
			a, err := askedOf(l, task)
			if err != nil {
				return nil, fault.In("tune", err)
			}
			out = append(out, a)
		}
	}
	return out, nil
}

func askedOf(l spec.Learner, task data.Task) (asked, error) {
	out := asked{name: l.Name, text: l.Name}
	entry, ok := all.Described(l.Name)
	if !ok {
		return out, l.Fault(fmt.Sprintf("unknown learner %q", l.Name), spec.Meant(l.Name, all.Names()))
	}
	if l.Kernel != "" {
		if entry.OwnKernel {
			return out, l.Fault(l.Name+" has a kernel of its own", "leave kernel out")
		}
		var err error
		if out.kernel, err = spec.ParseKernel(l.Kernel); err != nil {
			return out, err
		}
		if out.hold, err = writtenIn(l.Kernel, out.kernel); err != nil {
			return out, err
		}
	}
	if task.Classification() && !entry.Classes || task == data.Regression && !entry.Values {
		return out, nil // the search says so
	}
	params := entry.ParamsFor(task)
	var names []string
	for _, p := range params {
		names = append(names, p.Name)
	}
	for _, s := range l.Settings {
		i := slices.Index(names, s.Name)
		if i < 0 {
			hint := spec.Meant(s.Name, names)
			if len(names) == 0 {
				hint = "it has no parameters of its own"
			}
			return out, l.FaultAt(s, fmt.Sprintf("%s has no parameter %q", l.Name, s.Name), hint)
		}
		axis, err := axisOf(l, s, params[i])
		if err != nil {
			return out, err
		}
		out.axes = append(out.axes, axis)
		if slices.Contains(axis.Values, 0) {
			continue
		}
		out.idle = append(out.idle, params[i].Replaces...)
		for _, other := range l.Settings {
			if params[i].Excludes && slices.Contains(params[i].Replaces, other.Name) {
				return out, l.FaultAt(other, fmt.Sprintf("%s has no say where %s is given", other.Name, s.Name),
					"leave one of the two out")
			}
		}
	}
	return out, nil
}

// axisOf is the values of a setting, checked.
func axisOf(l spec.Learner, s spec.Setting, p learn.Param) (Axis, error) {
	axis := Axis{Name: p.Name, Values: s.Values, Linear: p.Linear || p.Choices != nil, listed: true}
	for _, word := range s.Words {
		i := slices.Index(p.Choices, yesOrNo(word))
		if i < 0 {
			i = slices.Index(p.Choices, word)
		}
		switch {
		case p.Choices == nil:
			return axis, l.FaultAt(s, fmt.Sprintf("%s is %s where a number was expected", p.Name, word),
				fmt.Sprintf("write one in %v", p.Domain))
		case i < 0:
			return axis, l.FaultAt(s, fmt.Sprintf("%s is %s", p.Name, word), "write "+strings.Join(p.Choices, " or "))
		}
		axis.Values = append(axis.Values, float64(i))
	}
	if p.Choices != nil && s.Words == nil {
		return axis, l.FaultAt(s, fmt.Sprintf("%s is %g", p.Name, s.Values[0]), "write "+strings.Join(p.Choices, " or "))
	}
	for _, v := range axis.Values {
		if !p.Domain.Contains(v) {
			return axis, l.FaultAt(s, fmt.Sprintf("%s is %g", p.Name, v), fmt.Sprintf("write a number in %v", p.Domain))
		}
		if v == 0 {
			axis.Linear = true
		}
	}
	return axis, nil
}

// yesOrNo is the words that some write for yes and no.
func yesOrNo(word string) string {
	switch word {
	case "true":
		return "yes"
	case "false":
		return "no"
	}
	return word
}

// settle puts what was asked for in place of what a search would vary.
func (a asked) settle(axes []Axis) []Axis {
	var out []Axis
	for _, axis := range axes {
		given := slices.ContainsFunc(a.axes, func(own Axis) bool { return own.Name == axis.Name })
		if !given && !slices.Contains(a.idle, axis.Name) {
			out = append(out, axis)
		}
	}
	return append(out, a.axes...)
}

// ownKernel is the name, in tables, of the kernel of a learner that has its own.
const ownKernel = "its own kernel"
