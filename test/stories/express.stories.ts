import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Shop } from '../../examples/demo/shop.ts'
import { freePort } from '../support/free-port.ts'
import { startDocsSite } from '../support/worlds/docs-site.ts'
import { Person } from './person.ts'

let site: Shop
beforeAll(async () => {
  site = await startDocsSite()
})
afterAll(() => site.close())

test('a developer with an Express app gets rows below its path /data', async () => {
  const port = await freePort()
  const person = new Person({ PORT: String(port) })
  try {
    await person.types('npm install express')
    await person.types('npm pkg set type=module')
    await person.types('npm install seine')
    const output = await person.types('npx seine init')
    expect(output).toMatch(/express/i)
    const [file = ''] = /\b[\w-]+\.(?:ts|js|mjs)\b/.exec(output) ?? []
    expect(person.reads(file)).toContain("from 'express'")
    // The site is on this machine.
    person.writes(
      file,
      person.reads(file).replace('createPlatform({', 'createPlatform({ allowPrivateNetwork: true,'),
    )
    const app = person.starts(`node ${file}`)
    await expect
      .poll(
        async () => (await fetch(`http://127.0.0.1:${port}/data/api/v1`).catch(() => null))?.status,
        {
          interval: 100,
        },
      )
      .toBeGreaterThan(0)
    const [create = ''] = /npx seine keys create .*/.exec(output) ?? []
    const [key = ''] = /svc_sk_\S+/.exec(await person.types(create)) ?? []
    const call = async (path: string, body?: object) => {
      const response = await fetch(`http://127.0.0.1:${port}/data/api/v1${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      const answer: ReturnType<typeof JSON.parse> = await response.json()
      if (!response.ok) throw new Error(JSON.stringify(answer))
      return answer.data
    }
    const run = await call('/executions', {
      recipe: { start: { urls: [`${site.url}/category/pens`] }, extract: 'auto' },
    })
    const status = async (): Promise<string> => (await call(`/executions/${run.id}`)).status
    await expect.poll(status, { interval: 200 }).toBe('succeeded')
    const rows = await call(`/executions/${run.id}/results`)
    person.tells('an own Express app has rows')
    expect(rows.length ?? rows.items.length).toBeGreaterThan(5)
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toContain('your own site')
    await app.ends()
  } finally {
    await person.leaves()
  }
})
