import type { Agentic } from '../features/agentic/service.ts'
import type { Analytics } from '../features/analytics/service.ts'
import type { Audit } from '../features/audit/service.ts'
import type { Billing } from '../features/billing/service.ts'
import type { Statements } from '../features/billing/statements.ts'
import type { WebAccess } from '../features/common/web-access.ts'
import type { Core } from '../features/core.ts'
import type { StoreFailure } from '../kernel/failures.ts'
import type { Datasets } from '../features/datasets/service.ts'
import type { Estimates } from '../features/estimates/service.ts'
import { createLiveEvents } from '../features/executions/live/live-events.ts'
import type { LiveEvents } from '../features/executions/live/live-events.ts'
import { createExecutions } from '../features/executions/service.ts'
import type { Keys } from '../features/keys/service.ts'
import type { Myself } from '../features/me/service.ts'
import { createMediaLinks } from '../features/media/links.ts'
import type { MediaLinks } from '../features/media/links.ts'
import type { Media } from '../features/media/service.ts'
import type { PlanSteps } from '../features/plan-steps/service.ts'
import { quotasFrom } from '../features/previews/quotas.ts'
import type { Previews } from '../features/previews/service.ts'
import type { Snapshots } from '../features/snapshots/service.ts'
import { createRecipes } from '../features/recipes/service.ts'
import type { Recipes } from '../features/recipes/service.ts'
import type { Results } from '../features/results/service.ts'
import type { TaskFiles } from '../features/task-files/service.ts'
import { createTasks } from '../features/tasks/service.ts'
import { createTemplates } from '../features/templates/service.ts'
import { createWebhookSecrets } from '../features/webhooks/secrets.ts'
import type { MailParts } from '../features/webhooks/mail/parts.ts'
import type { WebhookSecrets } from '../features/webhooks/secrets.ts'
import type { Webhooks } from '../features/webhooks/service.ts'
import { once } from '../kernel/concurrency.ts'
import { consolePathOf } from '../console/options.ts'
import { createBaseUrl } from '../kernel/http/base-url.ts'
import { platformSecret } from '../records/platform-secret.ts'
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
  /** Called when somebody looks at an execution that has been queued for long. */
  readonly stillQueued?: ((executionId: string) => void) | undefined
  /** Called when the store could not be read: asks it until it answers. */
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

function lazyAgentic(load: () => Promise<Agentic>): Agentic {
  return {
    tools: async (...call) => (await load()).tools(...call),
    call: async (...call) => (await load()).call(...call),
    get: async (...call) => (await load()).get(...call),
    list: async (...call) => (await load()).list(...call),
  }
}

function lazyAnalytics(load: () => Promise<Analytics>): Analytics {
  return {
    summary: async (...call) => (await load()).summary(...call),
    series: async (...call) => (await load()).series(...call),
    executions: async (...call) => (await load()).executions(...call),
    tasks: async (...call) => (await load()).tasks(...call),
    task: async (...call) => (await load()).task(...call),
  }
}

function lazyAudit(load: () => Promise<Audit>): Audit {
  return {
    list: async (...call) => (await load()).list(...call),
    export: async (...call) => (await load()).export(...call),
  }
}

function lazyKeys(load: () => Promise<Keys>): Keys {
  return {
    create: async (...call) => (await load()).create(...call),
    adopt: async (...call) => (await load()).adopt(...call),
    list: async (...call) => (await load()).list(...call),
    revoke: async (...call) => (await load()).revoke(...call),
  }
}

function lazyMyself(load: () => Promise<Myself>): Myself {
  return { get: async (...call) => (await load()).get(...call) }
}

function lazyPreviews(load: () => Promise<Previews>): Previews {
  return {
    run: async (...call) => (await load()).run(...call),
    runTask: async (...call) => (await load()).runTask(...call),
    explain: async (...call) => (await load()).explain(...call),
    detect: async (...call) => (await load()).detect(...call),
  }
}

