import * as v from 'valibot'
import { countSchema, documented } from '../../kernel/schema.ts'

const stepSchema = v.pipe(
  v.strictObject({
    id: v.pipe(v.string(), v.description('Unique within the plan, and stable.')),
    kind: v.picklist(['start', 'list', 'visit', 'follow', 'extract', 'merge']),
    title: v.pipe(v.string(), v.description('For people.')),
    state: v.pipe(
      v.picklist(['pending', 'running', 'done', 'skipped', 'failed']),
      v.description('`skipped`: the execution ended without it.'),
    ),
    counts: v.pipe(v.record(v.string(), countSchema), v.description('Counters by name.')),
  }),
  documented({ component: 'PlanStep' }),
)

/** `data` of the plan. */
export const planSchema = v.pipe(
  v.strictObject({ executionId: v.string(), steps: v.array(stepSchema) }),
  documented({ component: 'Plan' }),
)
