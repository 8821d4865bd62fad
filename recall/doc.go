// Package recall is the one way in which memory is searched: what asks, a person's request, an agent's tool, a prompt or a
// dream, comes through Searcher.Search.
//
// A search collects what its identity may see, ranks it by words, compares vectors where there are any, fuses the two
// lists, selects, and remembers what was used. The arithmetic is package search's and the rows are package store's; this
// package puts them together, in parallel where they do not depend on each other, and sees to it that a search is
// answered when the provider of vectors is not there.
package recall
