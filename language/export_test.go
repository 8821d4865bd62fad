package language

// What tests of other packages read.
var (
	FunctionWordLists = functionWordLists
	Homographs        = homographs
)
