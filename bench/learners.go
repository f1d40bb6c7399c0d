package main

// learners is the suite of package learn.
func learners() []Case { return append(ridgeAndProcess(), machines()...) }
