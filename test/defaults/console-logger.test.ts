import { expect, it } from 'vitest'
import { createConsoleLogger } from '../../src/defaults/console-logger.ts'
import type { LogLevel } from '../../src/defaults/console-logger.ts'

function logger(level?: LogLevel) {
  const lines: string[] = []
  const write =
    (to: string) =>
    (line: unknown): void =>
      void lines.push(`${to}: ${String(line)}`)
  const target = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  }
  return { lines, log: createConsoleLogger({ console: target, ...(level && { level }) }) }
}

it('each message is one short line with its fields', () => {
  const { lines, log } = logger()
  const circular: { self?: unknown } = {}
  circular.self = circular
  log.info('Started', {
    url: 'http://127.0.0.1:8080/',
    n: 3,
    ok: true,
    none: null,
    name: 'two words',
    list: [1],
    error: new Error('no "way"'),
    circular,
  })
  expect(lines).toEqual([
    'info: info Started url=http://127.0.0.1:8080/ n=3 ok=true none=null name="two words" ' +
      'list=[1] error="no \\"way\\"" circular=[unprintable]',
  ])
})

it('a message with line breaks is written on one line', () => {
  const { lines, log } = logger()
  log.warn('page said \n\u001b[31merror fake', { title: 'a\nb' })
  expect(lines).toEqual(['warn: warn page said  [31merror fake title="a\\nb"'])
})

it.each([
  ['debug', 4],
  [undefined, 3],
  ['warn', 2],
  ['error', 1],
  ['silent', 0],
] as const)('at level %s %i of four messages are shown', (level, count) => {
  const { lines, log } = logger(level)
  log.debug('d')
  log.info('i')
  log.warn('w')
  log.error('e')
  expect(lines).toHaveLength(count)
})
