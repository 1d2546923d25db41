import * as v from 'valibot'
import { countSchema, documented } from '../../kernel/schema.ts'
import { isJson } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'

const elementsSchema = v.pipe(
  v.array(countSchema),
  v.description('Values of `data-seine-index` of the first 500 of them.'),
)

/** A snapshot on the wire. */
export const snapshotSchema = v.pipe(
  v.strictObject({
    id: v.string(),
    url: v.pipe(v.string(), v.description('The final URL.')),
    expiresAt: v.string(),
    html: v.pipe(
      v.string(),
      v.description(
        "The engine's own tree as a document. It runs and loads nothing, sends no forms and has no links. " +
          'Each element has its index as `data-seine-index`, and its style as `data-seine-style`.',
      ),
    ),
    styles: v.pipe(v.array(v.string()), v.description('Style sheets of the page.')),
    elements: v.pipe(countSchema, v.description('Elements that are in `html`.')),
    isCut: v.pipe(
      v.boolean(),
      v.description('Whether `html` has only the first part of the page.'),
    ),
    screenshot: v.pipe(
      v.nullable(v.string()),
      v.description(
        'The window of the browser that rendered the page, as a `data:` URL of a PNG. `null`: no ' +
          'browser did, or it is too large.',
      ),
    ),
  }),
  documented({ component: 'Snapshot' }),
)

/** A style sheet or a picture of a snapshot, on the wire. */
export const snapshotFilesSchema = v.pipe(
  v.strictObject({
    items: v.array(
      v.strictObject({
        kind: v.picklist(['style', 'picture']),
        url: v.string(),
        content: v.pipe(
          v.nullable(v.string()),
          v.description('The text of a style sheet, or a picture as a `data:` URL.'),
        ),
        reason: v.pipe(
          v.nullable(v.string()),
          v.description('Reason why `content` is `null`; otherwise `null`.'),
        ),
        elements: v.pipe(
          v.array(countSchema),
          v.description('Values of `data-seine-index` of the `img` elements that show a picture.'),
        ),
        position: v.pipe(
          v.nullable(countSchema),
          v.description(
            'For a style sheet: the number of `styles` of the snapshot before it. For a ' +
              'picture: `null`.',
          ),
        ),
      }),
    ),
    nextCursor: v.nullable(v.string()),
  }),
  documented({ component: 'SnapshotFiles' }),
)

/** The proposals for pointed elements, in the API. */
export const candidatesSchema = v.pipe(
  v.strictObject({
    name: v.pipe(v.string(), v.description('A name for the column.')),
    text: v.pipe(v.string(), v.description('The first 200 characters of its text.')),
    attributes: v.pipe(
      v.record(v.string(), v.string()),
      v.description('Attributes that are often wanted, such as `href`.'),
    ),
    isInItems: v.pipe(
      v.boolean(),
      v.description('Whether the element is in one of `items`. Without `items`: `false`.'),
    ),
    sources: v.pipe(
      v.array(
        v.strictObject({
          selector: v.string(),
          field: v.pipe(
            v.custom<Json>(isJson),
            documented({ json: { description: "Ready to be the source of a recipe's field." } }),
          ),
          matches: v.pipe(
            countSchema,
            v.description('Number of matches on the page. With `items`: in the first 200 items.'),
          ),
          elements: elementsSchema,
        }),
      ),
      v.description('Sources of the value, the best first.'),
    ),
    lists: v.pipe(
      v.array(
        v.strictObject({ items: v.string(), matches: countSchema, elements: elementsSchema }),
      ),
      v.description('Lists that the elements are in, the likeliest first. With `items`: none.'),
    ),
    link: v.pipe(
      v.nullable(
        v.strictObject({
          url: v.string(),
          next: v.pipe(
            v.nullable(v.string()),
            v.description('A selector for `follow`, if it leads to the next page.'),
          ),
        }),
      ),
      v.description('The link that the element is in.'),
    ),
  }),
  documented({ component: 'SnapshotCandidates' }),
)
