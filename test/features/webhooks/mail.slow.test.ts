/**
 * Events by mail reach nobody who has not confirmed the address with the code that was mailed to
 * it, and what an account can make the platform mail is bounded.
 */
import { describe, expect, it } from 'vitest'
import { createConsole } from '../../../src/console.ts'
import {
  ASKED_A_DAY,
  MESSAGES_A_DAY,
  MOST_UNCONFIRMED,
} from '../../../src/features/webhooks/mail/days.ts'
import { MOST_WRONG_CODES } from '../../../src/features/webhooks/mail/parts.ts'
import { Change } from '../../../src/records/change.ts'
import type { MailRefusal } from '../../../src/ports/mailer.ts'
import { ANN, HOOKS, codeIn, openMailWorld as open } from '../../support/worlds/mail-world.ts'
import { createWebhookWorld } from '../../support/worlds/webhook-world.ts'
import { OWNER } from '../../support/worlds/world.ts'

const DAY = 86_400_000

describe('an address of mail', () => {
  it('gets one message with a code, and events once the code was given', async () => {
    const { call, emit, work, mailed, deliveries } = await open()
    const made = await call('POST', HOOKS, { url: ANN, events: ['*'], description: 'BUY NOW' })
    expect([made.status, made.data.enabled, made.data.disabledReason]).toEqual([
      201,
      false,
      'unconfirmed',
    ])
    const url = `${HOOKS}/${made.data.id}`
    await emit({ id: 'evt_early' })
    await work()
    expect(mailed.map(({ to, subject }) => [to, subject])).toEqual([
      ['ann@example.com', 'Seine: confirm this address'],
    ])
    expect(mailed[0]?.text).not.toContain('BUY NOW')
    const code = codeIn(mailed[0])
    // A user who adds an address cannot read its code anywhere.
    const [asking] = await deliveries(made.data.id)
    expect(asking).toMatchObject({ type: 'webhook.confirm', status: 'succeeded' })
    expect(JSON.stringify([asking, (await call('GET', url)).data, made.data])).not.toContain(code)
    for (const [method, path, body] of [
      ['PATCH', url, { enabled: true }],
      ['POST', `${url}/test`, undefined],
      ['POST', `${url}/deliveries/${asking?.id}/redeliver`, undefined],
    ] as const) {
      const answer = await call(method, path, body)
      expect([path, answer.status, answer.error?.message]).toEqual([
        path,
        409,
        expect.stringContaining('/confirm'),
      ])
    }
    const typed = `  ${code.toLowerCase().replace('-', ' ')} `
    const after = await call('POST', `${url}/confirm`, { code: typed })
    expect([after.status, after.data?.enabled, after.data?.disabledReason]).toEqual([
      200,
      true,
      null,
    ])
    expect((await call('POST', `${url}/confirm`, { code })).status).toBe(200)
    await emit({ id: 'evt_late' })
    await work()
    expect(mailed.slice(1).map(({ to, subject }) => [to, subject])).toEqual([
      ['ann@example.com', 'Seine: A dataset has changed'],
    ])
    // A code is mailed once, and what became of it stays as it was.
    const repeated = await call('POST', `${url}/deliveries/${asking?.id}/redeliver`)
    expect([repeated.status, repeated.error?.message]).toEqual([
      409,
      'A code is not mailed again: the address is confirmed',
    ])
    await work()
    expect(mailed).toHaveLength(2)
    expect((await deliveries(made.data.id)).at(-1)).toEqual(asking)
  })

  it('is confirmed by its own code alone', async () => {
    const { call, work, mailed, keyOf } = await open()
    const globex = await keyOf('globex')
    const [ours, other, foreignMail] = [
      await call('POST', HOOKS, { url: ANN, events: ['*'] }),
      await call('POST', HOOKS, { url: 'mailto:bob@example.com', events: ['*'] }),
      await call('POST', HOOKS, { url: ANN, events: ['*'] }, globex),
    ]
    await work()
    const codes = mailed.map(codeIn)
    expect(new Set(codes).size).toBe(3)
    const codeOf = (to: string) => codeIn(mailed.find((message) => message.to === to))
    const bobs = codeOf('bob@example.com')
    const url = `${HOOKS}/${ours.data.id}`
    expect((await call('POST', `${url}/confirm`, { code: bobs })).error.issues).toEqual([
      { path: 'code', message: 'is not the code that was mailed to the address' },
    ])
    expect((await call('POST', `${url}/confirm`, { code: bobs }, globex)).status).toBe(404)
    // The other account is asked for the same address; its own code is good for its webhook alone.
    const codeFor = (webhook: string) => codeIn(mailed.find(({ id }) => id.includes(webhook)))
    const [own, others] = [codeFor(ours.data.id), codeFor(foreignMail.data.id)]
    expect((await call('POST', `${url}/confirm`, { code: others })).status).toBe(400)
    expect((await call('GET', url)).data.enabled).toBe(false)
    const globexUrl = `${HOOKS}/${foreignMail.data.id}/confirm`
    expect((await call('POST', globexUrl, { code: own }, globex)).status).toBe(400)
    expect((await call('POST', globexUrl, { code: others }, globex)).data.enabled).toBe(true)
    expect((await call('GET', url)).data.enabled).toBe(false)
    expect((await call('POST', `${url}/confirm`, { code: own })).data.enabled).toBe(true)
    const bob = `${HOOKS}/${other.data.id}/confirm`
    expect((await call('POST', bob, { code: bobs })).status).toBe(200)
    expect(foreignMail.status).toBe(201)
  })

  it.for([
    ['after too many wrong ones', MOST_WRONG_CODES, 0, 'Too many wrong codes'],
    ['after a day', 0, DAY, 'The code is too old'],
  ] as const)('has no code any more %s', async ([, wrong, wait, message]) => {
    const { call, work, mailed, clock } = await open()
    const { data } = await call('POST', HOOKS, { url: ANN, events: ['*'] })
    await work()
    const url = `${HOOKS}/${data.id}/confirm`
    for (let time = 0; time < wrong; time++)
      expect((await call('POST', url, { code: '2222-2222' })).status).toBe(400)
    await clock.advance(wait)
    const late = await call('POST', url, { code: codeIn(mailed[0]) })
    expect([late.status, late.error.message]).toEqual([409, expect.stringContaining(message)])
  })

  it('is not asked any more once its code would be too old', async () => {
    const { call, work, mailed, playOn } = await open(() => ({ code: 'smtp_450', isGone: false }))
    const { data } = await call('POST', HOOKS, { url: ANN, events: ['*'] })
    await work()
    await playOn(data.id)
    const { items } = (await call('GET', `${HOOKS}/${data.id}/deliveries`)).data
    expect(items.map(({ status }: { status: string }) => status)).toEqual(['failed'])
    expect(mailed.length).toBeGreaterThan(3)
    expect(mailed.length).toBeLessThan(10)
  })

  it('is refused in any other form, and the error names the field', async () => {
    const { call, webhooks } = await open()
    const wrong = [
      'mailto:',
      'mailto:ann',
      'mailto:ann@localhost',
      'mailto:ann@10.0.0.1',
      'mailto:ann@1.2.3.0x4',
      'mailto:ann@[10.0.0.1]',
      'mailto:ann@db.internal',
      'mailto:ann@example.com,bob@example.com',
      'mailto:ann@example.com;bob@example.com',
      'mailto:ann@example.com bob@example.com',
      'mailto:ann@bob@example.com',
      'mailto:Ann <ann@example.com>',
      'mailto:"ann"@example.com',
      'mailto:ann@example.com?bcc=bob@example.com',
      'mailto:ann@example.com?subject=BUY',
      'mailto:ann%0d%0abcc:bob@example.com',
      'mailto:ann\r\nBcc: bob@example.com',
      'mailto:ann@example.com\r\nBcc: bob@example.com',
      'mailto:ann@example.com\u2028x',
      'mailto:ann@exämple.com',
      `mailto:${'a'.repeat(65)}@example.com`,
      `mailto:ann@${'a.'.repeat(125)}com`,
      'mailto:.ann@example.com',
      'mailto:ann..b@example.com',
      'mailto:-f@example.com',
    ]
    for (const url of wrong) {
      const { status, error } = await call('POST', HOOKS, { url, events: ['*'] })
      expect([url, status, error?.issues?.[0]?.path]).toEqual([url, 400, 'url'])
      await expect(webhooks.create(OWNER, { url, events: ['*'] }), url).rejects.toMatchObject({
        status: 400,
      })
    }
    expect((await call('GET', HOOKS)).data.items).toEqual([])
  })

  it('is refused where the host sends no mail, with what the host can do', async () => {
    const { webhooks } = createWebhookWorld()
    await expect(webhooks.create(OWNER, { url: ANN, events: ['*'] })).rejects.toMatchObject({
      status: 400,
      issues: [
        { path: 'url', message: expect.stringMatching(/`mail` of createPlatform, or --mail/) },
      ],
    })
  })

  it('cannot be put in the place of another address', async () => {
    const { call, confirmed } = await open()
    const mail = await confirmed()
    const server = (await call('POST', HOOKS, { url: 'https://hooks.example.com/', events: ['*'] }))
      .data.id
    for (const [id, url] of [
      [mail, 'mailto:bob@example.com'],
      [mail, 'https://hooks.example.com/'],
      [server, ANN],
    ]) {
      const { status, error } = await call('PATCH', `${HOOKS}/${id}`, { url })
      expect([status, error?.issues?.[0]?.path]).toEqual([400, 'url'])
    }
    expect(
      (await call('PATCH', `${HOOKS}/${mail}`, { url: ANN, events: ['task.drift'] })).status,
    ).toBe(200)
  })
})

