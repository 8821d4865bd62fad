package search

// pain is what a cut in front of a line, or inside one, destroys. Cuts are made where it is least.
type pain uint8

const (
	painSection pain = 1 // in front of a heading
	painBlock   pain = 2 // between blocks
	painItem    pain = 3 // between list items; each level of nesting adds two, for its blocks and its items

	painWhole = painItem + 2*maxListDepth + 1 // up to here, what stands on either side of a cut is whole

	painQuote    pain = painWhole + 1 // between the paragraphs of a quotation
	painSoft     pain = painWhole + 2 // between the lines of a paragraph
	painRow      pain = painWhole + 3 // between the rows of a table
	painCodeGap  pain = painWhole + 4 // at a blank line in code
	painCode     pain = painWhole + 5 // between lines of code
	painSentence pain = painWhole + 6 // inside a line
	painWord     pain = painWhole + 7
	painCluster  pain = painWhole + 8 // inside a word
	painHead     pain = painWhole + 9 // behind a heading, or the head of a table
)

// maxListDepth is how many levels of a list are told apart.
const maxListDepth = 8

// inItem is the pain of a cut between the blocks of a list item that has depth-1 others around it.
func inItem(depth int) pain { return painItem + pain(2*min(depth, maxListDepth)) - 1 }

// betweenItems is the pain of a cut between list items that have depth others around them.
func betweenItems(depth int) pain { return painItem + pain(2*min(depth, maxListDepth-1)) }
