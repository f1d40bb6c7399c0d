// Package learntest is what the tests of several families of learners share: data to learn from,
// files of data and of peers' numbers, comparisons, and contexts that end at a chosen step.
package learntest
