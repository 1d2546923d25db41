import * as v from 'valibot'
import { countSchema, documented } from '../../kernel/schema.ts'

/** An estimate on the wire. */
export const estimateSchema = v.pipe(
  v.strictObject({
    pages: v.pipe(countSchema, v.description('At most.')),
    credits: v.pipe(
      countSchema,
      v.description(
        'Maximum credits. A start reserves them, or what can be spent if that is less; unspent ' +
          'credits return at the end.',
      ),
    ),
    seconds: v.pipe(v.nullable(countSchema), v.description('Maximum duration; `null`: no limit.')),
    boundedBy: v.strictObject({
      pages: v.pipe(
        v.picklist(['start_urls', 'max_pages']),
        v.description('`start_urls`: it follows nothing.'),
      ),
      credits: v.pipe(
        v.picklist(['pages', 'budget']),
        v.description('`pages`: every page at the highest price.'),
      ),
    }),
    wallet: v.strictObject({
      spendable: v.pipe(
        v.nullable(countSchema),
        v.description('Credits that can be reserved now; `null`: any number.'),
      ),
      leftToday: v.pipe(
        v.nullable(countSchema),
        v.description("Credits left of today's cap (UTC), at which a run stops; `null`: no cap."),
      ),
      enough: v.pipe(
        v.boolean(),
        v.description(
          'Whether `credits` can be spent. If not, a run stops when the rest is spent, with the ' +
            'reason `balance_limit`; if the rest does not pay for a page, the start is 402.',
        ),
      ),
    }),
    prices: v.pipe(
      v.record(v.string(), countSchema),
      v.description('Credits for a page, by outcome. Outcomes that are not listed cost nothing.'),
    ),
  }),
  documented({ component: 'Estimate' }),
)
