import { PAGE_FACTS, PRODUCT_PARTS } from './source-parts.ts'
import * as v from 'valibot'
import { documented, wholeNumber } from '../../kernel/schema.ts'
import { isJson } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import { isReservedName } from '../../kernel/names.ts'
import type { Field, Fields, FieldSource, Transform, ValueReading } from './recipe-input.ts'

const textUpTo = (max: number) => v.pipe(v.string(), v.maxLength(max))
const position = wholeNumber(-1_000_000, 1_000_000)
const scalar = v.union([textUpTo(1_000), v.pipe(v.number(), v.finite()), v.boolean()])
const say = v.description

/** Patterns have RE2's syntax: that of JavaScript without lookaround and backreferences. */
const patternSchema = v.pipe(v.string(), v.minLength(1), v.maxLength(500))

const WORDS = ['trim', 'collapse', 'lower', 'upper', 'name'] as const
const word = v.pipe(
  v.picklist(WORDS),
  say(
    '`trim`; `collapse` makes every run of white space one space; `lower`; `upper`; `name`: that in ' +
      '`Ida <ida@a.example>` or `ida@a.example (Ida)`.',
  ),
)

const replacements = v.union([
  v.pipe(
    v.strictTuple([v.pipe(textUpTo(500), v.minLength(1)), textUpTo(500)]),
    say('`[text, with]`: every occurrence of a text.'),
  ),
  v.pipe(
    v.strictObject({
      regex: v.pipe(patternSchema, say('Pattern, in the syntax of RE2.')),
      with: v.pipe(textUpTo(500), say('The replacement of each match.')),
    }),
    say('Every match of a pattern; `$1` in `with` is its first group.'),
    documented({ component: 'PatternReplacement' }),
  ),
])
const replacement = v.pipe(
  replacements,
  say('A replacement of a text, or of the matches of a pattern.'),
)

const step = v.pipe(
  v.strictObject({
    replace: v.exactOptional(
      v.pipe(
        v.lazy((input) =>
          Array.isArray(input) ? replacements.options[0] : replacements.options[1],
        ),
        documented({ component: 'Replacement', as: replacement }),
      ),
    ),
    split: v.exactOptional(
      v.pipe(
        textUpTo(100),
        v.minLength(1),
        say('Splits the text into a list. Parts are trimmed; empty ones are dropped.'),
      ),
    ),
    join: v.exactOptional(v.pipe(textUpTo(100), say('Joins a list into one text.'))),
    item: v.exactOptional(
      v.pipe(position, say('One item of a list, counted from 0; -1 is the last.')),
    ),
    slice: v.exactOptional(
      v.pipe(
        v.union([v.strictTuple([position]), v.strictTuple([position, position])]),
        say(
          'Characters from one position up to another, counted from 0; negative positions count ' +
            'from the end.',
        ),
      ),
    ),
    prefix: v.exactOptional(v.pipe(textUpTo(500), say('Put before the text.'))),
    suffix: v.exactOptional(v.pipe(textUpTo(500), say('Put after the text.'))),
    map: v.exactOptional(
      v.pipe(
        v.record(textUpTo(200), scalar),
        v.minEntries(1),
        v.maxEntries(500),
        say('Maps texts to values. Any other text stays as it is.'),
      ),
    ),
    default: v.exactOptional(
      v.pipe(
        scalar,
        say(
          'The value if the source found no value. An item with nothing but defaults does not become a row.',
        ),
      ),
    ),
  }),
  v.check(
    (checked) => Object.keys(checked).length === 1,
    'must have exactly one of replace, split, join, item, slice, prefix, suffix, map, default',
  ),
  say('One step with an argument; exactly one key.'),
  documented({ component: 'TransformStep' }),
)

// The step is checked by hand and not as a union, so that an error names the wrong member.
const transform: v.GenericSchema<Transform> = v.pipe(
  v.lazy((input) => (typeof input === 'string' ? word : step)),
  documented({
    component: 'Transform',
    as: v.pipe(v.union([word, step]), say('One step that changes the text.')),
  }),
)

/** Steps that change a text, in order. */
const transformsSchema = v.pipe(
  v.array(transform),
  v.minLength(1),
  v.maxLength(20),
  say('Steps that change the text, in order, before it is converted to the type.'),
)

