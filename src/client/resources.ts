// Made from the route table: do not edit. After a change of routes or schemas: npm run client
import type { Call } from './call.ts'
import type { Resources } from './operations.ts'
import { path } from './path.ts'

/** The methods of all operations. */
export function createResources(call: Call): Resources {
  return {
    mcp: {
      tools: async (options) => call.data('GET', '/mcp/tools', {}, options),
      iterateTools: (options) => call.each('/mcp/tools', {}, options),
      call: async (body, options) =>
        call.data('POST', '/mcp/agentic-executions', { body }, options),
      list: async (query, options) =>
        call.data('GET', '/mcp/agentic-executions', { query }, options),
      iterate: (query, options) => call.each('/mcp/agentic-executions', query, options),
      get: async (id, options) =>
        call.data('GET', path`/mcp/agentic-executions/${id}`, {}, options),
    },
    analytics: {
      summary: async (query, options) =>
        call.data('GET', '/analytics/usage/summary', { query }, options),
      series: async (query, options) =>
        call.data('GET', '/analytics/usage/series', { query }, options),
      executions: async (query, options) =>
        call.data('GET', '/analytics/executions', { query }, options),
      tasks: async (query, options) => call.data('GET', '/analytics/tasks', { query }, options),
      iterateTasks: (query, options) => call.each('/analytics/tasks', query, options),
      task: async (id, query, options) =>
        call.data('GET', path`/analytics/tasks/${id}`, { query }, options),
    },
    audit: {
      list: async (query, options) => call.data('GET', '/audit', { query }, options),
      iterate: (query, options) => call.each('/audit', query, options),
      export: async (query, options) => call.file('/audit/export', query, options),
    },
    billing: {
      balance: async (options) => call.data('GET', '/billing/balance', {}, options),
      ledger: async (query, options) => call.data('GET', '/billing/ledger', { query }, options),
      iterateLedger: (query, options) => call.each('/billing/ledger', query, options),
      activity: async (query, options) => call.data('GET', '/billing/activity', { query }, options),
      iterateActivity: (query, options) => call.each('/billing/activity', query, options),
      usage: async (query, options) => call.data('GET', '/billing/usage', { query }, options),
      callers: async (query, options) =>
        call.data('GET', '/billing/usage/callers', { query }, options),
      plans: async (options) => call.data('GET', '/billing/plans', {}, options),
      subscription: async (options) => call.data('GET', '/billing/subscription', {}, options),
      subscribe: async (body, options) =>
        call.data('PUT', '/billing/subscription', { body }, options),
      statements: async (query, options) =>
        call.data('GET', '/billing/statements', { query }, options),
      iterateStatements: (query, options) => call.each('/billing/statements', query, options),
      statement: async (id, query, options) =>
        call.data('GET', path`/billing/statements/${id}`, { query }, options),
      statementFile: async (id, query, options) =>
        call.file(path`/billing/statements/${id}`, query, options),
      topUp: async (body, options) => call.data('POST', '/billing/top-ups', { body }, options),
      topUps: async (query, options) => call.data('GET', '/billing/top-ups', { query }, options),
      iterateTopUps: (query, options) => call.each('/billing/top-ups', query, options),
      getTopUp: async (id, options) => call.data('GET', path`/billing/top-ups/${id}`, {}, options),
    },
    datasets: {
      create: async (body, options) => call.data('POST', '/datasets', { body }, options),
      list: async (query, options) => call.data('GET', '/datasets', { query }, options),
      iterate: (query, options) => call.each('/datasets', query, options),
      get: async (id, options) => call.data('GET', path`/datasets/${id}`, {}, options),
      update: async (id, body, options) =>
        call.data('PATCH', path`/datasets/${id}`, { body }, options),
      delete: async (id, options) => call.data('DELETE', path`/datasets/${id}`, {}, options),
      items: async (id, query, options) =>
        call.data('GET', path`/datasets/${id}/items`, { query }, options),
      iterateItems: (id, query, options) => call.each(path`/datasets/${id}/items`, query, options),
      changes: async (id, query, options) =>
        call.data('GET', path`/datasets/${id}/changes`, { query }, options),
      export: async (id, query, options) => call.file(path`/datasets/${id}/export`, query, options),
    },
    estimates: {
      recipe: async (body, options) => call.data('POST', '/tasks/estimate', { body }, options),
      task: async (id, body, options) =>
        call.data('POST', path`/tasks/${id}/estimate`, { body }, options),
    },
    executions: {
      start: async (id, body, options) =>
        call.data('POST', path`/tasks/${id}/executions`, { body }, options),
      listOfTask: async (id, query, options) =>
        call.data('GET', path`/tasks/${id}/executions`, { query }, options),
      iterateOfTask: (id, query, options) =>
        call.each(path`/tasks/${id}/executions`, query, options),
      run: async (body, options) => call.data('POST', '/executions', { body }, options),
      list: async (query, options) => call.data('GET', '/executions', { query }, options),
      iterate: (query, options) => call.each('/executions', query, options),
      get: async (id, options) => call.data('GET', path`/executions/${id}`, {}, options),
      cancel: async (id, options) => call.data('POST', path`/executions/${id}/cancel`, {}, options),
      pause: async (id, options) => call.data('POST', path`/executions/${id}/pause`, {}, options),
      resume: async (id, options) => call.data('POST', path`/executions/${id}/resume`, {}, options),
      retry: async (id, body, options) =>
        call.data('POST', path`/executions/${id}/retry`, { body }, options),
      delete: async (id, options) => call.data('DELETE', path`/executions/${id}`, {}, options),
      deleteRows: async (id, options) =>
        call.data('DELETE', path`/executions/${id}/results`, {}, options),
      deleteMedia: async (id, options) =>
        call.data('DELETE', path`/executions/${id}/media`, {}, options),
      extract: async (id, body, options) =>
        call.data('POST', path`/executions/${id}/extract`, { body }, options),
      pages: async (id, query, options) =>
        call.data('GET', path`/executions/${id}/pages`, { query }, options),
      iteratePages: (id, query, options) =>
        call.each(path`/executions/${id}/pages`, query, options),
      planSteps: async (id, options) =>
        call.data('GET', path`/executions/${id}/plan/steps`, {}, options),
      explain: async (id, query, options) =>
        call.data('GET', path`/executions/${id}/pages/explanation`, { query }, options),
    },
    keys: {
      create: async (body, options) => call.data('POST', '/keys', { body }, options),
      list: async (query, options) => call.data('GET', '/keys', { query }, options),
      iterate: (query, options) => call.each('/keys', query, options),
      revoke: async (id, query, options) =>
        call.data('DELETE', path`/keys/${id}`, { query }, options),
    },
    me: {
      get: async (options) => call.data('GET', '/me', {}, options),
    },
    media: {
      list: async (query, options) => call.data('GET', '/media', { query }, options),
      iterate: (query, options) => call.each('/media', query, options),
      get: async (id, options) => call.data('GET', path`/media/${id}`, {}, options),
      delete: async (id, options) => call.data('DELETE', path`/media/${id}`, {}, options),
    },
    operator: {
      accounts: async (query, options) =>
        call.data('GET', '/operator/accounts', { query }, options),
      iterateAccounts: (query, options) => call.each('/operator/accounts', query, options),
      account: async (id, options) => call.data('GET', path`/operator/accounts/${id}`, {}, options),
      suspend: async (id, body, options) =>
        call.data('POST', path`/operator/accounts/${id}/suspend`, { body }, options),
      resume: async (id, body, options) =>
        call.data('POST', path`/operator/accounts/${id}/resume`, { body }, options),
      close: async (id, body, options) =>
        call.data('POST', path`/operator/accounts/${id}/close`, { body }, options),
      erase: async (id, body, options) =>
        call.data('POST', path`/operator/accounts/${id}/erase`, { body }, options),
      setPlan: async (id, body, options) =>
        call.data('PUT', path`/operator/accounts/${id}/plan`, { body }, options),
      adjust: async (id, body, options) =>
        call.data('POST', path`/operator/accounts/${id}/adjustments`, { body }, options),
      usage: async (id, query, options) =>
        call.data('GET', path`/operator/accounts/${id}/usage`, { query }, options),
      keys: async (id, query, options) =>
        call.data('GET', path`/operator/accounts/${id}/keys`, { query }, options),
      iterateKeys: (id, query, options) =>
        call.each(path`/operator/accounts/${id}/keys`, query, options),
      createKey: async (id, body, options) =>
        call.data('POST', path`/operator/accounts/${id}/keys`, { body }, options),
      revokeKey: async (id, key, body, options) =>
        call.data('POST', path`/operator/accounts/${id}/keys/${key}/revoke`, { body }, options),
      runs: async (query, options) => call.data('GET', '/operator/runs', { query }, options),
      iterateRuns: (query, options) => call.each('/operator/runs', query, options),
      stuck: async (query, options) => call.data('GET', '/operator/stuck', { query }, options),
      iterateStuck: (query, options) => call.each('/operator/stuck', query, options),
      release: async (id, run, body, options) =>
        call.data('POST', path`/operator/accounts/${id}/runs/${run}/release`, { body }, options),
      cancel: async (id, run, body, options) =>
        call.data('POST', path`/operator/accounts/${id}/runs/${run}/cancel`, { body }, options),
      workers: async (options) => call.data('GET', '/operator/workers', {}, options),
      health: async (options) => call.data('GET', '/operator/health', {}, options),
      verify: async (query, options) => call.file('/operator/verification', query, options),
      log: async (query, options) => call.data('GET', '/operator/log', { query }, options),
      iterateLog: (query, options) => call.each('/operator/log', query, options),
    },
    previews: {
      recipe: async (body, options) => call.data('POST', '/tasks/preview', { body }, options),
      task: async (id, body, options) =>
        call.data('POST', path`/tasks/${id}/preview`, { body }, options),
    },
    results: {
      list: async (id, query, options) =>
        call.data('GET', path`/executions/${id}/results`, { query }, options),
      iterate: (id, query, options) => call.each(path`/executions/${id}/results`, query, options),
      export: async (id, query, options) =>
        call.file(path`/executions/${id}/results/export`, query, options),
      download: async (id, query, options) =>
        call.file(path`/executions/${id}/results/download`, query, options),
    },
    tasks: {
      schedule: async (id, options) => call.data('GET', path`/tasks/${id}/schedule`, {}, options),
      export: async (options) => call.file('/tasks/export', {}, options),
      import: async (body, query, options) =>
        call.data('POST', '/tasks/import', { body, query }, options),
      create: async (body, options) => call.data('POST', '/tasks', { body }, options),
      list: async (query, options) => call.data('GET', '/tasks', { query }, options),
      iterate: (query, options) => call.each('/tasks', query, options),
      get: async (id, options) => call.data('GET', path`/tasks/${id}`, {}, options),
      update: async (id, body, options) =>
        call.data('PATCH', path`/tasks/${id}`, { body }, options),
      repair: async (id, body, options) =>
        call.data('POST', path`/tasks/${id}/drift/repair`, { body }, options),
      delete: async (id, options) => call.data('DELETE', path`/tasks/${id}`, {}, options),
    },
    snapshots: {
      get: async (id, options) => call.data('GET', path`/snapshots/${id}`, {}, options),
      files: async (id, query, options) =>
        call.data('GET', path`/snapshots/${id}/files`, { query }, options),
      iterateFiles: (id, query, options) => call.each(path`/snapshots/${id}/files`, query, options),
      point: async (id, body, options) =>
        call.data('POST', path`/snapshots/${id}/candidates`, { body }, options),
    },
    templates: {
      list: async (query, options) => call.data('GET', '/templates', { query }, options),
      iterate: (query, options) => call.each('/templates', query, options),
      categories: async (options) => call.data('GET', '/templates/categories', {}, options),
      iterateCategories: (options) => call.each('/templates/categories', {}, options),
      get: async (id, options) => call.data('GET', path`/templates/${id}`, {}, options),
      run: async (id, body, options) =>
        call.data('POST', path`/templates/${id}/executions`, { body }, options),
      preview: async (id, body, options) =>
        call.data('POST', path`/templates/${id}/preview`, { body }, options),
      save: async (id, body, options) =>
        call.data('POST', path`/templates/${id}/tasks`, { body }, options),
    },
    webhooks: {
      create: async (body, options) => call.data('POST', '/webhooks', { body }, options),
      list: async (query, options) => call.data('GET', '/webhooks', { query }, options),
      iterate: (query, options) => call.each('/webhooks', query, options),
      get: async (id, options) => call.data('GET', path`/webhooks/${id}`, {}, options),
      update: async (id, body, options) =>
        call.data('PATCH', path`/webhooks/${id}`, { body }, options),
      delete: async (id, options) => call.data('DELETE', path`/webhooks/${id}`, {}, options),
      rotate: async (id, body, options) =>
        call.data('POST', path`/webhooks/${id}/rotate`, { body }, options),
      confirm: async (id, body, options) =>
        call.data('POST', path`/webhooks/${id}/confirm`, { body }, options),
      test: async (id, options) => call.data('POST', path`/webhooks/${id}/test`, {}, options),
      deliveries: async (id, query, options) =>
        call.data('GET', path`/webhooks/${id}/deliveries`, { query }, options),
      iterateDeliveries: (id, query, options) =>
        call.each(path`/webhooks/${id}/deliveries`, query, options),
      redeliver: async (id, deliveryId, options) =>
        call.data('POST', path`/webhooks/${id}/deliveries/${deliveryId}/redeliver`, {}, options),
    },
  }
}
