import * as v from 'valibot'
import { documented, wholeNumber } from '../../kernel/schema.ts'
import { selector } from './field-schema.ts'

const say = v.description
const VERBS = ['wait', 'click', 'fill', 'press', 'scroll'] as const

const action = v.pipe(
  v.strictObject({
    wait: v.exactOptional(
      v.pipe(
        v.union(
          [wholeNumber(0, 30_000), selector],
          'must be a selector or milliseconds, 30,000 at most',
        ),
        say(
          'Waits until something visible matches this CSS selector or XPath, or for this many ms.',
        ),
      ),
    ),
    click: v.exactOptional(v.pipe(selector, say('Clicks the first visible match.'))),
    fill: v.exactOptional(v.pipe(selector, say('Enters `value` into a form field.'))),
    press: v.exactOptional(
      v.pipe(
        v.string(),
        v.regex(/^[A-Za-z0-9+]{1,40}$/, 'must be the name of a key, such as Enter'),
        say('Presses a key by its name, such as `Enter`.'),
      ),
    ),
    scroll: v.exactOptional(
      v.pipe(
        v.union(
          [wholeNumber(-100_000, 100_000), v.literal('end')],
          'must be "end" or a number of pixels',
        ),
        say('Scrolls by this many pixels, or to the `end` of the page.'),
      ),
    ),
    value: v.exactOptional(v.pipe(v.string(), v.maxLength(1_000), say('Of `fill`.'))),
    times: v.exactOptional(
      v.pipe(
        wholeNumber(1, 100),
        say(
          'For `click` and `scroll`: maximum repetitions. Clicking ends when nothing matches any ' +
            'more. Default 1.',
        ),
      ),
    ),
    optional: v.exactOptional(
      v.pipe(
        v.boolean(),
        say(
          'For `click`: if true, a page on which nothing matches is still read, for example ' +
            'without its cookie notice. Otherwise such a page is `failed`.',
        ),
      ),
    ),
  }),
  v.check(
    (checked) => VERBS.filter((verb) => checked[verb] !== undefined).length === 1,
    `must have exactly one of ${VERBS.join(', ')}`,
  ),
  v.check(
    (checked) => (checked.fill === undefined) === (checked.value === undefined),
    'fill and value go together',
  ),
  v.check(
    (checked) =>
      checked.times === undefined || checked.click !== undefined || checked.scroll !== undefined,
    'times needs click or scroll',
  ),
  v.check(
    (checked) => checked.optional === undefined || checked.click !== undefined,
    'optional needs click',
  ),
  say('One action on a page: exactly one of `wait`, `click`, `fill`, `press`, `scroll`.'),
  documented({ component: 'PageAction' }),
)

/** Actions that run on a page before it is read. */
export const actionsSchema = v.pipe(
  v.array(action),
  v.maxLength(20),
  say(
    'Actions on the page before it is read, in order. Needs `render: "browser"`. After ' +
      'each action the platform waits until the page is quiet.',
  ),
)

/** One action as a recipe has it. */
export type Action = v.InferOutput<typeof action>
