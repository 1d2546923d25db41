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

test('who has an Express app has rows below /data of it', async () => {
  const port = await freePort()
  const person = new Person({ PORT: String(port) })
  try {
    await person.types('npm init --yes && npm pkg set type=module && npm install express')
    await person.types('npm install seine')
    const told = await person.types('npx seine init')
    expect(told).toMatch(/express/i)
    const [file = ''] = /\b[\w-]+\.(?:ts|js|mjs)\b/.exec(told) ?? []
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
    person.tells('an own Express app answers')
    await app.ends()
  } finally {
    await person.leaves()
  }
})
