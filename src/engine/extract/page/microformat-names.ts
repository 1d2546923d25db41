/** The kinds of properties: text, URL, date, and content with its markup. */
export type PropertyKind = 'p' | 'u' | 'dt' | 'e'

/**
 * A property that a class names. Also the type of an item in it, if the item has no class with a
 * type.
 */
export interface PropertyName {
  readonly kind: PropertyKind
  readonly name: string
}

const ROOT = /^h(?:-[a-z\d]+)?(?:-[a-z]+)+$/
const PROPERTY = /^(p|u|dt|e)-((?:[a-z\d]+-)?[a-z]+(?:-[a-z]+)*)$/

/**
 * Maximum number of letters of a class that is checked, because the patterns above are too slow for
 * a word of megabytes.
 */
const LONGEST_NAME = 100

/** Classes of style sheets for heights and headings, which look like types. */
const STYLES = new Set(
  (
    'h-full h-screen h-auto h-min h-max h-fit h-px h-svh h-lvh h-dvh h-lh h-inherit h-none h-xs ' +
    'h-sm h-md h-lg h-xl h-stack h-center h-left h-right'
  ).split(' '),
)

/** The types that classes name: `h-entry`. */
export function rootsIn(classes: readonly string[]): string[] {
  const types = classes.filter(
    (name) => name.length <= LONGEST_NAME && ROOT.test(name) && !STYLES.has(name),
  )
  return types.length === 0 ? [] : [...new Set(types)].toSorted()
}

/** The properties that classes name: `p-name`. */
export function propertiesIn(classes: readonly string[]): PropertyName[] {
  return classes.flatMap((className) => {
    const [, kind, name] = (className.length <= LONGEST_NAME && PROPERTY.exec(className)) || []
    return name !== undefined && (kind === 'p' || kind === 'u' || kind === 'dt' || kind === 'e')
      ? [{ kind, name }]
      : []
  })
}

/** A type of classic microformats: its name today, and its properties by their class. */
export interface Classic {
  readonly type: string
  readonly properties: ReadonlyMap<string, PropertyName>
  /** Properties that a `rel` of a link names. */
  readonly rels: ReadonlyMap<string, PropertyName>
  /** The types of items in a property that have no class of their own. */
  readonly inner: ReadonlyMap<string, string>
}

/**
 * Reads `fn:p-name category`: classic class names, each with its current name after the colon.
 * Without a colon, the current name is the class with `p-` before it.
 */
function classic(
  type: string,
  properties: string,
  { rels = '', inner = '' }: { rels?: string; inner?: string } = {},
): Classic {
  return {
    type,
    properties: namesOf(properties),
    rels: namesOf(rels),
    inner: new Map(pairs(inner).map(([name, root = '']) => [name, root])),
  }
}

function pairs(words: string): (readonly [name: string, value?: string])[] {
  return words
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      const [name = '', value] = word.split(':')
      return value === undefined ? [name] : [name, value]
    })
}

function namesOf(words: string): ReadonlyMap<string, PropertyName> {
  return new Map(
    pairs(words).flatMap(([name, value = `p-${name}`]) =>
      propertiesIn([value]).map((property) => [name, property] as const),
    ),
  )
}

const EVENT =
  'summary:p-name dtstart:dt-start dtend:dt-end duration:dt-duration description url:u-url ' +
  'category location geo attendee contact organizer uid:u-uid'
const REVIEW =
  'summary:p-name rating best worst average count votes url:u-url photo:u-photo fn:p-name'

/** Classic microformats by their class (microformats.org, "backward compatibility"). */
export const CLASSIC: ReadonlyMap<string, Classic> = new Map([
  [
    'adr',
    classic(
      'h-adr',
      'post-office-box extended-address street-address locality region postal-code country-name',
    ),
  ],
  ['geo', classic('h-geo', 'latitude longitude')],
  [
    'vcard',
    classic(
      'h-card',
      'fn:p-name url:u-url honorific-prefix given-name additional-name family-name ' +
        'honorific-suffix nickname email:u-email logo:u-logo photo:u-photo uid:u-uid category ' +
        'adr extended-address street-address locality region postal-code country-name label geo ' +
        'latitude longitude tel note bday:dt-bday key:u-key org organization-name ' +
        'organization-unit title:p-job-title role tz rev:dt-rev sound:u-sound sort-string sex ' +
        'mailer agent class',
    ),
  ],
  [
    'hentry',
    classic(
      'h-entry',
      'entry-title:p-name entry-summary:p-summary entry-content:e-content published:dt-published ' +
        'updated:dt-updated author category geo latitude longitude',
      { rels: 'bookmark:u-url tag:p-category' },
    ),
  ],
  [
    'hfeed',
    classic('h-feed', 'category site-title:p-name site-description:p-summary', {
      rels: 'tag:p-category',
    }),
  ],
  ['vevent', classic('h-event', EVENT)],
  [
    'hproduct',
    classic(
      'h-product',
      'fn:p-name photo:u-photo brand category description identifier:u-identifier url:u-url review price',
    ),
  ],
  [
    'hrecipe',
    classic(
      'h-recipe',
      'fn:p-name ingredient yield instructions:e-instructions duration:dt-duration photo:u-photo ' +
        'summary author published:dt-published nutrition category',
      { rels: 'tag:p-category' },
    ),
  ],
  [
    'hresume',
    classic('h-resume', 'contact summary education experience skill affiliation', {
      inner: 'education:h-event experience:h-event',
    }),
  ],
  [
    'hreview',
    classic(
      'h-review',
      'summary:p-name item reviewer dtreviewed:dt-reviewed rating best worst description:e-description',
      { rels: 'tag:p-category bookmark:u-url', inner: 'item:h-item' },
    ),
  ],
  [
    'hreview-aggregate',
    classic('h-review-aggregate', `${REVIEW} item`, {
      rels: 'tag:p-category',
      inner: 'item:h-item',
    }),
  ],
  [
    'hnews',
    classic('h-news', 'entry geo latitude longitude source-org dateline', {
      rels: 'principles:u-principles',
    }),
  ],
])

/** The properties of an item that has no class of its own. */
export const CLASSIC_ITEM = classic('h-item', 'fn:p-name url:u-url photo:u-photo')
