import * as v from 'valibot'
import { documented } from '../../kernel/schema.ts'

const say = v.description
const whole = (min: number, max: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))
const selector = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(1_000))
const VERBS = ['wait', 'click', 'fill', 'press', 'scroll'] as const

const action = v.pipe(
  v.strictObject({
    wait: v.exactOptional(
      v.pipe(
        v.union([whole(0, 30_000), selector], 'must be a selector or milliseconds, 30,000 at most'),
        say('Until something visible matches this CSS selector or XPath, or so many ms.'),
      ),
    ),
    click: v.exactOptional(v.pipe(selector, say('Clicks the first visible match.'))),
    fill: v.exactOptional(v.pipe(selector, say('Puts `value` into a field of a form.'))),
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
          [whole(-100_000, 100_000), v.literal('end')],
          'must be "end" or a number of pixels',
        ),
        say('By so many pixels, or to the `end` of the page.'),
      ),
    ),
    value: v.exactOptional(v.pipe(v.string(), v.maxLength(1_000), say('Of `fill`.'))),
    times: v.exactOptional(
      v.pipe(
        whole(1, 100),
        say(
          'Of `click` and `scroll`: how often, at most; clicking ends when nothing matches any more. Default 1.',
        ),
      ),
    ),
    optional: v.exactOptional(
      v.pipe(
        v.boolean(),
        say(
          'Of `click`: whether the page is as good without it, as with a notice that is not always there. Else a page on which nothing matches is `failed`.',
        ),
      ),
    ),
  }),
  v.check(
    (one) => VERBS.filter((verb) => one[verb] !== undefined).length === 1,
    `must have exactly one of ${VERBS.join(', ')}`,
  ),
  v.check(
    (one) => (one.fill === undefined) === (one.value === undefined),
    'fill and value go together',
  ),
  v.check(
    (one) => one.times === undefined || one.click !== undefined || one.scroll !== undefined,
    'times is of click and scroll',
  ),
  v.check((one) => one.optional === undefined || one.click !== undefined, 'optional is of click'),
  documented({ component: 'PageAction' }),
)

/** What is done on a page before it is read. */
export const actionsSchema = v.pipe(
  v.array(action),
  v.maxLength(20),
  say(
    'What is done on the page before it is read, in order; with `render: "browser"`. Between two actions the page comes to rest.',
  ),
)

/** One action as a recipe has it. */
export type Action = v.InferOutput<typeof action>
