/** The recipe is read, whose size is bounded when it is taken (`recipe-size.test.ts`). */
const RECIPE = 'reads the recipe'
/** A library makes what is read, on a thread with a deadline; what is done with it is measured. */
const DOCUMENT = 'needs a document'
/** Requests and turns are waited for; what reads their answers is measured. */
const WAITS = 'waits'
/** Numbers and names of bounded length become a message or a code. */
const MESSAGE = 'makes a message'
/** Nobody has judged it: a family that leads to it is missing. */
const NO_FAMILY = 'no family leads to it'

/** Functions of the engine that no subject calls with any family, by file, and why not. */
export const NOT_MEASURED: Readonly<
  Record<string, { readonly functions: readonly string[]; readonly why: string }>
> = {
  'extract/auto/item-fields.ts': { functions: ['sourcesOf'], why: NO_FAMILY },
  'extract/auto/item-parts.ts': {
    functions: ['sharesText', 'hasTitleLink', 'areTeasers'],
    why: NO_FAMILY,
  },
  'extract/auto/item-roles.ts': { functions: ['imageField'], why: NO_FAMILY },
  'extract/auto.ts': {
    functions: ['isMadeOf', 'isOfPostsIn', 'isCalendar', 'isOfGoods'],
    why: NO_FAMILY,
  },
  'extract/value/convert.ts': { functions: ['formatElsewhere'], why: NO_FAMILY },
  'extract/value/guess-language.ts': { functions: ['guessLanguage'], why: NO_FAMILY },
  'extract/auto/data-table.ts': {
    functions: ['writtenFields', 'documentTable', 'lengthOf'],
    why: NO_FAMILY,
  },
  'extract/auto/next-link.ts': {
    functions: ['pathOf', 'currentIn', 'selectorOf', 'isAlone'],
    why: NO_FAMILY,
  },
  'extract/auto/next-rule.ts': { functions: ['isAddress', 'paramOf'], why: NO_FAMILY },
  'extract/auto/repeated-items.ts': { functions: ['areIn', 'bestList'], why: NO_FAMILY },
  'extract/document/prepare-page.ts': { functions: ['readablePage'], why: WAITS },
  'extract/format/article-asides.ts': {
    functions: ['leaveOutAsides', 'isGallery', 'isTeaserList', 'isTeaser'],
    why: NO_FAMILY,
  },
  'extract/format/comments.ts': { functions: ['isBelow', 'textAt'], why: NO_FAMILY },
  'extract/format/format-page.ts': { functions: ['documentFacts', 'plainText'], why: NO_FAMILY },
  'extract/format/markdown-inline.ts': { functions: ['codeSpan'], why: NO_FAMILY },
  'extract/format/markdown.ts': { functions: ['holdsBlock', 'isWholeHeading'], why: NO_FAMILY },
  'extract/format/metadata-author.ts': {
    functions: ['nameIn', 'namedById', 'textAt'],
    why: NO_FAMILY,
  },
  'extract/format/metadata-title.ts': { functions: ['sharesWord'], why: NO_FAMILY },
  'extract/format/metadata.ts': { functions: ['rel'], why: NO_FAMILY },
  'extract/media.ts': {
    functions: ['pictureAddress', 'childrenOf', 'mediaOfJson'],
    why: NO_FAMILY,
  },
  'extract/page/charset-label.ts': { functions: ['closingQuote'], why: NO_FAMILY },
  'extract/page/charset.ts': { functions: ['decoderOf'], why: NO_FAMILY },
  'extract/page/microformats.ts': { functions: ['plainItem'], why: NO_FAMILY },
  'extract/page/page-budget.ts': { functions: ['overrunText', 'cutText'], why: MESSAGE },
  'extract/page/page-content.ts': {
    functions: ['factsOf', 'factsOfFailed', 'entryFacts', 'documentFacts'],
    why: NO_FAMILY,
  },
  'extract/page/parse-json.ts': { functions: ['mended'], why: NO_FAMILY },
  'extract/page/rdfa.ts': { functions: ['timeType'], why: NO_FAMILY },
  'extract/product/product-code.ts': { functions: ['isRepeated'], why: NO_FAMILY },
  'extract/product/product-data.ts': { functions: ['valuesAt'], why: NO_FAMILY },
  'extract/product/product-seen.ts': { functions: ['isControl'], why: NO_FAMILY },
  'extract/product/product-terms.ts': { functions: ['priceOfText', 'stockIn'], why: NO_FAMILY },
  'extract/product/read-product.ts': { functions: ['brandName', 'numberIn'], why: NO_FAMILY },
  'extract/select/attribute-matcher.ts': { functions: ['ownAttribute'], why: NO_FAMILY },
  'extract/select/compound-matcher.ts': { functions: ['prefixMatcher', 'isEmpty'], why: RECIPE },
  'extract/source-trace.ts': {
    functions: ['matchedSource', 'withCodes', 'chosenRuns'],
    why: MESSAGE,
  },
  'extract/source/element-source.ts': { functions: ['timeIn', 'compileReadJson'], why: NO_FAMILY },
  'extract/source/microdata-source.ts': {
    functions: ['microformatsOf', 'firstFrom'],
    why: NO_FAMILY,
  },
  'extract/source/refine.ts': { functions: ['textOfJson'], why: NO_FAMILY },
  'extract/source/transform.ts': { functions: ['joined'], why: NO_FAMILY },
  'extract/source/value-source.ts': { functions: ['compileText'], why: RECIPE },
  'extract/tree/html-end-tags.ts': { functions: ['closeForm', 'closeInSelect'], why: NO_FAMILY },
  'extract/value/calendar-date.ts': { functions: ['century'], why: NO_FAMILY },
  'extract/value/clock-time.ts': { functions: ['dotsAfter', 'written'], why: NO_FAMILY },
  'extract/value/date-format.ts': { functions: ['orderOf'], why: RECIPE },
  'extract/value/json-path-compare.ts': { functions: ['precedes', 'rank'], why: NO_FAMILY },
  'extract/value/json-path-literals.ts': { functions: ['codeAt'], why: NO_FAMILY },
  'extract/value/linear-regex.ts': { functions: ['reason'], why: NO_FAMILY },
  'extract/value/number-format.ts': { functions: ['separatorsOf', 'readSeparators'], why: RECIPE },
  'extract/value/parse-date.ts': { functions: ['writeCompact'], why: NO_FAMILY },
  'extract/value/parse-number.ts': {
    functions: ['isAmount', 'ofOneSeparator', 'roleOf'],
    why: NO_FAMILY,
  },
  'extract/value/read-element.ts': {
    functions: ['readEmbedded', 'decodeBase64', 'feedHtmlBody'],
    why: NO_FAMILY,
  },
  'extract/value/relative-date.ts': { functions: ['isUsed'], why: NO_FAMILY },
  'extract/xpath/xpath-functions.ts': { functions: ['namespaceOf'], why: NO_FAMILY },
  'extract/xpath/xpath-nodes.ts': { functions: ['deepestLast'], why: NO_FAMILY },
  'media/data-url.ts': { functions: ['withoutData'], why: NO_FAMILY },
  'media/link-media.ts': {
    functions: ['mediaTargets', 'linkMedia', 'keyOf', 'linked', 'targetOf', 'mediaId', 'digestOf'],
    why: NO_FAMILY,
  },
  'media/map-media.ts': {
    functions: ['mapMedia', 'mapMember', 'mapValue', 'isMedia'],
    why: NO_FAMILY,
  },
  'media/sniff.ts': { functions: ['readWebp'], why: NO_FAMILY },
  'model/model-reader.ts': {
    functions: ['createModelReader', 'lossesOf', 'givenBy', 'aborted'],
    why: RECIPE,
  },
  'model/open-model.ts': { functions: ['openModel'], why: RECIPE },
  'model/question.ts': {
    functions: [
      'instructionsOf',
      'rowsText',
      'answerSchema',
      'propertiesOf',
      'valueSchema',
      'descriptionOf',
      'closed',
    ],
    why: RECIPE,
  },
  'model/read-answer.ts': { functions: ['readEach'], why: RECIPE },
  'pdf/page-rules.ts': {
    functions: ['rulesOf', 'pushWithin', 'memberOf', 'strokePath', 'fillPath', 'placed'],
    why: DOCUMENT,
  },
  'pdf/page-words.ts': { functions: ['multiply', 'matrixOf', 'wordOf', 'nearby'], why: DOCUMENT },
  'pdf/read-pdf.ts': {
    functions: ['readPdf', 'open', 'cellCount', 'joined', 'runOf', 'textOf', 'failureOf'],
    why: DOCUMENT,
  },
  'pdf/tables-of-page.ts': { functions: ['looksTabular', 'continues'], why: DOCUMENT },
  'plan/auto-extract.ts': {
    functions: ['detectRecipe', 'detectRecipeIn', 'detectingPlan', 'foundItems', 'withoutFollow'],
    why: RECIPE,
  },
  'plan/compile-extract.ts': { functions: ['modelRows'], why: RECIPE },
  'plan/compile-follow.ts': {
    functions: ['followAll', 'unknownLabel', 'xpathLinks', 'jsonLinks', 'withParam'],
    why: RECIPE,
  },
  'plan/compile-items.ts': { functions: ['xpathItems'], why: RECIPE },
  'plan/compile-model.ts': { functions: ['asksModel', 'modelFields', 'modelSource'], why: RECIPE },
  'plan/compile-render.ts': { functions: ['compileAction'], why: RECIPE },
  'plan/compile-scope.ts': {
    functions: ['setOf', 'onceOf', 'outermost', 'beginsWithOne', 'hostOf'],
    why: RECIPE,
  },
  'plan/compile.ts': { functions: ['originsFor'], why: RECIPE },
  'plan/explain-source.ts': { functions: ['pick'], why: RECIPE },
  'plan/plan.ts': { functions: ['mostWork'], why: RECIPE },
  'plan/prepare-recipe.ts': { functions: ['loadPublicSuffixes', 'domainOf'], why: RECIPE },
  'plan/relocate.ts': { functions: ['onPage', 'inData', 'plainText', 'pathsTo'], why: NO_FAMILY },
  'plan/source-frame.ts': { functions: ['attributeOfPath', 'isDefault'], why: RECIPE },
  'plan/source-name.ts': { functions: ['sourceTexts', 'sourceText'], why: RECIPE },
  'point/view.ts': { functions: ['withoutAddresses'], why: NO_FAMILY },
  'site/politeness.ts': {
    functions: ['createPoliteness', 'slowDown', 'decayed', 'forgetIdle'],
    why: WAITS,
  },
  'site/robots-rules.ts': { functions: ['productToken'], why: WAITS },
  'site/robots.ts': { functions: ['createRobots', 'wait', 'fetchRules'], why: WAITS },
  'site/sitemap.ts': {
    functions: ['readSitemap', 'unlessEnough', 'unseen', 'read', 'sitemapText', 'decoderFor'],
    why: WAITS,
  },
}
