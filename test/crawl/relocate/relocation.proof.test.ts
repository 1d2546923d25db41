import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LEASE_MS, OWNER } from '../../support/worlds/world.ts'
import { keeping, openDriftingTask } from '../../support/worlds/drifting-task.ts'
import type { Draw } from '../../support/worlds/drifting-task.ts'
import { fingerprint } from '../../support/worlds/invariants.ts'
import { FAULTS, playEach } from '../../support/stores/fault-store.ts'
import { faultyStore, workThrough } from '../../support/stores/play-fault.ts'

/** The names and wrappers of the parts of a site. */
interface Style {
  readonly item: string
  readonly name: string
  readonly price: string
  /** Elements around each price. */
  readonly wrappers: number
  readonly tag: 'li' | 'div' | 'article'
  /** True if the price comes before the name. */
  readonly isTurned: boolean
}

const OLD: Style = {
  item: 'item',
  name: 'name',
  price: 'price',
  wrappers: 0,
  tag: 'div',
  isTurned: false,
}
const word = fc.constantFrom(
  'card',
  'box',
  'tile',
  'amount',
  'cost',
  'head',
  'label',
  'x9f2a',
  'q1',
)
const styles = fc
  .record({
    words: fc.uniqueArray(word, { minLength: 3, maxLength: 3 }),
    wrappers: fc.integer({ min: 0, max: 3 }),
    tag: fc.constantFrom<Style['tag']>('li', 'div', 'article'),
    isTurned: fc.boolean(),
  })
  .map(({ words: [item = '', name = '', price = ''], ...rest }) => ({ item, name, price, ...rest }))

function part({ name, price, wrappers, isTurned }: Style, what: string, cents: number): string {
  const parts = [
    `<h3 class="${name}">${what}</h3>`,
    `${'<div>'.repeat(wrappers)}<b class="${price}">€ ${cents / 100}</b>${'</div>'.repeat(wrappers)}`,
  ]
  return (isTurned ? parts.toReversed() : parts).join('')
}

const single =
  (style: Style): Draw =>
  (number) =>
    `<main>${part(style, `Pen ${number}`, number * 100 + 25)}</main><p>Shipping € 4</p>`
const list =
  (style: Style): Draw =>
  (number) =>
    `<main>${[1, 2, 3, 4]
      .map(
        (i) =>
          `<${style.tag} class="${style.item}">${part(style, `Pen ${number}-${i}`, number * 100 + i)}</${style.tag}>`,
      )
      .join('')}</main>`
const FIELDS = { name: '.name', price: { css: '.price', as: 'number' } }

describe('a site whose names, wrappers and order have changed', () => {
  it.each([
    ['one row a page', { fields: FIELDS }, single],
    ['items', { items: '.item', fields: FIELDS }, list],
  ])('gives the same rows after the repair: %s', async (_, extract, draw) => {
    await fc.assert(
      fc.asyncProperty(styles, async (style) => {
        const { world, start } = await openDriftingTask(keeping(extract), draw(OLD), draw(style), {
          drift: 'repair',
        })
        const good = await start()
        await world.work()
        const { relocation } = await world.read(good)
        const next = await start()
        await world.work()
        expect([relocation?.status, fingerprint(await world.rows(next))]).toEqual([
          'repaired',
          fingerprint(rowsOf(draw === list)),
        ])
      }),
      { numRuns: 60 },
    )
  })
})

function rowsOf(isList: boolean) {
  return [1, 2, 3, 4, 5, 6].flatMap((number) =>
    isList
      ? [1, 2, 3, 4].map((i) => ({ name: `Pen ${number}-${i}`, price: number + i / 100 }))
      : [{ name: `Pen ${number}`, price: number + 0.25 }],
  )
}

describe.each(FAULTS)('with the fault "%s" at any commit', (fault) => {
  it('a task is repaired exactly once, with one event', async () => {
    const { broken } = await playEach(fault, async (k) => {
      const { world, task, start, events } = await openDriftingTask(
        keeping({ fields: FIELDS }),
        single(OLD),
        single({ ...OLD, price: 'cost' }),
        { drift: 'repair' },
      )
      const id = await start()
      const faulty = faultyStore(world, k, fault)
      await workThrough(world, id, faulty)
      for (let round = 0; round < 3; round++) {
        await world.clock.advance(4 * LEASE_MS)
        await world.work()
      }
      const wrong: string[] = []
      const { recipe } = await world.platform.api.tasks.get(OWNER, task)
      if (!JSON.stringify(recipe).includes('.cost')) wrong.push('the task is not repaired')
      if ((await world.read(id)).relocation?.status !== 'repaired') wrong.push('it is not told')
      if (JSON.stringify((await events()).toSorted()) !== JSON.stringify(EVENTS))
        wrong.push(`the events are ${(await events()).join()}`)
      if (!(await world.platform.verify()).ok) wrong.push('verify differs')
      return { fired: faulty.fired, broken: wrong }
    })
    expect(broken).toEqual([])
  })
})

const EVENTS = ['task.drift', 'task.relocation', 'task.repaired']