/**
 * Types of values. `text` is the default; `url` becomes absolute; `date` becomes ISO 8601; `html`
 * and `markdown` are of the matched element; `media` are the bytes that the element shows or links
 * to.
 */
export const VALUE_TYPES = [
  'text',
  'html',
  'markdown',
  'number',
  'integer',
  'boolean',
  'date',
  'url',
  'media',
  'json',
] as const

/** One of {@link VALUE_TYPES}. */
export type ValueType = (typeof VALUE_TYPES)[number]

const valueType = v.picklist(VALUE_TYPES)
const numberFormat = v.strictObject({
  decimal: v.pipe(
    v.picklist(['.', ',']),
    say('The sign before the fraction. All other separators group digits.'),
  ),
})
const valueFormat = v.pipe(
  v.strictObject({
    number: v.exactOptional(v.pipe(numberFormat, say('With `,`, 1.299 is 1299, and 1,5 is 1.5.'))),
    integer: v.exactOptional(v.pipe(numberFormat, say('As `number`, without the fraction.'))),
    date: v.exactOptional(
      v.pipe(
        v.strictObject({
          order: v.pipe(
            v.picklist(['dmy', 'mdy', 'ymd']),
            say('The order of day, month and year in numbers: `dmy`, `mdy` or `ymd`.'),
          ),
        }),
        say('`{ "order": "dmy" }`: 01/02/2026 is 1 February.'),
      ),
    ),
  }),
  v.check(
    (format) => Object.keys(format).length === 1,
    'must have exactly one of number, integer, date',
  ),
  say('A type with the way in which the page writes it; exactly one key.'),
  documented({ component: 'ValueFormat' }),
)

// The format is checked by hand and not as a union, so that an error names the wrong member.
const valueReading: v.GenericSchema<ValueReading> = v.pipe(
  v.lazy((input) => (typeof input === 'object' ? valueFormat : valueType)),
  documented({
    component: 'ValueReading',
    as: v.pipe(
      v.union([v.picklist(VALUE_TYPES), valueFormat]),
      say(
        'Type of the value, with its format if needed; default `text`. Without a format, the ' +
          'separators of numbers come from other numbers of the column, from the language of ' +
          'the page or from the rest of the page, and names of months from its language. A ' +
          'number or date that ' +
          'can still be read in two ways is `null`, and the page report says so.',
      ),
    ),
  }),
)

/** The type of a {@link ValueReading}. */
export function typeOfReading(as: ValueReading): ValueType {
  if (typeof as === 'string') return as
  return as.date ? 'date' : as.integer ? 'integer' : 'number'
}

const KINDS = [
  'css',
  'xpath',
  'cell',
  'json',
  'jsonld',
  'state',
  'meta',
  'microdata',
  'product',
  'const',
  'url',
  'page',
  'carried',
  'model',
] as const
const FIELDED = ['css', 'xpath', 'cell', 'json', 'jsonld', 'state', 'microdata', 'model'] as const
const NOT_FIELDED = ['as', 'regex', 'transform'] as const
const NOT_MODEL = ['regex', 'group', 'transform'] as const
/** A CSS selector or an XPath as a recipe writes it. Its errors are found when it is compiled. */
export const selector = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(1_000))
const jsonPath = v.pipe(
  v.string(),
  v.startsWith('$', 'must be a JSONPath that starts with $'),
  v.maxLength(500),
)
const column = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(128),
  v.check((name) => !isReservedName(name), 'is not allowed as a column name'),
)

// The constant is checked by hand, because a recursive schema costs a thousand times as much for a
// large one.
const json: v.GenericSchema<Json> = v.pipe(
  v.custom<Json>(isJson, 'must be JSON'),
  documented({ json: { description: 'Any JSON: the same value in every row.' } }),
)

