/** Reads the recipe, whose size is bounded when it is accepted (`recipe-size.test.ts`). */
const RECIPE = 'reads the recipe'
/** A library reads the file, on a thread with a deadline; the work on its result is measured. */
const DOCUMENT = 'needs a document'
/** Properties show that both take the same steps (`in-parts.property.test.ts`). */
const IN_TURNS = 'the same code is measured in its other form: in turns, or at once'
/** Waits for requests and turns; the readers of their answers are measured. */
const WAITS = 'waits'
/** Turns numbers and names of bounded length into a message or a code. */
const MESSAGE = 'makes a message'

/** Reads texts of bounded length and number (`number-signs`). */
const SHORT_TEXTS = 'reads a few short texts'

/** Functions of the engine that no subject calls with any family, by file, with the reason. */
export const NOT_MEASURED: Readonly<
  Record<string, { readonly functions: readonly string[]; readonly why: string }>
> = {
  'extract/auto/data-table.ts': {
    functions: ['alikeTo'],
    why: 'reads the headings of a few tables, as is measured for one of them',
  },
  'extract/auto/item-posts.ts': { functions: ['saysPost'], why: SHORT_TEXTS },
  'extract/auto/item-roles.ts': {
    functions: ['namesRole', 'withoutLabel', 'setField', 'backgroundField'],
    why: SHORT_TEXTS,
  },
  'extract/auto/priced-lines.ts': {
    functions: ['hasOtherWords', 'signBetween'],
    why: 'read the start of lines, all of which were read before',
  },
  'extract/format/table-grid.ts': { functions: ['readGrid'], why: IN_TURNS },
  'extract/page/script-signs.ts': {
    functions: ['escapeInBraces', 'hexDigit'],
    why: 'read one escape of a bounded length',
  },
  'extract/value/convert.ts': { functions: ['convertJsonParts'], why: IN_TURNS },
  'extract/page/script-values.ts': {
    functions: ['copyParts', 'scalarOf'],
    why: 'copies JSON of a script, which is measured when it is parsed',
  },
  'extract/value/wide-names.ts': {
    functions: ['inOrder'],
    why: 'puts a thousand numbers or more into order, as larger inputs have them',
  },
  'extract/select/nested-texts.ts': {
    functions: ['textParts', 'normalizeSpaceParts', 'wordSlices'],
    why: IN_TURNS,
  },
  'extract/source/refine.ts': { functions: ['eachParts', 'collectParts'], why: IN_TURNS },
  'extract/tree/text-content.ts': { functions: ['rawParts'], why: IN_TURNS },
  'extract/value/json-path-compare.ts': {
    functions: ['compareParts', 'equalParts'],
    why: IN_TURNS,
  },
  'extract/value/json-path.ts': { functions: ['isHigh'], why: IN_TURNS },
  'extract/xpath/checked-xpath.ts': { functions: ['nothing', 'matchParts'], why: IN_TURNS },
  'extract/xpath/evaluate-in-parts.ts': { functions: ['evaluateParts'], why: IN_TURNS },
  'extract/xpath/xpath-compare.ts': {
    functions: ['compareParts', 'isNodes', 'listParts', 'numberParts', 'sideParts'],
    why: IN_TURNS,
  },
  'extract/xpath/xpath-forms.ts': {
    functions: ['isShort', 'isQuickSide', 'isShortStep'],
    why: IN_TURNS,
  },
  'extract/xpath/xpath-functions.ts': {
    functions: ['callParts', 'callOnNodes', 'paidAhead', 'translatedParts'],
    why: IN_TURNS,
  },
  'extract/xpath/xpath-nodes.ts': {
    functions: ['stringParts', 'eachAfter', 'eachBefore'],
    why: IN_TURNS,
  },
  'extract/xpath/xpath-order.ts': { functions: ['sorted', 'merge'], why: IN_TURNS },
  'extract/format/beside.ts': {
    functions: ['isIcon'],
    why: 'looks at a few nodes of a heading',
  },
  'extract/format/metadata-author.ts': {
    functions: ['isNamedIn', 'isLoginOf'],
    why: 'read a part of one address, and one name',
  },
  'extract/format/author-signs.ts': {
    functions: ['textAfter', 'textIn', 'firstLine'],
    why: 'read the start of six nodes beside one word, and of 50 nodes of one line',
  },
  'extract/format/metadata.ts': {
    functions: ['isBesideTitle'],
    why: 'compares the places of three elements',
  },
  'extract/auto/shared-cells.ts': {
    functions: ['sharesCell', 'cellOf'],
    why: 'goes up from a few elements of 12 rows, at most 500 levels each',
  },
  'extract/document/prepare-page.ts': { functions: ['readablePage', 'withDocument'], why: WAITS },
  'extract/page/page-budget.ts': { functions: ['overrunText', 'cutText'], why: MESSAGE },
  'extract/select/attribute-matcher.ts': {
    functions: ['ownAttribute'],
    why: 'reads one property, of the form elements that `:checked` and its like ask for',
  },
  'extract/select/compound-matcher.ts': { functions: ['prefixMatcher'], why: RECIPE },
  'extract/source-trace.ts': { functions: ['matchedSource', 'chosenRuns'], why: MESSAGE },
  'extract/source/value-source.ts': { functions: ['compileText'], why: RECIPE },
  'extract/value/date-format.ts': { functions: ['orderOf'], why: RECIPE },
  'extract/value/linear-regex.ts': { functions: ['reason'], why: MESSAGE },
  'extract/value/number-signs.ts': { functions: ['decimalOfGroups', 'areClear'], why: SHORT_TEXTS },
  'extract/value/parse-number.ts': { functions: ['multiplied'], why: MESSAGE },
  'pdf/operator-count.ts': { functions: ['numbersIn'], why: DOCUMENT },
  'pdf/read-pdf.ts': { functions: ['failureOf'], why: DOCUMENT },
  'extract/page/in-turns.ts': { functions: ['inTurns'], why: WAITS },
  'extract/tree/serialise.ts': { functions: ['innerHtml'], why: IN_TURNS },
  'plan/auto-extract.ts': { functions: ['withoutFollow', 'detectsRows'], why: RECIPE },
  'plan/compile-follow.ts': { functions: ['unknownLabel'], why: RECIPE },
  'plan/compile-model.ts': { functions: ['modelFields', 'modelSource'], why: RECIPE },
  'plan/compile-render.ts': { functions: ['compileAction'], why: RECIPE },
  'plan/compile-scope.ts': { functions: ['bytesOfGlobs'], why: RECIPE },
  'plan/compile.ts': { functions: ['originsFor'], why: RECIPE },
  'plan/compiled-recipes.ts': { functions: ['readStored', 'compileOnce', 'lately'], why: RECIPE },
  'plan/plan.ts': { functions: ['mostWork'], why: RECIPE },
  'plan/source-frame.ts': { functions: ['attributeOfPath', 'isDefault'], why: RECIPE },
  'plan/source-name.ts': { functions: ['sourceTexts', 'sourceText'], why: RECIPE },
  'site/politeness.ts': {
    functions: ['slowDown', 'decayed', 'forgetIdle'],
    why: WAITS,
  },
  'site/robots.ts': {
    functions: ['createRobots', 'wait', 'fetchRules', 'requestRules', 'unreachable'],
    why: WAITS,
  },
  'site/sitemap.ts': {
    functions: ['readSitemap', 'unlessEnough', 'unseen', 'read', 'sitemapText', 'decoderFor'],
    why: WAITS,
  },
}
