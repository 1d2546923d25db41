import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Shop } from '../../examples/demo/shop.ts'
import { openPostgres } from '../support/postgres/open.ts'
import { startDocsSite } from '../support/worlds/docs-site.ts'
import { Person } from './person.ts'

const { host, sql } = await openPostgres()
let site: Shop
beforeAll(async () => {
  site = await startDocsSite()
})
afterAll(() => site.close())

const CUSTOMERS = ['acme', 'birch', 'cobalt']

test('an operator with three customers on Postgres makes a backup, moves one and erases one', async () => {
  await sql`create database story`
  const person = new Person({
    SEINE_STORE: `postgres://seine@/story?host=${encodeURIComponent(host)}`,
    SEINE_BLOBS: 'file:blobs',
  })
  try {
    await person.types('npm install seine pg')
    const server = person.starts('npx seine serve --port 0 --allow-private-network')
    const [, url = ''] = await server.sees(/^listening (\S+)$/m)
    person.writes(
      'pens.json',
      JSON.stringify({ start: { urls: [`${site.url}/category/pens`] }, extract: 'auto' }),
    )
    const keys = new Map<string, string>()
    for (const account of CUSTOMERS) {
      const output = await person.types(`npx seine keys create --account ${account} --user ann`)
      keys.set(account, /svc_sk_\S+/.exec(output)?.[0] ?? '')
    }
    const as = (account: string, command: string): Promise<string> =>
      person.types(`SEINE_KEY=${keys.get(account)} npx seine ${command} --url ${url}`)
    for (const account of CUSTOMERS) {
      const { id } = JSON.parse(
        await as(account, `tasks create pens.json --name ${account} --json`),
      )
      await as(account, `runs start ${id}`)
      const status = async (): Promise<string> =>
        JSON.parse((await as(account, 'runs list --json')).trim()).status
      await expect.poll(status, { interval: 200 }).toBe('succeeded')
    }
    person.tells('an operator has rows of three customers on Postgres')
    for (const account of CUSTOMERS) {
      const tasks = await as(account, 'tasks list')
      expect(CUSTOMERS.filter((name) => tasks.includes(name))).toEqual([account])
      expect(await as(account, 'usage balance')).not.toBe('')
    }
    expect(await person.fails(`SEINE_KEY=svc_sk_wrong npx seine runs list --url ${url}`)).toMatch(
      /key|credential/i,
    )
    expect(await person.types('npx seine verify')).toContain('Everything agrees')
    expect(await person.types('npx seine backup all.tar')).toMatch(/^\d+ records and 3 blobs/)
    expect(await person.types('npx seine backup birch.tar --account birch')).toContain(
      ' and 1 blob (',
    )
    expect(await person.fails('npx seine erase birch')).toContain('--yes')
    expect(await person.types('npx seine erase birch --yes')).toContain('birch are erased')
    expect(
      await person.fails(`SEINE_KEY=${keys.get('birch')} npx seine runs list --url ${url}`),
    ).toMatch(/key|credential/i)
    // From here on the customer has a machine of its own.
    expect(
      await person.types('unset SEINE_STORE SEINE_BLOBS; npx seine restore birch.tar --data birch'),
    ).toContain('The account birch of ')
    expect(
      await person.types(
        'unset SEINE_STORE SEINE_BLOBS; npx seine runs list --data birch --account birch',
      ),
    ).toContain('succeeded')
    expect(await as('acme', 'runs list')).toContain('succeeded')
    // The database and the server are two ways to one account.
    const extract = `extract ${site.url}/category/pens --json`
    const rows = await as('acme', `${extract} --allow-private-network 2>/dev/null`)
    expect(rows.trim().split('\n')).toHaveLength(7)
    const here = `npx seine ${extract} --account acme`
    expect(await person.fails(`${here} --allow-private-network`)).toContain(
      'Other accounts also have data here (cobalt, default)',
    )
    const allowed = `SEINE_ALLOW_PRIVATE_NETWORK=1 ${here} 2>/dev/null`
    expect(await person.types(allowed)).toBe(rows)
    expect(await as('acme', 'tasks list')).toMatch(/extract[\s\S]*extract/)
    expect(await person.types('npx seine verify')).toContain('Everything agrees')
  } finally {
    await person.leaves()
  }
})
