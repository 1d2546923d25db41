import type { Agentic } from '../features/agentic/service.ts'
import type { Analytics } from '../features/analytics/service.ts'
import type { Audit } from '../features/audit/service.ts'
import type { Billing } from '../features/billing/service.ts'
import type { Datasets } from '../features/datasets/service.ts'
import type { Estimates } from '../features/estimates/service.ts'
import type { Keys } from '../features/keys/service.ts'
import type { Myself } from '../features/me/service.ts'
import type { Media } from '../features/media/service.ts'
import type { PlanSteps } from '../features/plan-steps/service.ts'
import type { Previews } from '../features/previews/service.ts'
import type { Snapshots } from '../features/snapshots/service.ts'
import type { Results } from '../features/results/service.ts'
import type { TaskFiles } from '../features/task-files/service.ts'
import type { Webhooks } from '../features/webhooks/service.ts'

// A service that answers no call at start is loaded with its first call. Each member is written
// out, so that the compiler checks that none is missing. A proxy would need a cast.

export function lazyAgentic(load: () => Promise<Agentic>): Agentic {
  return {
    tools: async (...call) => (await load()).tools(...call),
    call: async (...call) => (await load()).call(...call),
    get: async (...call) => (await load()).get(...call),
    list: async (...call) => (await load()).list(...call),
  }
}

export function lazyAnalytics(load: () => Promise<Analytics>): Analytics {
  return {
    summary: async (...call) => (await load()).summary(...call),
    series: async (...call) => (await load()).series(...call),
    executions: async (...call) => (await load()).executions(...call),
    tasks: async (...call) => (await load()).tasks(...call),
    task: async (...call) => (await load()).task(...call),
  }
}

export function lazyAudit(load: () => Promise<Audit>): Audit {
  return {
    list: async (...call) => (await load()).list(...call),
    export: async (...call) => (await load()).export(...call),
  }
}

export function lazyKeys(load: () => Promise<Keys>): Keys {
  return {
    create: async (...call) => (await load()).create(...call),
    adopt: async (...call) => (await load()).adopt(...call),
    list: async (...call) => (await load()).list(...call),
    revoke: async (...call) => (await load()).revoke(...call),
  }
}

export function lazyMyself(load: () => Promise<Myself>): Myself {
  return { get: async (...call) => (await load()).get(...call) }
}

export function lazyPreviews(load: () => Promise<Previews>): Previews {
  return {
    run: async (...call) => (await load()).run(...call),
    runTask: async (...call) => (await load()).runTask(...call),
    explain: async (...call) => (await load()).explain(...call),
    detect: async (...call) => (await load()).detect(...call),
  }
}

export function lazyBilling(load: () => Promise<Billing>): Billing {
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

export function lazySnapshots(load: () => Promise<Snapshots>): Snapshots {
  return {
    keep: async (...call) => (await load()).keep(...call),
    open: async (...call) => (await load()).open(...call),
    get: async (...call) => (await load()).get(...call),
    files: async (...call) => (await load()).files(...call),
    point: async (...call) => (await load()).point(...call),
  }
}

export function lazyMedia(load: () => Promise<Media>): Media {
  return {
    list: async (...call) => (await load()).list(...call),
    get: async (...call) => (await load()).get(...call),
    delete: async (...call) => (await load()).delete(...call),
    open: async (...call) => (await load()).open(...call),
    linkRows: async (...call) => (await load()).linkRows(...call),
    sign: async (...call) => (await load()).sign(...call),
  }
}

export function lazyResults(load: () => Promise<Results>): Results {
  return {
    list: async (...call) => (await load()).list(...call),
    export: async (...call) => (await load()).export(...call),
  }
}

export function lazyDatasets(load: () => Promise<Datasets>): Datasets {
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

export function lazyPlanSteps(load: () => Promise<PlanSteps>): PlanSteps {
  return {
    list: async (...call) => (await load()).list(...call),
  }
}

export function lazyTaskFiles(load: () => Promise<TaskFiles>): TaskFiles {
  return {
    export: async (...call) => (await load()).export(...call),
    import: async (...call) => (await load()).import(...call),
  }
}

export function lazyEstimates(load: () => Promise<Estimates>): Estimates {
  return {
    recipe: async (...call) => (await load()).recipe(...call),
    task: async (...call) => (await load()).task(...call),
  }
}

export function lazyWebhooks(load: () => Promise<Webhooks>): Webhooks {
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
