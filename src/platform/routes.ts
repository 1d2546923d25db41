import { agenticRoutes } from '../features/agentic/routes.ts'
import { analyticsRoutes } from '../features/analytics/routes.ts'
import { auditRoutes } from '../features/audit/routes.ts'
import { billingRoutes } from '../features/billing/routes.ts'
import type { Core } from '../features/core.ts'
import { datasetRoutes } from '../features/datasets/routes.ts'
import { estimateRoutes } from '../features/estimates/routes.ts'
import { executionRoutes } from '../features/executions/routes.ts'
import { keyRoutes } from '../features/keys/routes.ts'
import { meRoutes } from '../features/me/routes.ts'
import { mediaRoutes } from '../features/media/routes.ts'
import { planStepRoutes } from '../features/plan-steps/routes.ts'
import { previewRoutes } from '../features/previews/routes.ts'
import { snapshotRoutes } from '../features/snapshots/routes.ts'
import { resultRoutes } from '../features/results/routes.ts'
import { scheduleRoutes } from '../features/schedules/routes.ts'
import { taskFileRoutes } from '../features/task-files/routes.ts'
import { taskRoutes } from '../features/tasks/routes.ts'
import { createTaskReader } from '../features/tasks/task.ts'
import { templateRoutes } from '../features/templates/routes.ts'
import { webhookRoutes } from '../features/webhooks/routes.ts'
import type { AnyRoute } from '../kernel/http/route.ts'
import type { PlatformOptions } from './options.ts'
import type { Services } from './services.ts'

/** The routes of all features, in the order of the API's description. */
export function routesOf(
  core: Core,
  { api, live }: Services,
  { plan, audit }: Pick<PlatformOptions, 'plan' | 'audit'>,
): readonly AnyRoute[] {
  return [
    ...taskRoutes(api.tasks, createTaskReader(core)),
    ...taskFileRoutes(api.taskFiles),
    ...scheduleRoutes(api.schedules),
    ...estimateRoutes(api.estimates),
    ...executionRoutes(api.executions, live),
    ...resultRoutes(api.results),
    ...datasetRoutes(api.datasets),
    ...keyRoutes(api.keys),
    ...mediaRoutes(api.media),
    ...templateRoutes(api.templates),
    ...webhookRoutes(api.webhooks),
    ...previewRoutes(api.previews),
    ...snapshotRoutes(api.snapshots),
    ...ifOn(plan, planStepRoutes(api.planSteps)),
    ...billingRoutes(api.billing),
    ...analyticsRoutes(api.analytics),
    ...agenticRoutes(api.agentic, core.clock),
    ...ifOn(audit, auditRoutes(api.audit)),
    ...meRoutes(api.me),
  ]
}

/** A route that is switched off is 404, with the reason, and is not described. */
function ifOn(option: unknown, routes: readonly AnyRoute[]): readonly AnyRoute[] {
  return option === false ? routes.map((route) => ({ ...route, isDescribed: false })) : routes
}
