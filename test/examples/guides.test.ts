import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { platform as billing } from '../../examples/guides/billing.ts'
import { platform as browser } from '../../examples/guides/browser.ts'
import { platform as oauth } from '../../examples/guides/oauth.ts'
import { platform as sessions } from '../../examples/guides/sessions.ts'
import { platform as telemetry } from '../../examples/guides/telemetry.ts'
import { platform as templates } from '../../examples/guides/template.ts'
import { createPlatform, parseRecipe, type Model } from '../../src/index.ts'
import { blocksOf } from '../support/sources/doc-blocks.ts'
import { root } from '../support/sources/sources.ts'
import { startDocsSite } from '../support/worlds/docs-site.ts'

// Examples that a page runs are tested by test/docs/run-pages.proof.test.ts.

const read = async (
  platform: { fetch(request: Request): Promise<Response> },
  path: string,
  headers = {},
) => {
  const answer = await platform.fetch(new Request(`https://data.example.com${path}`, { headers }))
  return { status: answer.status, body: await answer.text() }
}

test('accounts can choose the plans of the guide', async () => {
  const owner = { account: 'acme', user: 'ann', scopes: ['*'] }
  const { plans } = await billing.api.billing.plans(owner)
  expect(plans.map(({ id }) => id)).toEqual(['free', 'pro'])
})

test('the template of the guide is in the catalog, beside the built-in ones', async () => {
  const { body } = await read(templates, '/api/v1/templates?q=tides')
  expect(body).toContain('"id":"tides"')
  const { body: other } = await read(templates, '/api/v1/templates?q=product+list')
  expect(other).toContain('"id":"product-list"')
})

test('a session of the guide gives a principal, and a request without a session gives none', async () => {
  const me = (session: string) => read(sessions, '/api/v1/me', { 'x-session': session })
  expect((await me('a-session')).body).toContain('"user":"ann"')
  expect((await me('other')).status).toBe(401)
})

test('the OAuth metadata of the guide names its authorization server', async () => {
  const { body } = await read(oauth, '/.well-known/oauth-protected-resource/mcp')
  expect(JSON.parse(body)).toMatchObject({
    resource: 'https://data.example.com/mcp',
    authorization_servers: ['https://auth.example.com'],
  })
})

test('the platforms with a browser, a model and telemetry of the guides can be made', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'a-key')
  const { platform: model } = await import('../../examples/guides/model.ts')
  for (const platform of [browser, model, telemetry])
    expect((await read(platform, '/api/v1/openapi.json')).status).toBe(200)
})

const ROWS = 'rows of examples/recipes/positions.json, compared by test/examples/guides.test.ts'

/** Finds the values of the recipe in a text, like a model. */
const reader: Model = {
  ask: async ({ text }) => {
    const parts = text.split(/^===== part (?=\d)/m).slice(1)
    const rows = parts.map((part, index) => {
      const pay = /We pay ([\d,]+)/.exec(part)?.[1]
      const [, skills = ''] = /You know ([^.]+)\./.exec(part) ?? []
      const [, name = null, phone = null] = /Write to ([^,]+), ([\d ]+)\./.exec(part) ?? []
      return {
        part: index + 1,
        salary: pay === undefined ? null : Number(pay.replace(',', '')),
        skills: skills.split(' and '),
        contact: { name, phone },
      }
    })
    return { json: { rows }, inputTokens: null, outputTokens: null }
  },
}

test('the recipe of the guide on models gives the rows that it shows', async () => {
  const site = await startDocsSite()
  const platform = createPlatform({ allowPrivateNetwork: true, model: reader })
  try {
    const text = readFileSync(join(root, 'examples/recipes/positions.json'), 'utf8')
    const { recipe } = parseRecipe(JSON.parse(text.replaceAll('https://pencil.example', site.url)))
    const ann = { account: 'acme', user: 'ann', scopes: ['*'] }
    const { id } = await platform.api.executions.run(ann, { recipe })
    await platform.worker.tick({})
    const { items } = await platform.api.results.list(ann, id, {})
    const guide = readFileSync(join(root, 'docs/guides/model-fields.md'), 'utf8')
    const shown = blocksOf(guide).find(({ marker }) => marker === ROWS)
    expect(items).toEqual(JSON.parse(shown?.code ?? ''))
  } finally {
    await platform.close()
    await site.close()
  }
})
