package chunk

// cost is what a cut in front of a line, or inside one, destroys. Cuts are made where it is least.
type cost uint8

const (
	costSection cost = 1 // in front of a heading
	costBlock   cost = 2 // between blocks
	costItem    cost = 3 // between list items; each level of nesting adds two, for its blocks and its items

	costWhole = costItem + 2*maxListDepth + 1 // up to here, what stands on either side of a cut is whole

	costQuote    cost = costWhole + 1 // between the paragraphs of a quotation
	costSoft     cost = costWhole + 2 // between the lines of a paragraph
	costRow      cost = costWhole + 3 // between the rows of a table
	costCodeGap  cost = costWhole + 4 // at a blank line in code
	costCode     cost = costWhole + 5 // between lines of code
	costSentence cost = costWhole + 6 // inside a line
	costWord     cost = costWhole + 7
	costCluster  cost = costWhole + 8 // inside a word
	costHead     cost = costWhole + 9 // behind a heading, or the head of a table
)

// maxListDepth is how many levels of a list are told apart.
const maxListDepth = 8

// inItem is the cost of a cut between the blocks of a list item that has depth-1 others around it.
func inItem(depth int) cost { return costItem + cost(2*min(depth, maxListDepth)) - 1 }

// betweenItems is the cost of a cut between list items that have depth others around them.
func betweenItems(depth int) cost { return costItem + cost(2*min(depth, maxListDepth-1)) }
