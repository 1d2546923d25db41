// Made from the route table: do not edit. After a change of routes or schemas: npm run client
import type { Call } from './call.ts'
import type { Resources } from './operations.ts'
import { path } from './path.ts'

/** The methods of all operations. */
export function createResources(call: Call): Resources {
  return {
    mcp: {
      tools: async (options) => call.data('GET', '/api/v1/mcp/tools', {}, options),
      iterateTools: (options) => call.each('/api/v1/mcp/tools', {}, options),
      call: async (body, options) =>
        call.data('POST', '/api/v1/mcp/agentic-executions', { body }, options),
      list: async (query, options) =>
        call.data('GET', '/api/v1/mcp/agentic-executions', { query }, options),
      iterate: (query, options) => call.each('/api/v1/mcp/agentic-executions', query, options),
      get: async (id, options) =>
        call.data('GET', path`/api/v1/mcp/agentic-executions/${id}`, {}, options),
    },
    analytics: {
      summary: async (query, options) =>
        call.data('GET', '/api/v1/analytics/usage/summary', { query }, options),
      series: async (query, options) =>
        call.data('GET', '/api/v1/analytics/usage/series', { query }, options),
      executions: async (query, options) =>
        call.data('GET', '/api/v1/analytics/executions', { query }, options),
      tasks: async (query, options) =>
        call.data('GET', '/api/v1/analytics/tasks', { query }, options),
      iterateTasks: (query, options) => call.each('/api/v1/analytics/tasks', query, options),
      task: async (id, query, options) =>
        call.data('GET', path`/api/v1/analytics/tasks/${id}`, { query }, options),
    },
    audit: {
      list: async (query, options) => call.data('GET', '/api/v1/audit', { query }, options),
      iterate: (query, options) => call.each('/api/v1/audit', query, options),
      export: async (query, options) => call.file('/api/v1/audit/export', query, options),
    },
    billing: {
      balance: async (options) => call.data('GET', '/api/v1/billing/balance', {}, options),
      ledger: async (query, options) =>
        call.data('GET', '/api/v1/billing/ledger', { query }, options),
      iterateLedger: (query, options) => call.each('/api/v1/billing/ledger', query, options),
      activity: async (query, options) =>
        call.data('GET', '/api/v1/billing/activity', { query }, options),
      iterateActivity: (query, options) => call.each('/api/v1/billing/activity', query, options),
      usage: async (query, options) =>
        call.data('GET', '/api/v1/billing/usage', { query }, options),
      callers: async (query, options) =>
        call.data('GET', '/api/v1/billing/usage/callers', { query }, options),
      plans: async (options) => call.data('GET', '/api/v1/billing/plans', {}, options),
      subscription: async (options) =>
        call.data('GET', '/api/v1/billing/subscription', {}, options),
      subscribe: async (body, options) =>
        call.data('PUT', '/api/v1/billing/subscription', { body }, options),
      statements: async (query, options) =>
        call.data('GET', '/api/v1/billing/statements', { query }, options),
      iterateStatements: (query, options) =>
        call.each('/api/v1/billing/statements', query, options),
      statement: async (id, query, options) =>
        call.data('GET', path`/api/v1/billing/statements/${id}`, { query }, options),
      statementFile: async (id, query, options) =>
        call.file(path`/api/v1/billing/statements/${id}`, query, options),
      topUp: async (body, options) =>
        call.data('POST', '/api/v1/billing/top-ups', { body }, options),
      topUps: async (query, options) =>
        call.data('GET', '/api/v1/billing/top-ups', { query }, options),
      iterateTopUps: (query, options) => call.each('/api/v1/billing/top-ups', query, options),
      getTopUp: async (id, options) =>
        call.data('GET', path`/api/v1/billing/top-ups/${id}`, {}, options),
    },
    datasets: {
      create: async (body, options) => call.data('POST', '/api/v1/datasets', { body }, options),
      list: async (query, options) => call.data('GET', '/api/v1/datasets', { query }, options),
      iterate: (query, options) => call.each('/api/v1/datasets', query, options),
      get: async (id, options) => call.data('GET', path`/api/v1/datasets/${id}`, {}, options),
      update: async (id, body, options) =>
        call.data('PATCH', path`/api/v1/datasets/${id}`, { body }, options),
      delete: async (id, options) => call.data('DELETE', path`/api/v1/datasets/${id}`, {}, options),
      items: async (id, query, options) =>
        call.data('GET', path`/api/v1/datasets/${id}/items`, { query }, options),
      iterateItems: (id, query, options) =>
        call.each(path`/api/v1/datasets/${id}/items`, query, options),
      changes: async (id, query, options) =>
        call.data('GET', path`/api/v1/datasets/${id}/changes`, { query }, options),
      export: async (id, query, options) =>
        call.file(path`/api/v1/datasets/${id}/export`, query, options),
    },
    estimates: {
      recipe: async (body, options) =>
        call.data('POST', '/api/v1/tasks/estimate', { body }, options),
      task: async (id, body, options) =>
        call.data('POST', path`/api/v1/tasks/${id}/estimate`, { body }, options),
    },
    executions: {
      start: async (id, body, options) =>
        call.data('POST', path`/api/v1/tasks/${id}/executions`, { body }, options),
      listOfTask: async (id, query, options) =>
        call.data('GET', path`/api/v1/tasks/${id}/executions`, { query }, options),
      iterateOfTask: (id, query, options) =>
        call.each(path`/api/v1/tasks/${id}/executions`, query, options),
      run: async (body, options) => call.data('POST', '/api/v1/executions', { body }, options),
      list: async (query, options) => call.data('GET', '/api/v1/executions', { query }, options),
      iterate: (query, options) => call.each('/api/v1/executions', query, options),
      get: async (id, options) => call.data('GET', path`/api/v1/executions/${id}`, {}, options),
      cancel: async (id, options) =>
        call.data('POST', path`/api/v1/executions/${id}/cancel`, {}, options),
      pause: async (id, options) =>
        call.data('POST', path`/api/v1/executions/${id}/pause`, {}, options),
      resume: async (id, options) =>
        call.data('POST', path`/api/v1/executions/${id}/resume`, {}, options),
      retry: async (id, options) =>
        call.data('POST', path`/api/v1/executions/${id}/retry`, {}, options),
      delete: async (id, options) =>
        call.data('DELETE', path`/api/v1/executions/${id}`, {}, options),
      deleteRows: async (id, options) =>
        call.data('DELETE', path`/api/v1/executions/${id}/results`, {}, options),
      deleteMedia: async (id, options) =>
        call.data('DELETE', path`/api/v1/executions/${id}/media`, {}, options),
      extract: async (id, body, options) =>
        call.data('POST', path`/api/v1/executions/${id}/extract`, { body }, options),
      pages: async (id, query, options) =>
        call.data('GET', path`/api/v1/executions/${id}/pages`, { query }, options),
      iteratePages: (id, query, options) =>
        call.each(path`/api/v1/executions/${id}/pages`, query, options),
      planSteps: async (id, options) =>
        call.data('GET', path`/api/v1/executions/${id}/plan/steps`, {}, options),
      explain: async (id, query, options) =>
        call.data('GET', path`/api/v1/executions/${id}/pages/explanation`, { query }, options),
    },
    keys: {
      create: async (body, options) => call.data('POST', '/api/v1/keys', { body }, options),
      list: async (query, options) => call.data('GET', '/api/v1/keys', { query }, options),
      iterate: (query, options) => call.each('/api/v1/keys', query, options),
      revoke: async (id, query, options) =>
        call.data('DELETE', path`/api/v1/keys/${id}`, { query }, options),
    },
    me: {
      get: async (options) => call.data('GET', '/api/v1/me', {}, options),
    },
    media: {
      list: async (query, options) => call.data('GET', '/api/v1/media', { query }, options),
      iterate: (query, options) => call.each('/api/v1/media', query, options),
      get: async (id, options) => call.data('GET', path`/api/v1/media/${id}`, {}, options),
      delete: async (id, options) => call.data('DELETE', path`/api/v1/media/${id}`, {}, options),
    },
    operator: {
      accounts: async (query, options) =>
        call.data('GET', '/api/v1/operator/accounts', { query }, options),
      iterateAccounts: (query, options) => call.each('/api/v1/operator/accounts', query, options),
      account: async (id, options) =>
        call.data('GET', path`/api/v1/operator/accounts/${id}`, {}, options),
      suspend: async (id, body, options) =>
        call.data('POST', path`/api/v1/operator/accounts/${id}/suspend`, { body }, options),
      resume: async (id, body, options) =>
        call.data('POST', path`/api/v1/operator/accounts/${id}/resume`, { body }, options),
      close: async (id, body, options) =>
        call.data('POST', path`/api/v1/operator/accounts/${id}/close`, { body }, options),
      setPlan: async (id, body, options) =>
        call.data('PUT', path`/api/v1/operator/accounts/${id}/plan`, { body }, options),
      adjust: async (id, body, options) =>
        call.data('POST', path`/api/v1/operator/accounts/${id}/adjustments`, { body }, options),
      usage: async (id, query, options) =>
        call.data('GET', path`/api/v1/operator/accounts/${id}/usage`, { query }, options),
      keys: async (id, query, options) =>
        call.data('GET', path`/api/v1/operator/accounts/${id}/keys`, { query }, options),
      iterateKeys: (id, query, options) =>
        call.each(path`/api/v1/operator/accounts/${id}/keys`, query, options),
      createKey: async (id, body, options) =>
        call.data('POST', path`/api/v1/operator/accounts/${id}/keys`, { body }, options),
      revokeKey: async (id, key, body, options) =>
        call.data(
          'POST',
          path`/api/v1/operator/accounts/${id}/keys/${key}/revoke`,
          { body },
          options,
        ),
      runs: async (query, options) => call.data('GET', '/api/v1/operator/runs', { query }, options),
      iterateRuns: (query, options) => call.each('/api/v1/operator/runs', query, options),
      stuck: async (query, options) =>
        call.data('GET', '/api/v1/operator/stuck', { query }, options),
      iterateStuck: (query, options) => call.each('/api/v1/operator/stuck', query, options),
      release: async (id, run, body, options) =>
        call.data(
          'POST',
          path`/api/v1/operator/accounts/${id}/runs/${run}/release`,
          { body },
          options,
        ),
      cancel: async (id, run, body, options) =>
        call.data(
          'POST',
          path`/api/v1/operator/accounts/${id}/runs/${run}/cancel`,
          { body },
          options,
        ),
      workers: async (options) => call.data('GET', '/api/v1/operator/workers', {}, options),
      health: async (options) => call.data('GET', '/api/v1/operator/health', {}, options),
      log: async (query, options) => call.data('GET', '/api/v1/operator/log', { query }, options),
      iterateLog: (query, options) => call.each('/api/v1/operator/log', query, options),
    },
    previews: {
      recipe: async (body, options) =>
        call.data('POST', '/api/v1/tasks/preview', { body }, options),
      task: async (id, body, options) =>
        call.data('POST', path`/api/v1/tasks/${id}/preview`, { body }, options),
    },
    results: {
      list: async (id, query, options) =>
        call.data('GET', path`/api/v1/executions/${id}/results`, { query }, options),
      iterate: (id, query, options) =>
        call.each(path`/api/v1/executions/${id}/results`, query, options),
      export: async (id, query, options) =>
        call.file(path`/api/v1/executions/${id}/results/export`, query, options),
      download: async (id, query, options) =>
        call.file(path`/api/v1/executions/${id}/results/download`, query, options),
    },
    tasks: {
      schedule: async (id, options) =>
        call.data('GET', path`/api/v1/tasks/${id}/schedule`, {}, options),
      export: async (options) => call.file('/api/v1/tasks/export', {}, options),
      import: async (body, query, options) =>
        call.data('POST', '/api/v1/tasks/import', { body, query }, options),
      create: async (body, options) => call.data('POST', '/api/v1/tasks', { body }, options),
      list: async (query, options) => call.data('GET', '/api/v1/tasks', { query }, options),
      iterate: (query, options) => call.each('/api/v1/tasks', query, options),
      get: async (id, options) => call.data('GET', path`/api/v1/tasks/${id}`, {}, options),
      update: async (id, body, options) =>
        call.data('PATCH', path`/api/v1/tasks/${id}`, { body }, options),
      repair: async (id, body, options) =>
        call.data('POST', path`/api/v1/tasks/${id}/drift/repair`, { body }, options),
      delete: async (id, options) => call.data('DELETE', path`/api/v1/tasks/${id}`, {}, options),
    },
    snapshots: {
      get: async (id, options) => call.data('GET', path`/api/v1/snapshots/${id}`, {}, options),
      point: async (id, body, options) =>
        call.data('POST', path`/api/v1/snapshots/${id}/candidates`, { body }, options),
    },
    templates: {
      list: async (query, options) => call.data('GET', '/api/v1/templates', { query }, options),
      iterate: (query, options) => call.each('/api/v1/templates', query, options),
      categories: async (options) => call.data('GET', '/api/v1/templates/categories', {}, options),
      iterateCategories: (options) => call.each('/api/v1/templates/categories', {}, options),
      get: async (id, options) => call.data('GET', path`/api/v1/templates/${id}`, {}, options),
      run: async (id, body, options) =>
        call.data('POST', path`/api/v1/templates/${id}/executions`, { body }, options),
      preview: async (id, body, options) =>
        call.data('POST', path`/api/v1/templates/${id}/preview`, { body }, options),
      save: async (id, body, options) =>
        call.data('POST', path`/api/v1/templates/${id}/tasks`, { body }, options),
    },
    webhooks: {
      create: async (body, options) => call.data('POST', '/api/v1/webhooks', { body }, options),
      list: async (query, options) => call.data('GET', '/api/v1/webhooks', { query }, options),
      iterate: (query, options) => call.each('/api/v1/webhooks', query, options),
      get: async (id, options) => call.data('GET', path`/api/v1/webhooks/${id}`, {}, options),
      update: async (id, body, options) =>
        call.data('PATCH', path`/api/v1/webhooks/${id}`, { body }, options),
      delete: async (id, options) => call.data('DELETE', path`/api/v1/webhooks/${id}`, {}, options),
      rotate: async (id, body, options) =>
        call.data('POST', path`/api/v1/webhooks/${id}/rotate`, { body }, options),
      test: async (id, options) =>
        call.data('POST', path`/api/v1/webhooks/${id}/test`, {}, options),
      deliveries: async (id, query, options) =>
        call.data('GET', path`/api/v1/webhooks/${id}/deliveries`, { query }, options),
      iterateDeliveries: (id, query, options) =>
        call.each(path`/api/v1/webhooks/${id}/deliveries`, query, options),
      redeliver: async (id, deliveryId, options) =>
        call.data(
          'POST',
          path`/api/v1/webhooks/${id}/deliveries/${deliveryId}/redeliver`,
          {},
          options,
        ),
    },
  }
}
