import { expect } from 'vitest'
import type { DriftPolicy } from '../../../src/features/tasks/records.ts'
import type { Json } from '../../../src/kernel/json.ts'
import { openDriftingTask } from '../../support/worlds/drifting-task.ts'
import type { Draw } from '../../support/worlds/drifting-task.ts'

export const FIELDS = { name: 'h1', price: { css: '.price', as: 'number' } }
export const page = (number: number, price: string): string =>
  `<nav><a>Pens</a></nav><h1>Pen ${number}</h1>${price}<p>Shipping € 4</p>`
export const before: Draw = (number) => page(number, `<p class="price">€ ${number}.50</p>`)
export const after: Draw = (number) => page(number, `<div><p class="cost">€ ${number}.50</p></div>`)
export const NEW_PRICE = { css: 'p.cost', as: 'number' }

/** Runs a task on a site that changes, and returns the execution that drifted. */
export async function drifted(recipe: Json, first: Draw, last: Draw, drift?: DriftPolicy) {
  const task = await openDriftingTask(recipe, first, last, drift && { drift })
  const execution = await task.start()
  await task.world.work()
  return {
    ...task,
    execution,
    api: task.world.platform.api,
    relocation: (await task.world.read(execution)).relocation,
  }
}

/** Runs such a task, for which no source may be proposed. Returns the code of the reason. */
export async function whyNone(recipe: Json, first: Draw, last: Draw) {
  const { relocation } = await drifted(recipe, first, last)
  expect(relocation?.status).toBe('none')
  expect(relocation?.fields.every(({ proposal }) => proposal === null)).toBe(true)
  return relocation?.reason?.code
}
