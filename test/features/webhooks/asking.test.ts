/**
 * A message that asks an address goes out once more only if it was certainly not sent: a stranger
 * gets so many codes in 30 days and no more, also from servers that answer late or not at all.
 */
import { expect, it } from 'vitest'
import { ANN, HOOKS, codeIn, openMailWorld } from '../../support/worlds/mail-world.ts'

const never = () => new Promise<null>(() => undefined)

it.for<readonly [how: string, reply: () => unknown, error: string]>([
  ['answers too late', never, 'timeout'],
  ['says that it was too late', () => ({ code: 'timeout', isGone: false }), 'timeout'],
  [
    'has lost the connection after the message',
    () => ({ code: 'connect', isGone: false, isUnknown: true }),
    'connect',
  ],
  ['throws', () => Promise.reject(new Error('socket hang up')), 'mailer_error'],
  ['says what nobody understands', () => 'queued', 'mailer_error'],
])('a mailer that %s asks once, and its code is good', async ([, reply, error]) => {
  const { ask, work, playOn, mailed, deliveries, call } = await openMailWorld(reply)
  const { data } = await ask(ANN)
  await work()
  await playOn(data.id)
  expect(mailed).toHaveLength(1)
  const [asking] = await deliveries(data.id)
  expect([asking?.status, asking?.attempts.map((attempt) => attempt.error)]).toEqual([
    'failed',
    [error],
  ])
  const url = `${HOOKS}/${data.id}`
  expect((await call('GET', url)).data.disabledReason).toBe('unconfirmed')
  expect((await call('POST', `${url}/confirm`, { code: codeIn(mailed[0]) })).status).toBe(200)
})

it('a mailer that certainly sent nothing is asked to send it again', async () => {
  let isDown = true
  const { ask, work, playOn, mailed, deliveries } = await openMailWorld(() =>
    isDown ? { code: 'timeout', isGone: false, isUnknown: false } : null,
  )
  const { data } = await ask(ANN)
  await work()
  isDown = false
  await playOn(data.id)
  expect(mailed).toHaveLength(2)
  expect((await deliveries(data.id)).map(({ status }) => status)).toEqual(['succeeded'])
})

it('a process that ends while it asks leaves a message that nobody sends again', async () => {
  const begun = Promise.withResolvers<void>()
  const { ask, clock, platform, join, work, playOn, mailed, deliveries } = await openMailWorld(
    () => {
      begun.resolve()
      return never()
    },
  )
  const { data } = await ask(ANN)
  const end = new AbortController()
  const working = platform.worker.tick({ signal: end.signal })
  await begun.promise
  end.abort(new Error('the process ends'))
  await clock.runUntil(working)
  await work(join())
  await playOn(data.id)
  expect(mailed).toHaveLength(1)
  const [asking] = await deliveries(data.id)
  expect([asking?.status, asking?.attempts.map(({ error }) => error)]).toEqual([
    'failed',
    ['interrupted'],
  ])
})
