import * as v from 'valibot'
import { documented } from '../../kernel/schema.ts'

const text = (max: number) => v.pipe(v.string(), v.maxLength(max))
const whole = v.pipe(v.number(), v.integer(), v.minValue(-1_000_000), v.maxValue(1_000_000))
const scalar = v.union([text(1_000), v.pipe(v.number(), v.finite()), v.boolean()])
const say = v.description

/** Patterns have RE2's syntax: that of JavaScript without lookaround and backreferences. */
export const patternSchema = v.pipe(v.string(), v.minLength(1), v.maxLength(500))

const WORDS = ['trim', 'collapse', 'lower', 'upper'] as const
const word = v.pipe(
  v.picklist(WORDS),
  say('`trim`; `collapse` makes every run of white space one space; `lower`; `upper`.'),
)

const replacement = v.union([
  v.pipe(
    v.strictTuple([v.pipe(text(500), v.minLength(1)), text(500)]),
    say('`[text, with]`: every occurrence of a text.'),
  ),
  v.pipe(
    v.strictObject({ regex: patternSchema, with: text(500) }),
    say('Every match of a pattern; `$1` in `with` is its first group.'),
    documented({ component: 'PatternReplacement' }),
  ),
])

const step = v.pipe(
  v.strictObject({
    replace: v.exactOptional(
      v.pipe(
        v.lazy((input) => (Array.isArray(input) ? replacement.options[0] : replacement.options[1])),
        documented({ component: 'Replacement', as: replacement }),
      ),
    ),
    split: v.exactOptional(
      v.pipe(
        text(100),
        v.minLength(1),
        say(
          'Splits at a text into a list, of which each part is trimmed and empty ones are left out.',
        ),
      ),
    ),
    join: v.exactOptional(v.pipe(text(100), say('Makes a list one text.'))),
    item: v.exactOptional(v.pipe(whole, say('One of a list, from 0, or from the end with -1.'))),
    slice: v.exactOptional(
      v.pipe(
        v.union([v.strictTuple([whole]), v.strictTuple([whole, whole])]),
        say('Characters from one place up to another, from 0, or from the end where negative.'),
      ),
    ),
    prefix: v.exactOptional(text(500)),
    suffix: v.exactOptional(text(500)),
    map: v.exactOptional(
      v.pipe(
        v.record(text(200), scalar),
        v.minEntries(1),
        v.maxEntries(500),
        say('Text to value; any other text stays as it is.'),
      ),
    ),
    default: v.exactOptional(
      v.pipe(
        scalar,
        say(
          'The value where there is none. It does not make a row of an item in which nothing else was found.',
        ),
      ),
    ),
  }),
  v.check(
    (one) => Object.keys(one).length === 1,
    'must have exactly one of replace, split, join, item, slice, prefix, suffix, map, default',
  ),
  documented({ component: 'TransformStep' }),
)

// By hand and not as a union, so that a wrong step is reported where it is wrong.
const transform: v.GenericSchema<Transform> = v.pipe(
  v.lazy((input) => (typeof input === 'string' ? word : step)),
  documented({ component: 'Transform', as: v.union([word, step]) }),
)

/** What is done with a text, in order. */
export const transformsSchema = v.pipe(
  v.array(transform),
  v.minLength(1),
  v.maxLength(20),
  say('What is done with the text, in order, before it is read as a type.'),
)

/** One step of a `transform`. */
export type Transform = v.InferOutput<typeof word> | v.InferOutput<typeof step>
