import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createCursors } from '../../src/kernel/cursor.ts'
import type { CursorContext } from '../../src/kernel/cursor.ts'

const secretOf = (byte: number) => async () => new Uint8Array(32).fill(byte)
const cursors = createCursors(secretOf(1))
const context: CursorContext = {
  account: 'acme',
  operation: 'tasks.list',
  filter: ['active', null],
}
const refusal = { code: 'BAD_REQUEST', issues: [{ path: 'cursor' }] }
const position = fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 4 })

it('a cursor gives any position back', async () => {
  await fc.assert(
    fc.asyncProperty(position, async (cursor) => {
      expect(await cursors.open(context, await cursors.seal(context, cursor))).toEqual(cursor)
    }),
  )
})

it.each<[string, CursorContext]>([
  ['account', { ...context, account: 'globex' }],
  ['operation', { ...context, operation: 'keys.list' }],
  ['filter', { ...context, filter: ['paused', null] }],
])('a cursor is refused for another %s', async (_, other) => {
  await expect(cursors.open(other, await cursors.seal(context, ['a']))).rejects.toMatchObject(
    refusal,
  )
})

it('a cursor is refused with another secret', async () => {
  await expect(
    createCursors(secretOf(2)).open(context, await cursors.seal(context, ['a'])),
  ).rejects.toMatchObject(refusal)
})

it('a cursor is refused after any change of a character', async () => {
  const cursor = await cursors.seal(context, ['task_1', 7])
  await fc.assert(
    fc.asyncProperty(
      fc.nat(cursor.length - 1),
      fc.constantFrom(...'aZ09-_=.+/ \u0000é'),
      async (offset, character) => {
        fc.pre(cursor[offset] !== character)
        await expect(
          cursors.open(context, cursor.slice(0, offset) + character + cursor.slice(offset + 1)),
        ).rejects.toMatchObject(refusal)
      },
    ),
  )
})

it('any other text is refused as a cursor', async () => {
  const cursor = await cursors.seal(context, ['a'])
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc.base64String(),
        fc.constant(`${cursor}A`),
        fc.constant(cursor.slice(1)),
        fc.constant('A'.repeat(10_000)),
      ),
      async (text) => {
        await expect(cursors.open(context, text)).rejects.toMatchObject(refusal)
      },
    ),
  )
})

it('a secret that could not be read is read again', async () => {
  let reads = 0
  const shaky = createCursors(async () => {
    if (++reads === 1) throw new Error('store down')
    return new Uint8Array(32)
  })
  await expect(shaky.seal(context, [])).rejects.toThrow('store down')
  expect(await shaky.open(context, await shaky.seal(context, ['a']))).toEqual(['a'])
})