const source: v.GenericSchema<FieldSource> = v.pipe(
  v.strictObject({
    css: v.exactOptional(v.pipe(selector, say("CSS selector, below the row's item or the page."))),
    attr: v.exactOptional(
      v.pipe(
        v.string(),
        v.regex(/^[^\s"'<>/=]{1,100}$/, 'is not an attribute name'),
        say('The attribute instead of the text, as written unless `as` is `url`.'),
      ),
    ),
    fields: v.exactOptional(v.lazy(() => fieldsSchema)),
    xpath: v.exactOptional(
      v.pipe(
        v.string(),
        v.trim(),
        v.minLength(1),
        v.maxLength(4_000),
        say(
          "XPath 1.0: `.//a` below the row's item, `//a` from the page's root, or an expression that " +
            'has a value, such as `count(//li)`.',
        ),
      ),
    ),
    cell: v.exactOptional(
      v.pipe(
        v.union([
          v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)),
          wholeNumber(1, 200),
        ]),
        say(
          "Cell of the row's item, which is a row of a table: by the heading of its column, or " +
            'counted from 1. A cell that spans rows or columns is in each of them. The text has no ' +
            'hidden parts and no marks of footnotes; with `as: "url"` it is the first link.',
        ),
      ),
    ),
    json: v.exactOptional(
      v.pipe(
        jsonPath,
        say(
          'JSONPath such as `$.name` over a JSON, CSV, JSON Lines or PDF document, or over the ' +
            "row's item if `items` is a JSONPath. With `css` or `xpath`: over the JSON in that " +
            'element.',
        ),
      ),
    ),
    jsonld: v.exactOptional(
      v.pipe(jsonPath, say("JSONPath over the page's JSON-LD, such as `$..sku`.")),
    ),
    state: v.exactOptional(
      v.pipe(
        jsonPath,
        say(
          'JSONPath over the JSON that scripts left in the page: blocks of `application/json` such ' +
            'as `__NEXT_DATA__`, and assignments such as `window.__NUXT__ = {…}`. Example: `$..price`.',
        ),
      ),
    ),
    meta: v.exactOptional(
      v.pipe(
        v.string(),
        v.trim(),
        v.minLength(1),
        v.maxLength(200),
        say('`name`, `property` or `itemprop` of a meta element.'),
      ),
    ),
    microdata: v.exactOptional(
      v.pipe(
        v.string(),
        v.regex(
          /^[^\s.]+(?:\.[^\s.]+){0,9}$/,
          'must be names joined by dots, such as Product.offers.price',
        ),
        v.maxLength(500),
        say(
          'Path in the microdata, RDFa or microformats of the page or item: a type or property, ' +
            'then properties. Examples: `Product.offers.price`, `h-entry.name`.',
        ),
      ),
    ),
    product: v.exactOptional(
      v.pipe(
        v.picklist(PRODUCT_PARTS),
        say(
          'A part of the product that the page is about, from its JSON-LD, microdata, meta elements, ' +
            "scripts' state and what it shows. `availability` is a term of schema.org such as " +
            '`InStock`; `reasons` says where each part was found.',
        ),
      ),
    ),
    const: v.exactOptional(json),
    url: v.exactOptional(v.pipe(v.literal(true), say("The page's URL."))),
    page: v.exactOptional(
      v.pipe(
        v.picklist(PAGE_FACTS),
        say(
          'A fact about the visit: `url` as requested, `finalUrl` after redirects, HTTP ' +
            '`status`, `outcome` (`fetched`, `failed`, `blocked`), `error`, `contentType`, ' +
            '`bytes`, `label`, `depth`, `foundOn` (the page with the link).',
        ),
      ),
    ),
    carried: v.exactOptional(
      v.pipe(
        v.string(),
        v.minLength(1),
        v.maxLength(128),
        say('Name of a field in `carry` of a rule in `follow`: the carried value.'),
      ),
    ),
    model: v.exactOptional(
      v.pipe(
        v.string(),
        v.trim(),
        v.minLength(1),
        v.maxLength(2_000),
        say(
          'A question to a language model, such as `The price of the article, without ' +
            "shipping`. The model reads the page's main content, or the text of the row's item, " +
            'once a page for all its fields. In a list of sources it is asked only if the sources ' +
            'before it found nothing. `fields` below it are read by the model too. Needs a ' +
            'platform with a model.',
        ),
      ),
    ),
    regex: v.exactOptional(
      v.pipe(
        patternSchema,
        say(
          "Regular expression over the source's value; alone, over the text of the item or page. " +
            "RE2 syntax: JavaScript's without lookaround and backreferences. `(?i)` ignores case.",
        ),
      ),
    ),
    group: v.exactOptional(
      v.pipe(
        v.union([
          wholeNumber(0, 99),
          v.pipe(v.string(), v.regex(/^[A-Za-z_]\w{0,50}$/, 'is not a group name')),
        ]),
        say(
          'The group of `regex` that is the value, by number or name. Default: the first group, ' +
            'or the whole match if the pattern has no groups.',
        ),
      ),
    ),
    transform: v.exactOptional(transformsSchema),
    as: v.exactOptional(valueReading),
    many: v.exactOptional(v.pipe(v.boolean(), say('All matches, as a list.'))),
  }),
  v.check(
    (field) => hasOneSource(field),
    `must have exactly one of ${KINDS.join(', ')}, or regex alone; json may stand beside css or xpath`,
  ),
  v.check((field) => field.group === undefined || field.regex !== undefined, 'group needs regex'),
  v.check(
    (field) =>
      field.css !== undefined ||
      field.xpath !== undefined ||
      field.cell !== undefined ||
      field.attr === undefined,
    'attr needs css, xpath or cell',
  ),
  v.check(
    (field) => FIELDED.some((kind) => field[kind] !== undefined) || field.fields === undefined,
    `fields need one of ${FIELDED.join(', ')}`,
  ),
  v.check(
    (field) =>
      field.fields === undefined ||
      (NOT_FIELDED.every((kind) => field[kind] === undefined) &&
        (field.attr === undefined || field.json !== undefined)),
    `fields cannot be combined with ${NOT_FIELDED.join(', ')} or attr`,
  ),
  v.check(
    (field) => field.model === undefined || NOT_MODEL.every((kind) => field[kind] === undefined),
    `model cannot be combined with ${NOT_MODEL.join(', ')}`,
  ),
  say(
    'One way to find a value. It has exactly one of `css`, `xpath`, `cell`, `json`, `jsonld`, `state`, ' +
      '`meta`, `microdata`, `product`, `const`, `url`, `page`, `carried` and `model`, or `regex` alone.',
  ),
  documented({ component: 'FieldSource' }),
)

