package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/progress"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/files"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// fitting is a run of `mercer fit`: what each step leaves for the next.
type fitting struct {
	*App
	o          *fitOptions
	say        io.Writer       // where the result goes in words
	style      *exploreOptions // how work is told of
	time       timePlan
	memory     memoryPlan
	ownJournal bool // the journal is ours to remove
	afresh     bool // there was one of another search
	data       *data.Dataset
	table      *load.Table // where the data are larger than the memory
	options    tune.AutoOptions
	told       *data.Fold // the rows of --test, and the others
	label      string     // the column of classes that a fit without a target left out
	found      *tune.AutoResult
	nested     *tune.NestedResult
	model      *model.Model
	page       string // the report, or nothing
	stays      string // why the model that is there was not replaced; empty: it was
}

// fit reads, searches, tests, saves and reports.
func (a *App) fit(ctx context.Context, o *fitOptions) error {
	if o.Time <= 0 {
		return usage("--time: %v; give a positive time, as in 90s", o.Time)
	}
	f := &fitting{App: a, o: o, say: a.Out, style: &exploreOptions{Quiet: o.Quiet, JSON: o.JSON},
		time: timePlan{begun: a.Begun, total: o.Time, page: o.reportPath() != ""}}
	var err error
	if f.memory, err = newMemoryPlan(o.Memory); err != nil {
		return err
	}
	f.memory.keep()
	if o.Quiet || o.JSON {
		f.say = io.Discard
	}
	if o.Task.Task == "novelty" {
		return f.fitNovelty(ctx)
	}
	if o.Task.Forecast != 0 {
		return f.fitForecast(ctx)
	}
	if o.Task.Season != 0 {
		return usage("--season: it is for a forecast; give --forecast STEPS, too")
	}
	if o.Task.Ahead != "" {
		return usage("--ahead: it is for a forecast; give --forecast STEPS, too")
	}
	defer func() { _ = f.options.Device.Close() }()
	defer f.closeTable()
	for _, step := range []func(context.Context) error{f.checkPlaces, f.read, f.plan, f.findDevice, f.search, f.nest,
		f.save, f.report, f.tell} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err() // a search that was stopped has a model, and the exit code of one that was stopped
	}
	return worseThanBaseline(f.found, o.Output)
}

// findDevice wakes GPUs where they are asked for, or may be of use.
func (f *fitting) findDevice(context.Context) (err error) {
	f.options.Device, err = f.o.Device.open(f.data.Len())
	return err
}

// checkPlaces sees that the files can be written, and destroy nothing, before a search of minutes
// and not after.
func (f *fitting) checkPlaces(context.Context) error {
	f.ownJournal = f.o.Journal == ""
	if f.App.memory != nil {
		return nil // nothing has a place
	}
	if f.ownJournal && replaceable(f.o.Output) {
		f.o.Journal = f.o.Output + ".journal"
	}
	if err := f.o.checkPagePlaces(place{"--journal", f.o.Journal}); err != nil {
		return err
	}
	if f.o.Journal == "" {
		return nil
	}
	return fitError(tune.CheckJournal(f.o.Journal))
}

// checkPagePlaces is checkPlaces of a model and its page, and of what else is written.
func (o *fitOptions) checkPagePlaces(more ...place) error {
	page := o.reportPath()
	writes := append([]place{{"-o", o.Output}, {"--report", page}}, more...)
	if err := checkPlaces([]place{readFrom(o.Data)}, writes); err != nil {
		return err
	}
	if o.Report == "" && isOthersPage(page) {
		return usage("%s is there and is no report of mercer; name the page with --report, or move that file away", page)
	}
	return nil
}

