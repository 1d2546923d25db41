import { expect, test } from 'vitest'
import { logRequests } from '../../../adapters/command/log-requests.ts'
import type { LoggedRequests } from '../../../adapters/command/log-requests.ts'
import { readFlags, readSettings } from '../../../adapters/command/settings/read-settings.ts'

// Proves that a request is logged if it failed, or if it is in the share of requests to log.

/** Answers requests with these statuses, one after the other; gives the statuses that were logged. */
async function logged(
  which: Exclude<LoggedRequests, 'off'>,
  statuses: readonly number[],
  draws: readonly number[] = [],
): Promise<unknown[]> {
  const lines: unknown[] = []
  const write = (_message: string, fields?: Readonly<Record<string, unknown>>) =>
    void lines.push(fields?.['status'])
  const logger = { debug: write, info: write, warn: write, error: write }
  const waiting = [...statuses]
  const left = [...draws]
  const log = logRequests(
    async () => ({ status: waiting.shift() ?? 0, headers: {}, body: null }),
    logger,
    which,
    () => left.shift() ?? 0,
  )
  for (const _ of statuses) await log(new Request('http://data.example/x?token=1'))
  return lines
}

test('all requests are logged, or only those that failed', async () => {
  expect(await logged('all', [200, 404, 500], [0.99, 0.99])).toEqual([200, 404, 500])
  expect(await logged('errors', [200, 404, 500, 503])).toEqual([500, 503])
})

test('1/100 logs requests whose random number is below a hundredth, and each that failed', async () => {
  expect(await logged('1/100', [200, 201, 500, 204], [0.5, 0.009, 0.01])).toEqual([201, 500])
})

test.for(['1/0', '0/1', '1/', 'some'])('%s is refused as a share', async (value) => {
  const read = readSettings(readFlags('serve', ['--log-requests', value]), {}, process.cwd())
  await expect(read).rejects.toThrow('must be off, errors, all, or a share such as 1/100')
})