describe('an account', () => {
  const askBy = (call: Awaited<ReturnType<typeof open>>['call'], name: string) =>
    call('POST', HOOKS, { url: `mailto:${name}@example.com`, events: ['*'] })

  it('has few addresses that wait, also by calls at the same time', async () => {
    const { call, mailed, work } = await open()
    const all = await Promise.all(
      Array.from({ length: MOST_UNCONFIRMED * 3 }, (_, nth) => askBy(call, `a${nth}`)),
    )
    const made = all.filter(({ status }) => status === 201).length
    expect(made).toBeLessThanOrEqual(MOST_UNCONFIRMED)
    for (let nth = made; nth < MOST_UNCONFIRMED; nth++)
      expect((await askBy(call, `b${nth}`)).status).toBe(201)
    const { status, error } = await askBy(call, 'more')
    expect([status, error.message]).toEqual([409, expect.stringContaining('wait for their')])
    await work()
    expect(mailed).toHaveLength(MOST_UNCONFIRMED)
  })

  it('asks an address once a day, and few in all, although it deletes what it has asked', async () => {
    const { call, clock, mailed, work } = await open()
    const askAndDelete = async (name: string) => {
      const answer = await askBy(call, name)
      await work()
      if (answer.status === 201) await call('DELETE', `${HOOKS}/${answer.data.id}`)
      return answer.status
    }
    expect(await askAndDelete('ann')).toBe(201)
    expect(await askAndDelete('ANN')).toBe(409)
    for (let nth = 1; nth < ASKED_A_DAY; nth++) expect(await askAndDelete(`a${nth}`)).toBe(201)
    expect(await askAndDelete('more')).toBe(409)
    expect(mailed).toHaveLength(ASKED_A_DAY)
    await clock.advance(DAY)
    expect(await askAndDelete('ann')).toBe(201)
  })

  it('has no more that wait although it has many webhooks', async () => {
    const { ask, records } = await open()
    for (let nth = 0; nth < MOST_UNCONFIRMED; nth++)
      expect((await ask(`mailto:z${nth}@example.com`)).status).toBe(201)
    const [first] = await records.webhooks.list(OWNER.account, { limit: 1 })
    const change = new Change()
    for (let nth = 0; nth < 600; nth++)
      records.webhooks.insert(change, OWNER.account, {
        ...(first?.value ?? expect.fail()),
        id: `hook_0${nth}`,
        url: 'https://hooks.example.com/',
        disabledReason: 'requested',
      })
    await records.commit(change)
    expect((await ask('mailto:more@example.com')).error?.message).toContain('wait for their')
  })

  /** Notes that the account has sent all but `left` messages of the day. */
  const useUp = async (
    { records, clock }: Awaited<ReturnType<typeof open>>,
    left: number,
  ): Promise<void> => {
    const day = new Date(clock.now()).toISOString().slice(0, 10)
    const change = new Change()
    records.mailDays.put(change, OWNER.account, { day, asked: [], sent: MESSAGES_A_DAY - left })
    await records.commit(change)
  }

  it('sends so many messages a day, and the rest on the next, with all their attempts', async () => {
    const world = await open()
    const { confirmed, emit, work, mailed, deliveries, playOn, clock } = world
    const id = await confirmed()
    await useUp(world, 1)
    await emit({ id: 'evt_1' })
    await emit({ id: 'evt_2' })
    await work()
    expect(mailed).toHaveLength(1)
    const waiting = (await deliveries(id)).filter(({ status }) => status === 'pending')
    const tomorrow = new Date(Math.ceil((clock.now() + 1) / DAY) * DAY).toISOString()
    expect(waiting.map(({ attempts, nextAttemptAt }) => [attempts, nextAttemptAt])).toEqual([
      [[], tomorrow],
    ])
    await playOn(id)
    expect(mailed).toHaveLength(2)
    const all = (await deliveries(id)).filter(({ type }) => type === 'dataset.changed')
    expect(all.map(({ status, attempts }) => [status, attempts.length])).toEqual([
      ['succeeded', 1],
      ['succeeded', 1],
    ])
  })

  it('loses no event on days that are full, one after the other', async () => {
    const world = await open()
    const { confirmed, emit, work, mailed, deliveries, playOn, clock } = world
    const id = await confirmed()
    await emit({ id: 'evt_1' })
    for (let day = 0; day < 14; day++) {
      await useUp(world, 0)
      await work()
      await clock.advance(DAY)
    }
    expect(mailed).toEqual([])
    await playOn(id)
    expect(mailed).toHaveLength(1)
    expect((await deliveries(id)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded'])
  })

  it.for<readonly [how: string, code: string, left: number]>([
    ['a server has refused', 'smtp_450', 1],
    // A server may have taken it, and only its answer was lost or late.
    ['a mailer has thrown', 'throws', 0],
    ['a mailer did not answer', 'timeout', 0],
    ['a connection was lost', 'connect', 0],
  ])('that %s: a message counts unless it was certainly not sent', async ([, code, left]) => {
    let isDown = false
    const world = await open(() => {
      if (!isDown) return null
      if (code === 'throws') throw new Error('no route')
      return { code, isGone: false, ...(code === 'connect' && { isUnknown: true }) }
    })
    const { confirmed, emit, work, records, clock } = world
    await confirmed()
    await useUp(world, 1)
    isDown = true
    await emit({ id: 'evt_1' })
    await work()
    const day = new Date(clock.now()).toISOString().slice(0, 10)
    const stored = await records.mailDays.get(OWNER.account, day)
    expect(stored?.value.sent).toBe(MESSAGES_A_DAY - left)
  })
})

describe('a message', () => {
  it('says what has happened and links to it, and nothing in it makes a second line', async () => {
    for (const [type, data, link] of [
      ['dataset.changed', { datasetId: 'ds_1', added: 3 }, 'dataset?id=ds_1'],
      ['task.drift', { taskId: 'task_1', fields: [{ field: 'price' }] }, 'task?id=task_1'],
      ['balance.low', { wallet: { credits: 3 }, threshold: 10 }, null],
    ] as const) {
      const { confirmed, emit, work, mailed } = await open(() => null, {
        publicUrl: 'https://data.example.com/app/',
        console: true,
      })
      await confirmed()
      await emit({ type, data: { ...data, note: 'a\r\nBcc: x\u2028y' } })
      await work()
      const { subject, text } = mailed[0] ?? { subject: '', text: '' }
      expect(subject).toMatch(/^Seine: [A-Z][a-z ]+$/)
      expect(text.split('\n')).toContain(
        `https://data.example.com/app/console${link === null ? '' : `/${link}`}`,
      )
      expect(text).toContain('note: a Bcc: x y\n')
    }
  })

  it('links to the console where it is', async () => {
    for (const console of [{ path: '/admin' }, createConsole({ path: '/admin' })])
      for (const [data, link] of [
        [{ datasetId: 'ds_1' }, '/dataset?id=ds_1'],
        [{}, ''],
      ] as const) {
        const { confirmed, emit, work, mailed } = await open(() => null, {
          publicUrl: 'https://d.example.com',
          console,
        })
        await confirmed()
        await emit({ data })
        await work()
        expect(mailed[0]?.text.split('\n')).toContain(`https://d.example.com/admin${link}`)
      }
  })

  it('has the link of the API without a console, and none without a public URL', async () => {
    for (const [options, link] of [
      [{ publicUrl: 'https://d.example.com' }, 'https://d.example.com/api/v1/datasets/ds_1'],
      [{}, null],
    ] as const) {
      const { confirmed, emit, work, mailed } = await open(() => null, options)
      await confirmed()
      await emit({ data: { datasetId: 'ds_1' } })
      await work()
      const links = mailed[0]?.text.match(/https?:\S+/g) ?? []
      expect(links.filter((one) => !one.includes('/unsubscribe?'))).toEqual(
        link === null ? [] : [link],
      )
    }
  })

  it('is tried again as a webhook is, with the same id', async () => {
    let answers: readonly (MailRefusal | null)[] = [
      { code: 'smtp_450', isGone: false },
      { code: 'not a\ncode', isGone: false },
      null,
    ]
    let isReady = false
    const { confirmed, emit, work, mailed, deliveries, playOn } = await open(() => {
      if (!isReady) return null
      const [first = null, ...rest] = answers
      answers = rest
      return first
    })
    const id = await confirmed()
    isReady = true
    await emit()
    await work()
    await playOn(id)
    expect(new Set(mailed.map((message) => message.id)).size).toBe(1)
    const [delivery] = await deliveries(id)
    expect(delivery?.status).toBe('succeeded')
    expect(delivery?.attempts.map(({ error, httpStatus }) => [error, httpStatus])).toEqual([
      ['smtp_450', null],
      ['mailer_error', null],
      [null, null],
    ])
  })

  it.for<readonly [what: string, answer: unknown, errors: readonly (string | null)[]]>([
    ['no value', undefined, [null]],
    ['true', true, ['mailer_error']],
    ['a receipt', { messageId: '<x@example.com>' }, ['mailer_error']],
    ['a refusal in other words', { code: 550, isGone: 'no' }, ['mailer_error']],
  ])('of a mailer that answers with %s is sent once', async ([, answer, errors]) => {
    let isReady = false
    const { confirmed, emit, work, mailed, deliveries } = await open(() =>
      isReady ? answer : null,
    )
    const id = await confirmed()
    isReady = true
    await emit()
    for (let turn = 0; turn < 3; turn++) await work()
    expect(mailed).toHaveLength(1)
    const [delivery] = await deliveries(id)
    expect(delivery?.attempts.map(({ error }) => error)).toEqual(errors)
  })

  it('ends the webhook of an address that does not exist', async () => {
    let isGone = false
    const { call, confirmed, emit, work, mailed } = await open(() =>
      isGone ? { code: 'smtp_550', isGone } : null,
    )
    const id = await confirmed()
    isGone = true
    await emit({ id: 'evt_1' })
    await work()
    await emit({ id: 'evt_2' })
    await work()
    expect(mailed).toHaveLength(1)
    expect((await call('GET', `${HOOKS}/${id}`)).data).toMatchObject({
      enabled: false,
      disabledReason: 'gone',
    })
    // An address that is enabled again need not be confirmed again.
    expect((await call('PATCH', `${HOOKS}/${id}`, { enabled: true })).status).toBe(200)
  })

  it('of a mailer that throws, or does not answer, is an attempt that failed', async () => {
    let how: 'throws' | 'hangs' | 'works' = 'works'
    const { confirmed, emit, work, deliveries, logged } = await open(async () => {
      if (how === 'throws') throw new Error('no route')
      return how === 'hangs' ? new Promise<null>(() => undefined) : null
    })
    const id = await confirmed()
    how = 'throws'
    await emit({ id: 'evt_1' })
    await work()
    how = 'hangs'
    await emit({ id: 'evt_2' })
    await work()
    const errors = (await deliveries(id)).flatMap(({ attempts }) =>
      attempts.map(({ error }) => error),
    )
    expect(errors).toEqual(expect.arrayContaining(['mailer_error', 'timeout']))
    expect(logged.some((line) => line.startsWith('A message could not be mailed'))).toBe(true)
  })
})