function lazyBilling(load: () => Promise<Billing>): Billing {
  return {
    balance: async (...call) => (await load()).balance(...call),
    ledger: async (...call) => (await load()).ledger(...call),
    activity: async (...call) => (await load()).activity(...call),
    usage: async (...call) => (await load()).usage(...call),
    callers: async (...call) => (await load()).callers(...call),
    plans: async (...call) => (await load()).plans(...call),
    subscription: async (...call) => (await load()).subscription(...call),
    subscribe: async (...call) => (await load()).subscribe(...call),
    statements: async (...call) => (await load()).statements(...call),
    statement: async (...call) => (await load()).statement(...call),
    statementFile: async (...call) => (await load()).statementFile(...call),
    topUp: async (...call) => (await load()).topUp(...call),
    topUps: async (...call) => (await load()).topUps(...call),
    getTopUp: async (...call) => (await load()).getTopUp(...call),
    confirmTopUp: async (...call) => (await load()).confirmTopUp(...call),
    failTopUp: async (...call) => (await load()).failTopUp(...call),
    refund: async (...call) => (await load()).refund(...call),
    adjust: async (...call) => (await load()).adjust(...call),
    setPlan: async (...call) => (await load()).setPlan(...call),
  }
}

function lazySnapshots(load: () => Promise<Snapshots>): Snapshots {
  return {
    keep: async (...call) => (await load()).keep(...call),
    open: async (...call) => (await load()).open(...call),
    get: async (...call) => (await load()).get(...call),
    files: async (...call) => (await load()).files(...call),
    point: async (...call) => (await load()).point(...call),
  }
}

function lazyMedia(load: () => Promise<Media>): Media {
  return {
    list: async (...call) => (await load()).list(...call),
    get: async (...call) => (await load()).get(...call),
    delete: async (...call) => (await load()).delete(...call),
    open: async (...call) => (await load()).open(...call),
    linkRows: async (...call) => (await load()).linkRows(...call),
    sign: async (...call) => (await load()).sign(...call),
  }
}

function lazyResults(load: () => Promise<Results>): Results {
  return {
    list: async (...call) => (await load()).list(...call),
    export: async (...call) => (await load()).export(...call),
  }
}

function lazyDatasets(load: () => Promise<Datasets>): Datasets {
  return {
    create: async (...call) => (await load()).create(...call),
    list: async (...call) => (await load()).list(...call),
    get: async (...call) => (await load()).get(...call),
    update: async (...call) => (await load()).update(...call),
    delete: async (...call) => (await load()).delete(...call),
    items: async (...call) => (await load()).items(...call),
    changes: async (...call) => (await load()).changes(...call),
    export: async (...call) => (await load()).export(...call),
  }
}

function lazyPlanSteps(load: () => Promise<PlanSteps>): PlanSteps {
  return {
    list: async (...call) => (await load()).list(...call),
  }
}

function lazyTaskFiles(load: () => Promise<TaskFiles>): TaskFiles {
  return {
    export: async (...call) => (await load()).export(...call),
    import: async (...call) => (await load()).import(...call),
  }
}

function lazyEstimates(load: () => Promise<Estimates>): Estimates {
  return {
    recipe: async (...call) => (await load()).recipe(...call),
    task: async (...call) => (await load()).task(...call),
  }
}

function lazyWebhooks(load: () => Promise<Webhooks>): Webhooks {
  return {
    create: async (...call) => (await load()).create(...call),
    list: async (...call) => (await load()).list(...call),
    get: async (...call) => (await load()).get(...call),
    update: async (...call) => (await load()).update(...call),
    delete: async (...call) => (await load()).delete(...call),
    confirm: async (...call) => (await load()).confirm(...call),
    rotate: async (...call) => (await load()).rotate(...call),
    test: async (...call) => (await load()).test(...call),
    deliveries: async (...call) => (await load()).deliveries(...call),
    redeliver: async (...call) => (await load()).redeliver(...call),
    unsubscribe: async (...call) => (await load()).unsubscribe(...call),
  }
}
