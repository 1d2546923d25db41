import * as v from 'valibot'
import { isObject } from '../../kernel/json.ts'
import { documented } from '../../kernel/schema.ts'
import type { ParamValues } from './fill-blanks.ts'

const param = v.pipe(
  v.strictObject({
    type: v.exactOptional(
      v.pipe(
        v.picklist(['text', 'number', 'integer', 'boolean', 'url']),
        v.description('Type of the value; default `text`. `url`: a value may be a whole URL.'),
      ),
    ),
    default: v.exactOptional(
      v.pipe(
        v.union([v.string(), v.number(), v.boolean()], 'must be a text, a number, true or false'),
        v.description('The value if a start gives none.'),
      ),
    ),
    required: v.exactOptional(
      v.pipe(
        v.boolean(),
        v.description(
          'Whether a start must give a value. Default: true without `default`. `false`: the ' +
            'place stays empty.',
        ),
      ),
    ),
    description: v.exactOptional(
      v.pipe(v.string(), v.maxLength(500), v.description('For people and agents.')),
    ),
  }),
  v.description('A parameter of a recipe.'),
  documented({ component: 'RecipeParam' }),
)

/** The parameters that a recipe declares. */
export const paramsSchema = v.pipe(
  v.record(
    v.pipe(
      v.string(),
      v.regex(/^[A-Za-z]\w{0,63}$/, 'must be a letter, then letters, digits and _; 64 at most'),
    ),
    param,
  ),
  v.maxEntries(50),
  v.description(
    'Parameters, by name. A start gives their values in `params`. A value replaces `{{name}}` in ' +
      'URLs (percent-encoded), search terms, `include`, `exclude`, values of headers and actions, ' +
      'and `const`, `model`, `prefix`, `suffix` and `default` of fields.',
  ),
  documented({ component: 'RecipeParams' }),
)

/**
 * Values of the parameters of a recipe or a template, wherever a request has them. Their names and
 * values are checked when the recipe is filled.
 */
export const paramValuesSchema = v.pipe(
  v.custom<ParamValues>(isObject, 'must be an object'),
  documented({
    json: {
      type: 'object',
      description:
        "Values of parameters, by name. A recipe's `params` declare its own; " +
        '`GET /api/v1/templates/:id` has the schema of those of a template.',
    },
  }),
)
