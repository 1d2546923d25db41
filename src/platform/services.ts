import type { Agentic } from '../features/agentic/service.ts'
import { createAnalytics } from '../features/analytics/service.ts'
import { createBilling } from '../features/billing/service.ts'
import type { Statements } from '../features/billing/statements.ts'
import type { WebAccess } from '../features/common/web-access.ts'
import type { Core } from '../features/core.ts'
import { createDatasets } from '../features/datasets/service.ts'
import { createEstimates } from '../features/estimates/service.ts'
import { createLiveEvents } from '../features/executions/live/live-events.ts'
import type { LiveEvents } from '../features/executions/live/live-events.ts'
import { createExecutions } from '../features/executions/service.ts'
import { createKeys } from '../features/keys/service.ts'
import { createMediaLinks } from '../features/media/links.ts'
import type { MediaLinks } from '../features/media/links.ts'
import { createMedia } from '../features/media/service.ts'
import { createPlanSteps } from '../features/plan-steps/service.ts'
import { quotasFrom } from '../features/previews/quotas.ts'
import { createPreviews } from '../features/previews/service.ts'
import { createRecipes } from '../features/recipes/service.ts'
import type { Recipes } from '../features/recipes/service.ts'
import { createResults } from '../features/results/service.ts'
import { createSchedules } from '../features/schedules/service.ts'
import { createTasks } from '../features/tasks/service.ts'
import { createTemplates } from '../features/templates/service.ts'
import { createWebhookSecrets } from '../features/webhooks/secrets.ts'
import type { WebhookSecrets } from '../features/webhooks/secrets.ts'
import { createWebhooks } from '../features/webhooks/service.ts'
import { once } from '../kernel/concurrency.ts'
import { platformSecret } from '../records/platform-secret.ts'
import type { PlatformApi, PlatformOptions } from './options.ts'

/** Dependencies of the services, beside core and web access. */
export interface ServicesOptions extends Pick<
  PlatformOptions,
  'apiKeys' | 'media' | 'payments' | 'plan' | 'previews' | 'templates'
> {
  /** Called after a commit that adds jobs: moves the outbox to the queue. */
  readonly wake: () => void | Promise<void>
  /** Called after a cancel or a pause: notifies a worker of this process at once. */
  readonly interrupt: (executionId: string) => void
}

/** The services of all features. */
export interface Services {
  readonly api: PlatformApi
  /** The worker uses these too. */
  readonly recipes: Recipes
  readonly live: LiveEvents
  readonly mediaLinks: MediaLinks
  readonly webhookSecrets: WebhookSecrets
  /** Loads the statements on first use. */
  readonly statements: () => Promise<Statements>
}

/** Creates the services of all features. */
export function createServices(core: Core, web: WebAccess, options: ServicesOptions): Services {
  const { records, random, allowPrivateNetwork } = core
  const { wake, interrupt } = options
  const { tokenSeconds, baseUrl } = options.media ?? {}

  const recipes = createRecipes({
    allowPrivateNetwork,
    canRender: web.renderer !== null,
    canAsk: web.model !== null,
  })
  const live = createLiveEvents(core)
  const mediaLinks = createMediaLinks({
    ...core,
    secret: () => platformSecret(records, random, 'media'),
    ...(tokenSeconds !== undefined && { tokenSeconds }),
  })
  const webhookSecrets = createWebhookSecrets(
    () => platformSecret(records, random, 'webhooks'),
    random,
  )
  const statements = once(async () =>
    (await import('../features/billing/statements.ts')).createStatements(core),
  )
  const media = createMedia(core, mediaLinks, baseUrl)
  const tasks = createTasks(core, recipes)
  const executions = createExecutions(core, {
    recipes,
    wake,
    interrupt,
    changed: live.changed,
  })
  const results = createResults(core, media, web.pagesOf)
  const previews = createPreviews(core, web, recipes, quotasFrom(options.previews))
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
    }),
  )
  return {
    api: {
      agentic: lazyAgentic(agentic),
      tasks,
      schedules: createSchedules(core),
      estimates: createEstimates(core, recipes),
      executions,
      results,
      datasets: createDatasets(core, media, web.pagesOf),
      keys: createKeys(core, options.apiKeys?.prefix),
      media,
      previews,
      planSteps: createPlanSteps(core, options.plan ?? true),
      templates,
      webhooks: createWebhooks(core, webhookSecrets, wake),
      billing: createBilling(core, statements, options.payments ?? null),
      analytics: createAnalytics(core),
    },
    recipes,
    live,
    mediaLinks,
    webhookSecrets,
    statements,
  }
}

function lazyAgentic(load: () => Promise<Agentic>): Agentic {
  return {
    tools: async (...call) => (await load()).tools(...call),
    call: async (...call) => (await load()).call(...call),
    get: async (...call) => (await load()).get(...call),
  }
}
