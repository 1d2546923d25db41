/** What the HTML Standard's tree construction has to know of an element, as bits. */
export const VOID = 1
/** Reopened after a misplaced end tag ("formatting"). */
export const FORMATTING = 2
/** Stops the search of an end tag for its start tag ("special"). */
export const SPECIAL = 4
/** Its start tag ends an open paragraph. */
export const ENDS_P = 8
/** Belongs into the head as long as no other content has come. */
export const HEAD = 16
/** Its end tag may be left out ("implied end tags"). */
export const IMPLIED = 32
/** Formatting does not reach out of it ("marker"). */
export const MARKER = 64
/** Means something only inside a table. */
export const TABLE_PART = 128
/** What lies outside cannot be closed from inside ("scope"). */
export const BOUNDARY = 256
/** Directly in it, only parts of a table may stand. */
export const TABLE_CONTEXT = 512
/** Cannot stand in SVG or MathML. */
export const BREAKOUT = 1024
/** Its content is HTML again although it stands in SVG or MathML. */
export const INTEGRATION = 2048

const groups: readonly (readonly [number, string])[] = [
  [
    VOID,
    'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr',
  ],
  [FORMATTING, 'a b big code em font i nobr s small strike strong tt u'],
  [
    SPECIAL,
    'address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ol p param plaintext pre script search section select source style summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp',
  ],
  [
    ENDS_P,
    'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup main menu nav ol p search section summary ul h1 h2 h3 h4 h5 h6 pre listing form li dd dt hr xmp',
  ],
  [HEAD, 'base basefont bgsound link meta noframes noscript script style template title'],
  [IMPLIED, 'dd dt li optgroup option p rb rp rt rtc'],
  [MARKER, 'applet caption marquee object template td th'],
  [TABLE_PART, 'caption col colgroup tbody td tfoot th thead tr'],
  [BOUNDARY, 'applet caption html table td th marquee object template'],
  [TABLE_CONTEXT, 'table tbody thead tfoot tr colgroup'],
  [
    BREAKOUT,
    'b big blockquote body br center code dd div dl dt em embed font h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
  ],
  [INTEGRATION, 'mi mo mn ms mtext annotation-xml foreignobject desc title'],
]

/** An element's name, the same string for every element of that name, and its bits. */
export interface Traits {
  readonly name: string
  readonly bits: number
}

const known = new Map<string, Traits>()
for (const [bit, names] of groups)
  for (const name of names.split(' '))
    known.set(name, { name, bits: (known.get(name)?.bits ?? 0) | bit })
for (const name of 'span label cite abbr time picture figure video audio canvas svg math path g use html ruby'.split(
  ' ',
))
  if (!known.has(name)) known.set(name, { name, bits: 0 })

/** Looks an element's traits up. */
export function traitsOf(name: string): Traits {
  return known.get(name) ?? { name, bits: 0 }
}
