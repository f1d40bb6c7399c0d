package cuda

// queue is what is queued in a stream and has not been done yet.
type queue struct {
	waiting []func() Status
	done    int // before those
}

// mark is a place in a stream: behind so many of all that were ever queued there.
type mark struct {
	stream Stream
	after  int
}

func (e *emulated) stream(s Stream) *queue {
	if e.streams == nil {
		e.streams, e.marks = map[Stream]*queue{}, map[Event]mark{}
	}
	if e.streams[s] == nil {
		e.streams[s] = &queue{}
	}
	return e.streams[s]
}

// enqueue does f at once or, with Late, when someone waits for it: whoever reads a result too
// early, or writes over what is still to be copied, gets wrong numbers.
func (e *emulated) enqueue(s Stream, name string, f func() Status) error {
	if !e.Late {
		return e.ask(name, f)
	}
	return e.ask(name, func() Status {
		q := e.stream(s)
		q.waiting = append(q.waiting, f)
		return success
	})
}

// reach does what is before a mark, and no more.
func (e *emulated) reach(m mark) Status {
	for q := e.stream(m.stream); q.done < m.after; {
		f := q.waiting[0]
		q.waiting, q.done = q.waiting[1:], q.done+1
		if status := f(); status != success {
			return status
		}
	}
	return success
}

// end is the mark behind all that is queued in a stream.
func (e *emulated) end(s Stream) mark {
	q := e.stream(s)
	return mark{s, q.done + len(q.waiting)}
}

// drain does all that is queued.
func (e *emulated) drain() Status {
	for s := range e.streams {
		if status := e.reach(e.end(s)); status != success {
			return status
		}
	}
	return success
}

func (e *emulated) Sync(s Stream) error {
	return e.ask("cuStreamSynchronize", func() Status { return e.reach(e.end(s)) })
}

func (e *emulated) Record(v Event, s Stream) error {
	return e.ask("cuEventRecord", func() Status {
		end := e.end(s) // makes the map
		e.marks[v] = end
		return success
	})
}

func (e *emulated) Await(s Stream, v Event) error {
	return e.ask("cuStreamWaitEvent", func() Status {
		if m, marked := e.marks[v]; marked && e.Late {
			q := e.stream(s)
			q.waiting = append(q.waiting, func() Status { return e.reach(m) })
		}
		return success
	})
}

func (e *emulated) SyncEvent(v Event) error {
	return e.ask("cuEventSynchronize", func() Status {
		if m, marked := e.marks[v]; marked {
			return e.reach(m)
		}
		return success
	})
}
