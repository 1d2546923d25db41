/** Properties of an element that the HTML Standard's tree construction needs, as bits. */
export const VOID = 1
/** Reopened after a misplaced end tag ("formatting"). */
export const FORMATTING = 2
/** Stops the search from an end tag for its start tag ("special"). */
export const SPECIAL = 4
/** Its start tag ends an open paragraph. */
export const ENDS_P = 8
/** The element belongs in the head until other content has come. */
export const HEAD = 16
/** The end tag may be omitted ("implied end tags"). */
export const IMPLIED = 32
/** Formatting does not extend out of it ("marker"). */
export const MARKER = 64
/** Valid only inside a table. */
export const TABLE_PART = 128
/** Elements outside it cannot be closed from inside ("scope"). */
export const BOUNDARY = 256
/** Only parts of a table may be its direct children. */
export const TABLE_CONTEXT = 512
/** Not allowed in SVG or MathML. */
export const BREAKOUT = 1024
/** An element of SVG or MathML. The rules of HTML that name an element are not about it. */
export const FOREIGN = 2048
/** Its content is HTML again, although it is in SVG or MathML. */
export const INTEGRATION = 4096
/** An element of MathML. */
export const MATH = 8192
/** A heading of a level. */
export const HEADING = 16384
/** Stops the search from an item of a list for the one before. */
export const ITEM_END = 32768

const groups: readonly (readonly [number, string])[] = [
  [
    VOID,
    'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr',
  ],
  [FORMATTING, 'a b big code em font i nobr s small strike strong tt u'],
  [
    SPECIAL,
    'address applet area article aside base basefont bgsound blockquote body br button ' +
      'caption center col colgroup dd details dir div dl dt embed fieldset figcaption figure ' +
      'footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img ' +
      'input keygen li link listing main marquee menu meta nav noembed noframes noscript ' +
      'object ol p param plaintext pre script search section select source style summary ' +
      'table tbody td template textarea tfoot th thead title tr track ul wbr xmp',
  ],
  [
    ENDS_P,
    'address article aside blockquote center details dialog dir div dl fieldset figcaption ' +
      'figure footer header hgroup main menu nav ol p search section summary ul h1 h2 h3 h4 ' +
      'h5 h6 pre listing plaintext form li dd dt hr xmp',
  ],
  [HEAD, 'base basefont bgsound link meta noframes noscript script style template title'],
  [IMPLIED, 'dd dt li optgroup option p rb rp rt rtc'],
  [MARKER, 'applet caption marquee object template td th'],
  [TABLE_PART, 'caption col colgroup tbody td tfoot th thead tr'],
  [BOUNDARY, 'applet caption html table td th marquee object select template'],
  [TABLE_CONTEXT, 'table tbody thead tfoot tr colgroup'],
  [HEADING, 'h1 h2 h3 h4 h5 h6'],
  [
    BREAKOUT,
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 ' +
      'head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub ' +
      'sup table tt u ul var',
  ],
]

/** An element's name and its bits. All elements of a name share one string. */
export interface Traits {
  readonly name: string
  readonly bits: number
}

const traitsByName = new Map<string, Traits>()
for (const [bit, names] of groups)
  for (const name of names.split(' '))
    traitsByName.set(name, { name, bits: (traitsByName.get(name)?.bits ?? 0) | bit })
for (const name of 'span label cite abbr time picture figure video audio canvas svg math path g use html ruby'.split(
  ' ',
))
  if (!traitsByName.has(name)) traitsByName.set(name, { name, bits: 0 })

for (const [name, { bits }] of traitsByName)
  if (bits & SPECIAL && name !== 'address' && name !== 'div' && name !== 'p')
    traitsByName.set(name, { name, bits: bits | ITEM_END })

/** Returns the traits of an element name. */
export function traitsOf(name: string): Traits {
  return traitsByName.get(name) ?? { name, bits: 0 }
}