// read takes in the data set and its target.
func (f *fitting) read(ctx context.Context) error {
	f.o.Input.Memory = f.o.Memory
	in, err := f.o.Input.options(f.App)
	if err != nil {
		return err
	}
	in.Target, in.Weights, in.Noise, in.Groups, in.Seed = f.o.Target, f.o.Weights, f.o.Noise, f.o.Groups, f.o.Seed
	if order := f.o.Task.Order; slices.Contains(in.Ignore, order) { // it orders the rows, and nothing is learnt from it
		in.Order = order
	}
	several := len(f.o.targets()) > 1
	if several {
		in.Target, in.NoTarget = "", true
	}
	var read, size atomic.Int64
	in.Progress = func(done, of int64) { read.Store(done); size.Store(of) }
	within, cancel := f.time.reading(ctx)
	defer cancel()
	done := f.busy(f.style, "reading")
	f.data, err = f.App.read(within, f.o.Data, in)
	done()
	if f.inPasses(err) {
		return f.openTable(ctx)
	}
	if err != nil {
		return f.time.refuse(err, read.Load(), size.Load())
	}
	if several {
		if err := f.o.setTargets(f.data); err != nil {
			return err
		}
	}
	if f.data.Target != "" {
		if err := f.readTest(ctx); err != nil {
			return err
		}
	}
	if err := f.join(); err != nil {
		return err
	}
	if f.data.Target == "" {
		return usage("%s: no column can be the target; choose one with --target (found: %s)", f.data.Name,
			strings.Join(f.data.Names(), ", "))
	}
	return nil
}

// join puts columns together that are one thing: bags that are asked for, and what a file obviously
// means.
func (f *fitting) join() error {
	joins := f.data.GuessJoins()
	if f.o.Bags != "" {
		j, err := f.data.Bags(f.o.Bags)
		if err != nil {
			return inputError(err)
		}
		joins = []data.Join{j}
	}
	d, err := f.data.Join(joins...)
	if err != nil {
		return inputError(err)
	}
	for _, j := range joins {
		fmt.Fprintln(f.say, j)
	}
	f.data = d
	return nil
}

// plan settles what is searched for, and tells it.
func (f *fitting) plan(ctx context.Context) error {
	var err error
	if f.options, err = f.o.auto(f.data); err != nil {
		return err
	}
	f.options.Split = f.told
	if err := f.readCenters(ctx); err != nil {
		return err
	}
	if f.options.Budget, _ = f.time.search(time.Now()); f.o.Task.Nested > 0 {
		f.options.Budget /= nestedShare
	}
	f.memory.suit(f.o.Memory, f.data)
	if f.options.Bytes, err = f.memory.left(f.data); err != nil {
		if f.table != nil || !f.inPasses(data.ErrTooLarge) {
			return err
		}
		if err := f.openTable(ctx); err != nil {
			return err
		}
		return f.plan(ctx)
	}
	if f.table != nil {
		f.options.Bytes = f.memory.total / 2 // the rest is chunks, blocks and what the collector has not taken back yet
		fmt.Fprintf(f.say, "%s is larger than the memory (%s): it is read in passes\n", f.data.Name, sizeText(f.memory.total))
		return nil
	}
	if err := refuseMissing(f.data, f.options.Encoder); err != nil {
		return fitError(err)
	}
	fmt.Fprintln(f.say, f.data.Summary())
	if text := f.testRows(); text != "" {
		fmt.Fprintln(f.say, text)
	}
	if f.o.Task.Task != "" {
		fmt.Fprintf(f.say, "task: %s, as told\n", f.o.Task.Task)
	} else if target, err := f.data.Column(f.data.Target); err == nil && len(f.data.More) == 0 {
		if task, _, err := data.InferTask(target); err == nil {
			if text := otherTask(target, task); text != "" {
				_ = writeBroken(f.say, "", text, 2, progress.Width(f.Out))
			}
		}
	}
	tellPlan(f.say, f.data, f.options, f.memory)
	return nil
}

// testRows says how many of the rows are those of --test; it is empty without.
func (f *fitting) testRows() string {
	if f.told == nil {
		return ""
	}
	return fmt.Sprintf("%s of these rows are those of %s", phrase.Thousands(len(f.told.Test)), f.o.Task.Test)
}

