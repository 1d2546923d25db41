import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Shop } from '../../examples/demo/shop.ts'
import { startDocsSite } from '../support/worlds/docs-site.ts'
import { Person } from './person.ts'

let site: Shop
beforeAll(async () => {
  site = await startDocsSite()
})
afterAll(() => site.close())

const HERE = '--allow-private-network'

test('a newcomer gets a file of rows with two commands', async () => {
  const person = new Person()
  try {
    const installed = await person.types('npm install seine')
    expect(installed).toMatch(/added \d+ packages/)
    expect(installed).not.toMatch(/EBADENGINE|ERESOLVE|vulnerab/i)
    const screen = await person.types(
      `npx seine extract ${site.url}/category/pens --pages 3 --out pens.csv ${HERE}`,
    )
    person.tells('a newcomer has a file of rows')
    expect(screen).toMatch(/^title +url +image +price/m)
    expect(screen).toContain('Fountain pen in brass')
    expect(screen).toContain('pens.csv')
    expect(person.reads('pens.csv').trim().split('\n').length).toBe(21)
    expect(await person.types('npx seine --help')).toContain('seine extract <url>')
    expect(await person.fails('npx seine extrakt')).toContain('did you mean extract?')
    expect(await person.types(`npx seine doctor ${HERE}`)).toMatch(/^node +ok/m)
  } finally {
    await person.leaves()
  }
})

test('a data analyst saves a recipe, runs it again, and gets the changes', async () => {
  const person = new Person()
  try {
    await person.types('npm install seine')
    await person.types(
      `npx seine extract ${site.url}/category/pens --items .product --field name=h2 ` +
        `--field "price:number=.price" --next a.next --pages 10 --save-recipe pens.json ${HERE}`,
    )
    expect(JSON.parse(person.reads('pens.json'))).toMatchObject({
      extract: { items: '.product' },
    })
    const rows = await person.types(
      `npx seine extract --recipe pens.json --json ${HERE} 2>/dev/null | tee rows.jsonl`,
    )
    person.tells('a data person has rows of a recipe of her own')
    const [first = ''] = rows.split('\n')
    expect(JSON.parse(first)).toEqual({ name: 'Fountain pen in brass', price: 10.35 })

    const task = await person.types(`npx seine tasks create pens.json --name Pens --json ${HERE}`)
    const { id } = JSON.parse(task)
    const server = person.starts(`npx seine serve --port 0 ${HERE}`)
    await server.sees(/^listening /m)
    await person.types(`npx seine runs start ${id} ${HERE}`)
    const last = async (): Promise<{ id: string; status: string } | undefined> =>
      (await person.types('npx seine runs list --json'))
        .trim()
        .split('\n')
        .map((line): { id: string; status: string; taskId: string | null } => JSON.parse(line))
        .find(({ taskId }) => taskId === id)
    await expect.poll(async () => (await last())?.status, { interval: 500 }).toBe('succeeded')
    const done = await last()
    await person.types(`npx seine export ${done?.id} --out pens.xlsx`)
    await person.types(`npx seine export ${done?.id} --out pens.parquet`)
    expect(person.reads('pens.xlsx').startsWith('PK')).toBe(true)
    expect(await person.types(`npx seine pages ${done?.id}`)).toContain('fetched')
    await person.types(`npx seine schedule set ${id} "0 6 * * *"`)
    expect(await person.types(`npx seine schedule show ${id}`)).toContain('0 6 * * *')
    await person.types('npx seine backup kept.tar')
    expect(await person.types('npx seine restore kept.tar --data copy')).toContain(
      'Everything agrees',
    )
  } finally {
    await person.leaves()
  }
})
