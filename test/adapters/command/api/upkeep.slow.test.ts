import { expect, test } from 'vitest'
import type { ApiConnection } from '../../../../adapters/command/api/connection.ts'
import { eraseOnServer, verifyOnServer } from '../../../../adapters/command/api/upkeep.ts'
import { CommandError } from '../../../../adapters/command/command-error.ts'
import { cpuFactor, cpuMs } from '../../../support/cpu-ms.ts'
import { createOperatorHost } from '../../../support/worlds/operator-host.ts'

const END = '{"ok":false,"accounts":1}\n'

/** A server that gives the same answer to all. */
function serverWith(body: BodyInit, status = 200): ApiConnection {
  return {
    send: async () => new Response(body, { status }),
    close: async () => undefined,
  }
}

/** Bytes that arrive in small pieces. */
function inPieces(text: string, size: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(text)
  let from = 0
  return new ReadableStream({
    pull(controller) {
      if (from >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(from, (from += size)))
    },
  })
}

/** The line of an account with one difference. */
function lineWith(message: string): string {
  const difference = {
    area: 'ledger',
    account: 'acme',
    subject: 'wallet',
    message,
    repaired: false,
  }
  const check = { area: 'ledger', checked: 3, differences: 1, unsettled: 0 }
  return `${JSON.stringify({ account: 'acme', ok: false, checks: [check], differences: [difference], more: 2 })}\n`
}

test('a long line of a report is read in time that grows as it does', async () => {
  const message = 'é'.repeat(2_000_000)
  const body = inPieces(`\n${lineWith(message)}${END}`, 1_024)
  const limit = 500 * cpuFactor()
  const before = cpuMs()
  const report = await verifyOnServer(serverWith(body), undefined)
  expect(cpuMs() - before).toBeLessThan(limit)
  expect([report.ok, report.accounts, report.more]).toEqual([false, 1, 2])
  expect(report.differences.map((difference) => difference.message)).toEqual([message])
})

test('a line that is too long, or cut off, is not a report', async () => {
  const endless = serverWith(inPieces(lineWith('x'.repeat(8_400_000)) + END, 65_536))
  await expect(verifyOnServer(endless, undefined)).rejects.toThrow(
    'The answer of the server breaks off: a line has over 8388608 characters',
  )
  const cut = serverWith(lineWith('x').slice(0, 40))
  await expect(verifyOnServer(cut, undefined)).rejects.toThrow(/^The answer of the server breaks/)
  const early = serverWith(lineWith('x'))
  await expect(verifyOnServer(early, undefined)).rejects.toThrow('before everything was verified')
})

test.each([
  '{"account":"acme","checks":[]}\n',
  lineWith('x').replace('"checked":3', '"checked":"3"'),
  lineWith('x').replace(',"more":2', ''),
  lineWith('x').replace('"subject":"wallet"', '"subject":null'),
  lineWith('x').replace('"repaired":false', '"repaired":0'),
  '{"accounts":"all","ok":true}\n',
  '7\n',
])('%s is no line of a report', async (line) => {
  await expect(verifyOnServer(serverWith(line + END), undefined)).rejects.toThrow(
    new CommandError(
      "The server's answer is not a report of this version: use the seine of the server's version",
    ),
  )
})

test('areas that only the server knows are in its report', async () => {
  const report = await verifyOnServer(
    serverWith(lineWith('x').replaceAll('ledger', 'stars') + END),
    undefined,
  )
  expect(report).toMatchObject({ checks: [{ area: 'stars' }], differences: [{ area: 'stars' }] })
})

test.each(['{"data":{}}', '{"data":{"records":"7","blobs":1}}', '{"data":{"rec', '<p>'])(
  '%s does not say what was erased',
  async (body) => {
    await expect(eraseOnServer(serverWith(body), 'acme', 'Asked for')).rejects.toThrow(
      'The server did not report what it erased',
    )
  },
)

test('a refused erasure says what to do next, where the answer does not say it', async () => {
  const { host, key, ask } = await createOperatorHost()
  const server: ApiConnection = {
    send: async (path, { method = 'GET', body }) =>
      host.send(method, `/api/v1${path}`, {
        key,
        ...(typeof body === 'string' && { body: JSON.parse(body) }),
      }),
    close: async () => undefined,
  }
  const erasure = () => eraseOnServer(server, 'beta', 'Asked for')
  const recipe = { start: { urls: ['https://shop.example.com/'] } }
  const body = { recipe }
  await host.call('POST', '/api/v1/executions', { key: await host.keyOf('beta'), body })
  await expect(erasure()).rejects.toThrow(
    /^Close the account beta .*\nseine accounts close beta --reason TEXT does that/,
  )
  await ask('POST', '/accounts/beta/close', { reason: 'Asked for' })
  await expect(erasure()).rejects.toThrow(
    /^Execution .* is queued.*\nThe server ends the runs of a closed account within 10 s: ask again then$/,
  )
  const message = 'Something writes for beta again and again'
  const busy = serverWith(JSON.stringify({ error: { code: 'CONFLICT', message } }), 409)
  await expect(eraseOnServer(busy, 'beta', 'Asked for')).rejects.toThrow(new CommandError(message))
})
