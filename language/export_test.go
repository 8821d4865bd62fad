package language

// Variables exported for external tests.
var (
	FunctionWordLists = functionWordLists
	Homographs        = homographs
)