function hasOneSource({ regex, ...sources }: FieldSource): boolean {
  const kinds = KINDS.filter((kind) => sources[kind] !== undefined)
  if (kinds.length === 2)
    return sources.json !== undefined && (sources.css !== undefined || sources.xpath !== undefined)
  return kinds.length === 1 || (kinds.length === 0 && regex !== undefined)
}

const described = v.pipe(
  v.union([
    v.pipe(
      selector,
      say(
        'CSS selector; a JSONPath if it begins with `$`, an XPath if it begins with `/`, `./` or `(`.',
      ),
    ),
    source,
    v.pipe(v.array(v.union([selector, source])), v.minLength(1), v.maxLength(20)),
  ]),
  say(
    'A CSS selector, a JSONPath, an XPath, a source, or a list of these tried in order until one gives a value.',
  ),
)

// Checked by hand and not as a union, so that a wrong field is reported where it is wrong
// ("fields.price.css") and not as "no variant matched".
const field: v.GenericSchema<Field> = v.pipe(
  v.lazy((input) =>
    typeof input === 'string'
      ? selector
      : Array.isArray(input)
        ? v.pipe(
            v.array(v.lazy((part) => (typeof part === 'string' ? selector : source))),
            v.minLength(1),
            v.maxLength(20),
          )
        : source,
  ),
  documented({ component: 'Field', as: described }),
)

/** Validates {@link Fields}: 1–200 columns. */
export const fieldsSchema: v.GenericSchema<Fields> = v.pipe(
  v.record(column, field),
  v.minEntries(1),
  v.maxEntries(200),
  say('Column name to field, in column order.'),
  documented({ component: 'Fields' }),
)

/** True for a text that is an XPath where CSS is possible too. No CSS selector begins like this. */
export function isXPath(text: string): boolean {
  return /^\s*(?:\/|\(|\.\/|\.\.)/.test(text)
}

/** The JSONPath in `items: ":state(…)"`, for items in what scripts left in the page; else `null`. */
export function stateItems(items: string | undefined): string | null {
  return (items === undefined ? undefined : /^:state\((\$.*)\)$/s.exec(items)?.[1]?.trim()) ?? null
}
