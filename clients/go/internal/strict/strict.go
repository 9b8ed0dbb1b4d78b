// Package strict is for tests: a member that a type lacks is an error.
package strict

// Members makes it one.
var Members bool
