import { expect, it } from 'vitest'
import { createJsonLogger } from '../../src/defaults/json-logger.ts'
import type { LogLevel } from '../../src/defaults/console-logger.ts'

// Proves that each line is valid JSON, whatever is logged.

function setUp(level?: LogLevel) {
  const lines: string[] = []
  const write = (line: unknown): void => void lines.push(String(line))
  const logger = createJsonLogger({
    console: { debug: write, info: write, warn: write, error: write },
    clock: { now: () => 1_750_000_000_000 },
    ...(level && { level }),
  })
  const read = (): unknown[] => lines.map((line): unknown => JSON.parse(line))
  return { logger, lines, read }
}

it('a line has time, level and message first, then the fields', () => {
  const { logger, lines } = setUp()
  logger.warn('The store is slow', { ms: 12, time: 'x', at: new Date(0), none: null })
  expect(lines).toEqual([
    '{"time":"2025-06-15T15:06:40.000Z","level":"warn","message":"The store is slow","ms":12,' +
      '"at":"1970-01-01T00:00:00.000Z","none":null}',
  ])
})

it('an error is written with its cause', () => {
  const { logger, read } = setUp()
  logger.error('Failed', { error: new TypeError('no', { cause: new Error('why') }) })
  expect(read()).toMatchObject([
    {
      error: {
        name: 'TypeError',
        message: 'no',
        stack: expect.any(String),
        cause: { message: 'why' },
      },
    },
  ])
})

it('any value is logged as one line', () => {
  const { logger, lines, read } = setUp('debug')
  const circular: Record<string, unknown> = { big: 1n, text: 'a\nb\u2028' }
  circular['self'] = circular
  const unwilling = {
    toJSON() {
      throw new Error('no')
    },
  }
  logger.debug('a\nb', circular)
  logger.debug('Unwilling', { unwilling })
  logger.debug('Long', { text: 'x'.repeat(1_000_000) })
  expect(lines.map((line) => line.includes('\n'))).toEqual([false, false, false])
  expect(lines.at(-1)?.length).toBeLessThan(21_000)
  expect(read()).toMatchObject([
    { message: 'a\nb', big: '1' },
    { unprintable: ['unwilling'] },
    { message: 'Long' },
  ])
})

it('messages below the level are left out', () => {
  const { logger, lines } = setUp('error')
  logger.info('x')
  logger.warn('x')
  logger.error('x')
  expect(lines).toHaveLength(1)
})
