import type { Statements } from '../features/billing/statements.ts'
import type { WebAccess } from '../features/common/web-access.ts'
import type { Core } from '../features/core.ts'
import type { StoreFailure } from '../kernel/failures.ts'
import { createLiveEvents } from '../features/executions/live/live-events.ts'
import type { LiveEvents } from '../features/executions/live/live-events.ts'
import { createExecutions } from '../features/executions/service.ts'
import { createMediaLinks } from '../features/media/links.ts'
import type { MediaLinks } from '../features/media/links.ts'
import { quotasFrom } from '../features/previews/quotas.ts'
import { createRecipes } from '../features/recipes/service.ts'
import type { Recipes } from '../features/recipes/service.ts'
import { createTasks } from '../features/tasks/service.ts'
import { createTemplates } from '../features/templates/service.ts'
import { createWebhookSecrets } from '../features/webhooks/secrets.ts'
import type { MailParts } from '../features/webhooks/mail/parts.ts'
import type { WebhookSecrets } from '../features/webhooks/secrets.ts'
import { once } from '../kernel/concurrency.ts'
import { consolePathOf } from '../console/options.ts'
import { createBaseUrl } from '../kernel/http/base-url.ts'
import { platformSecret } from '../records/platform-secret.ts'
import {
  lazyAgentic,
  lazyAnalytics,
  lazyAudit,
  lazyKeys,
  lazyMyself,
  lazyPreviews,
  lazyBilling,
  lazySnapshots,
  lazyMedia,
  lazyResults,
  lazyDatasets,
  lazyPlanSteps,
  lazyTaskFiles,
  lazyEstimates,
  lazyWebhooks,
} from './lazy-services.ts'
import type { PlatformApi, PlatformOptions } from './options.ts'

/** Options of the services, beside core and web. */
export interface ServicesOptions extends Pick<
  PlatformOptions,
  | 'agents'
  | 'apiKeys'
  | 'audit'
  | 'console'
  | 'mail'
  | 'media'
  | 'payments'
  | 'plan'
  | 'previews'
  | 'publicUrl'
  | 'templates'
> {
  /** Called after a commit that adds jobs: moves the outbox to the queue. */
  readonly wake: () => void | Promise<void>
  /** Called after a cancel or a pause: notifies a worker of this process at once. */
  readonly interrupt: (executionId: string) => void
  /** Called when a caller reads an execution that has been queued for long. */
  readonly stillQueued?: ((executionId: string) => void) | undefined
  /** Called when the store could not be read. The callee then polls the store until it answers. */
  readonly storeFailed?: ((failure: StoreFailure) => void) | undefined
}

/** The services of all features. */
export interface Services {
  readonly api: PlatformApi
  /** Parts that the worker shares with them: */
  readonly recipes: Recipes
  readonly live: LiveEvents
  readonly mediaLinks: MediaLinks
  readonly webhookSecrets: WebhookSecrets
  readonly mail: MailParts
  /** Loads the statements on first use. */
  readonly statements: () => Promise<Statements>
}

function fixedBase(publicUrl: string | URL | undefined): string | undefined {
  return publicUrl === undefined ? undefined : createBaseUrl({ publicUrl })('')
}

