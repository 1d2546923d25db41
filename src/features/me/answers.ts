import * as v from 'valibot'
import { countSchema, documented } from '../../kernel/schema.ts'

const limit = (description: string) =>
  v.pipe(
    v.strictObject({
      most: v.pipe(v.nullable(countSchema), v.description('`null`: any number.')),
      used: countSchema,
      left: v.pipe(v.nullable(countSchema), v.description('`null`: any number.')),
    }),
    v.description(description),
  )

/** The caller on the wire. */
export const meSchema = v.pipe(
  v.strictObject({
    account: v.pipe(v.string(), v.description('Owns everything that the credential reaches.')),
    user: v.string(),
    keyId: v.pipe(
      v.nullable(v.string()),
      v.description('The API key that was used; `null`: another credential.'),
    ),
    scopes: v.array(v.string()),
    plan: v.strictObject({ id: v.string(), name: v.string() }),
    credits: v.pipe(
      v.nullable(
        v.strictObject({
          spendable: v.pipe(
            v.nullable(countSchema),
            v.description('Credits that new executions can be given; `null`: any number.'),
          ),
        }),
      ),
      v.description('`null`: the credential lacks `billing:read`.'),
    ),
    abilities: v.pipe(
      v.strictObject({
        browser: v.boolean(),
        model: v.boolean(),
        search: v.boolean(),
        payments: v.boolean(),
      }),
      v.description(
        'What this server offers: a browser that renders pages, a model that reads fields, a search ' +
          'engine of the web, and payments for credits.',
      ),
    ),
    limits: v.strictObject({
      keys: limit('API keys that are not revoked.'),
      tasks: limit('Tasks.'),
      datasets: limit('Datasets.'),
      webhooks: limit('Webhooks.'),
      bytes: limit(
        'Bytes of the rows and kept pages of executions, of media, and of the items and changes of ' +
          'datasets.',
      ),
    }),
  }),
  documented({ component: 'Me' }),
)

/** The caller on the wire. */
export type Me = v.InferOutput<typeof meSchema>