// save writes the model that the search found, after its leaderboard.
func (f *fitting) save(context.Context) error {
	var err error
	if f.model, err = newFittedModel(f.data, f.found, f.o); err != nil {
		return err
	}
	f.found.Warnings = slices.Concat(f.found.Warnings, dataWarningsIn(f.data, f.o.Task.Order),
		sharedWarning(f.data, f.found.Split))
	if f.found.Interrupted && len(f.found.Split.Test) == 0 {
		fmt.Fprintln(f.say)
	}
	if f.afresh {
		fmt.Fprintf(f.say, "%s was of another search: started afresh\n", f.o.Journal)
	}
	for _, fault := range f.found.JournalFaults {
		if !f.o.JSON { // whose result has them
			fmt.Fprintln(f.Err, fault)
		}
	}
	f.tellSearch(f.say, f.data, f.found, f.o)
	if inMemory, err := f.App.memory.write(f.o.Output, func(w io.Writer) error {
		_, err := f.model.WriteTo(w)
		return err
	}); inMemory {
		return err
	}
	if now, before, worse := f.found.Worse(f.o.Journal, f.o.Output); worse {
		f.stays = fmt.Sprintf("%s stays as it is: %s %s by the same rows, where this search has %s", f.o.Output,
			f.found.Metric.Name, number(before), number(now))
		return nil
	}
	if err := f.model.Save(f.o.Output); err != nil {
		if f.o.resumable() {
			err = fmt.Errorf("%w\n  the search is kept in %s: the same command again goes on", err, f.o.Journal)
		}
		return err
	}
	f.keep("stopped; %s is written, the report is not", f.o.Output)
	if f.found.Interrupted { // the same search may go on
		if err := f.found.NoteModel(f.o.Journal, f.o.Output); err != nil {
			fmt.Fprintln(f.Err, inWords(err))
		}
	}
	return nil
}

// report draws the page.
func (f *fitting) report(ctx context.Context) error {
	if f.stays != "" {
		return nil // as the page does
	}
	done := f.busy(f.style, "drawing the report")
	page, err := f.drawReport(ctx, func() time.Duration { return f.time.curve(time.Now()) })
	done()
	switch {
	case err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		err = fmt.Errorf("%w\n  the model is in %s", err, f.o.Output)
		if f.o.resumable() {
			err = fmt.Errorf("%w; the same command again makes the report without another search (%s)", err, f.o.Journal)
		}
		return err
	}
	f.page = page
	f.keep("")
	return nil
}

// tell says what was written, and removes the journal of work that is done.
func (f *fitting) tell(ctx context.Context) error {
	stopped := ctx.Err() != nil
	if f.o.Quiet {
		for _, line := range notAsAsked(f.found) { // what was not done in full is no less so where little is said
			fmt.Fprintln(f.Err, line)
		}
	}
	f.tellNested()
	if f.stays != "" {
		fmt.Fprintln(f.say, f.stays)
		return nil
	}
	f.tellFiles(f.say, f.page, f.found, f.model, f.o, stopped)
	if f.ownJournal && !(f.found.Interrupted && f.o.resumable()) {
		f.removeJournal()
	}
	if f.o.JSON {
		return writeFitJSON(f.Out, f.found, f.nested, f.model, f.page, f.o)
	}
	return nil
}

// refuseMissing counts the missing values of the whole file, before rows are
// held out, where the policy is to refuse them.
func refuseMissing(d *data.Dataset, o data.EncoderOptions) error {
	if o.Missing != "error" {
		return nil
	}
	if o.Text == "" && o.Texts == nil { // as a search will do
		o.Texts = map[string]data.TextPolicy{}
		for _, c := range d.Features() {
			if c.OfWords() {
				o.Texts[c.Name] = "tfidf"
			}
		}
	}
	for i := range d.Columns {
		if o.Texts[d.Columns[i].Name] == "" && d.Columns[i].Missing() > 0 {
			_, err := data.FitEncoder(d, o)
			return err
		}
	}
	return nil
}

// fitError makes the search's complaints about the data the person's to mend.
func fitError(err error) error {
	var journal *fs.PathError
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &journal): // a search touches no other file
		return &files.WriteError{File: journal.Path, Err: journal.Err}
	}
	return &UsageError{inWords(err)}
}
