/** Names of the API. Later versions may have more. */
type Names = Readonly<Record<string, string>>

/** The API's names of events and scopes, in English. */
export const names: { readonly events: Names; readonly scopes: Names } = {
  /** Types of events that webhooks receive. */
  events: {
    'execution.started': 'a run began',
    'execution.succeeded': 'a run is done',
    'execution.failed': 'a run failed',
    'execution.cancelled': 'a run was stopped',
    'dataset.changed': 'a dataset changed',
    'task.drift': 'a column became empty',
    'task.relocation': 'a new selector is proposed',
    'task.repaired': 'a recipe was repaired',
    'schedule.refused': 'a planned run was refused',
    'balance.low': 'few credits are left',
    'webhook.disabled': 'a webhook was switched off',
    'webhook.test': 'a test',
    'webhook.confirm': 'the code of an address',
  },
  /** The rights of each scope. */
  scopes: {
    '*': 'everything',
    'tasks:read': 'see tasks and try recipes',
    'tasks:write': 'make, change and delete tasks',
    'executions:read': 'see runs, rows and page reports',
    'executions:write': 'start and stop runs, which spends credits',
    'datasets:read': 'see datasets',
    'datasets:write': 'make, change and delete datasets',
    'templates:run': 'run templates, which spends credits',
    'media:read': 'see files that runs have kept',
    'media:write': 'delete such files',
    'webhooks:read': 'see webhooks and deliveries',
    'webhooks:write': 'make, change and delete webhooks',
    'analytics:read': 'see figures of use',
    'billing:read': 'see credits and statements',
    'billing:write': 'change the plan and buy credits',
    'keys:read': 'see keys, never their secrets',
    'keys:write': 'make and revoke keys',
    'audit:read': 'see who did what',
    'mcp:search': 'agents: search',
    'mcp:fetch': 'agents: read a page',
    'mcp:crawl': 'agents: crawl a site',
    'mcp:templates': 'agents: run templates',
    'mcp:extract': 'agents: extract rows from a page',
  },
}