/** Makes the services of all features. */
export function createServices(core: Core, web: WebAccess, options: ServicesOptions): Services {
  const { records, random, allowPrivateNetwork } = core
  const { wake, interrupt, stillQueued, publicUrl } = options
  const { tokenSeconds, baseUrl = publicUrl } = options.media ?? {}

  const recipes = createRecipes({
    allowPrivateNetwork,
    canRender: web.renderer !== null,
    canAsk: web.model !== null,
  })
  const live = createLiveEvents(core, options.storeFailed)
  const mediaLinks = createMediaLinks({
    ...core,
    secret: () => platformSecret(records, random, 'media'),
    ...(tokenSeconds !== undefined && { tokenSeconds }),
  })
  const webhookSecrets = createWebhookSecrets(
    () => platformSecret(records, random, 'webhooks'),
    random,
  )
  const mail: MailParts = {
    mailer: options.mail ?? null,
    secret: once(() => platformSecret(records, random, 'mail')),
    base: fixedBase(publicUrl) ?? null,
    consolePath: consolePathOf(options.console),
  }
  const statements = once(async () =>
    (await import('../features/billing/statements.ts')).createStatements(core),
  )
  const billing = once(async () =>
    (await import('../features/billing/service.ts')).createBilling(
      core,
      statements,
      options.payments ?? null,
    ),
  )
  const media = lazyMedia(
    once(async () =>
      (await import('../features/media/service.ts')).createMedia(
        core,
        mediaLinks,
        fixedBase(baseUrl),
      ),
    ),
  )
  const tasks = createTasks(core, recipes)
  const executions = createExecutions(core, {
    recipes,
    wake,
    interrupt,
    changed: live.changed,
    stillQueued,
  })
  const results = lazyResults(
    once(async () =>
      (await import('../features/results/service.ts')).createResults(core, media, web.pagesOf),
    ),
  )
  const snapshots = lazySnapshots(
    once(async () => (await import('../features/snapshots/service.ts')).createSnapshots(core, web)),
  )
  const quotas = quotasFrom(options.previews)
  const previews = lazyPreviews(
    once(async () =>
      (await import('../features/previews/service.ts')).createPreviews(
        core,
        web,
        recipes,
        quotas,
        snapshots,
      ),
    ),
  )
  const templates = createTemplates(core, {
    tasks,
    executions,
    previews,
    own: options.templates ?? [],
  })
  const pageReader = once(async () =>
    (await import('../features/agentic/read-page.ts')).createPageReader(web, recipes),
  )
  // Applications without agents do not need it.
  const agentic = once(async () =>
    (await import('../features/agentic/service.ts')).createAgentic(core, {
      executions,
      results,
      templates,
      live,
      readPage: async (...page) => (await pageReader())(...page),
      provider: web.search,
      base: fixedBase(publicUrl),
      canRender: web.renderer !== null,
      retention: options.agents,
    }),
  )
  // Services that few calls need are loaded with the first of these calls.
  const analytics = once(async () =>
    (await import('../features/analytics/service.ts')).createAnalytics(core),
  )
  const audit = once(async () =>
    (await import('../features/audit/service.ts')).createAudit(
      core,
      web.pagesOf,
      options.audit !== false,
    ),
  )
  const datasets = once(async () =>
    (await import('../features/datasets/service.ts')).createDatasets(core, media, web.pagesOf),
  )
  const planSteps = once(async () =>
    (await import('../features/plan-steps/service.ts')).createPlanSteps(core, options.plan ?? true),
  )
  const schedules = once(async () =>
    (await import('../features/schedules/state.ts')).createSchedules(core),
  )
  const taskFiles = once(async () =>
    (await import('../features/task-files/service.ts')).createTaskFiles(core, tasks),
  )
  const estimates = once(async () =>
    (await import('../features/estimates/service.ts')).createEstimates(core, recipes),
  )
  const webhooks = once(async () =>
    (await import('../features/webhooks/service.ts')).createWebhooks(
      core,
      webhookSecrets,
      mail,
      wake,
    ),
  )
  const keys = once(async () =>
    (await import('../features/keys/service.ts')).createKeys(core, options.apiKeys?.prefix),
  )
  const myself = once(async () =>
    (await import('../features/me/service.ts')).createMyself(core, web, options.payments),
  )
  return {
    api: {
      agentic: lazyAgentic(agentic),
      tasks,
      schedules: { get: async (...call) => (await schedules()).get(...call) },
      taskFiles: lazyTaskFiles(taskFiles),
      estimates: lazyEstimates(estimates),
      executions,
      results,
      datasets: lazyDatasets(datasets),
      keys: lazyKeys(keys),
      media,
      previews,
      snapshots,
      planSteps: lazyPlanSteps(planSteps),
      templates,
      webhooks: lazyWebhooks(webhooks),
      billing: lazyBilling(billing),
      analytics: lazyAnalytics(analytics),
      audit: lazyAudit(audit),
      me: lazyMyself(myself),
    },
    recipes,
    live,
    mediaLinks,
    webhookSecrets,
    mail,
    statements,
  }
}
