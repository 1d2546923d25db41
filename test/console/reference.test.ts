import { expect, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import {
  callOf,
  hasTerms,
  NOT_IN_CLIENT,
  readReference,
} from '../../src/console/app/reference/read-reference.ts'
import { isObject } from '../../src/kernel/json.ts'
import { createServiceHost } from '../support/worlds/service-host.ts'

const host = await createServiceHost()
const { operations, schemas } = readReference((await host.call('GET', '/api/v1/openapi.json')).body)
const operation = (id: string) => {
  const match = operations.find((candidate) => candidate.id === id)
  if (match === undefined) throw new Error(`There is no ${id}`)
  return match
}

test('each operation to copy is a method of the client', () => {
  const client: unknown = createClient({ baseUrl: 'https://data.example' })
  const missing = operations.filter(({ id }) => {
    let value: unknown = client
    for (const name of id.split('.')) value = isObject(value) ? value[name] : undefined
    return typeof value !== 'function'
  })
  expect(missing.map(({ id }) => id).toSorted()).toEqual([...NOT_IN_CLIENT].toSorted())
  expect(operations.length).toBeGreaterThan(50)
})

test('the call to copy has the values of the form of an operation', () => {
  expect(callOf(operation('tasks.list'), { limit: '10', q: 'pens', cursor: '' }, '')).toEqual({
    method: 'GET',
    path: '/api/v1/tasks?q=pens&limit=10',
    operation: 'tasks.list',
    args: [{ q: 'pens', limit: 10 }],
  })
  expect(callOf(operation('tasks.update'), { id: 'task 1' }, '{"status":"paused"}')).toEqual({
    method: 'PATCH',
    path: '/api/v1/tasks/task%201',
    body: { status: 'paused' },
    operation: 'tasks.update',
    args: ['task 1', { status: 'paused' }],
  })
  expect(callOf(operation('tasks.update'), { id: 'task_1' }, '{')).toBeNull()
  expect(callOf(operation('reference.openapi'), {}, '')).toEqual({
    method: 'GET',
    path: '/api/v1/openapi.json',
    args: [],
  })
})

test('operations are found by the words of their schemas, some levels deep', () => {
  const texts = new Map(
    schemas.map((schema) => [schema.name, JSON.stringify(schema).toLowerCase()]),
  )
  const matching = (...terms: string[]) =>
    operations.filter((candidate) => hasTerms(candidate, texts, terms)).map(({ id }) => id)
  expect(matching('skipped_overlap', 'nextruns')).toContain('tasks.schedule')
  expect(matching('no_such_word', 'nextruns')).toEqual([])
  const schedule = schemas.find(({ name }) => name === 'ScheduleState')
  expect(schedule?.parts.find(([name]) => name === 'pastTimes')?.[1]).toMatch(/last seven days/)
})
