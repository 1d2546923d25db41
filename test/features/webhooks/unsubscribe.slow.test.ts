/**
 * People who are strangers to every account are asked rarely, whoever asks, and can end messages
 * for good without an account.
 */
import { describe, expect, it } from 'vitest'
import { MOST_ASKED } from '../../../src/features/webhooks/mail/parts.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { Change } from '../../../src/records/change.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { through } from '../../support/stores/fault-store.ts'
import { ANN, HOOKS, codeIn, openMailWorld } from '../../support/worlds/mail-world.ts'
import type { Mailed } from '../../support/worlds/mail-world.ts'
import { OWNER } from '../../support/worlds/world.ts'

const DAY = 86_400_000
const publicUrl = 'https://data.example.com'
/** The last words of the page's promise. */
const ERASURE = 'erases that account with all its data, this is erased too'

const open = () => openMailWorld(() => null, { publicUrl })
type World = Awaited<ReturnType<typeof open>>

const linkIn = (message: Mailed | undefined) =>
  /^https:\/\/data\.example\.com\/api\/v1\/unsubscribe\?\S+$/m.exec(message?.text ?? '')?.[0] ??
  expect.fail('the message has no link')

/** A request as a browser or a mail program makes it, without a key. */
async function visit({ platform }: World, link: string, init: RequestInit = {}) {
  const answer = await platform.fetch(new Request(link, init))
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

describe('an address', () => {
  it('is asked few times in 30 days by all accounts together', async () => {
    const { ask, keyOf, clock, work, mailed } = await open()
    const spellings = ['ann@example.com', 'Ann+1@example.com', 'ANN+2+3@EXAMPLE.com']
    expect(spellings).toHaveLength(MOST_ASKED)
    const accounts = await Promise.all(['a', 'b', 'c', 'd'].map(keyOf))
    for (const [nth, address] of spellings.entries()) {
      expect((await ask(`mailto:${address}`, accounts[nth])).status).toBe(201)
      await work()
      await clock.advance(DAY)
    }
    expect(mailed).toHaveLength(MOST_ASKED)
    const more = await ask('mailto:ann+4@example.com', accounts[3])
    expect([more.status, more.error.message]).toEqual([
      409,
      expect.stringMatching(/^Codes were mailed to this address 3 times in 30 days/),
    ])
    expect((await ask('mailto:bob@example.com', accounts[3])).status).toBe(201)
    // The first of them is 30 days ago on the day that the error names.
    const [, day = ''] = /from (\S+) on/.exec(more.error.message) ?? []
    await clock.advance(Date.parse(day) - clock.now())
    expect((await ask(ANN, accounts[3])).status).toBe(201)
    await clock.advance(1_000)
    expect((await ask(ANN, accounts[0])).status).toBe(409)
  })

  it('is asked no more often by calls at the same time', async () => {
    const { ask, keyOf, work, mailed } = await open()
    const accounts = await Promise.all(Array.from({ length: 8 }, (_, nth) => keyOf(`a${nth}`)))
    const all = await Promise.all(accounts.map((key) => ask(ANN, key)))
    await work()
    expect(all.filter(({ status }) => status === 201)).toHaveLength(MOST_ASKED)
    expect(mailed).toHaveLength(MOST_ASKED)
  })

  it('is asked once a day by an account, whatever follows a plus in it', async () => {
    const { ask } = await open()
    expect((await ask('mailto:ann+1@example.com')).status).toBe(201)
    expect((await ask('mailto:ann+2@example.com')).error?.message).toMatch(/today/)
  })

  it.for<readonly [first: string, second: string, isOne: boolean]>([
    ['ann.lee@gmail.com', 'A.n.n.Lee+x@googlemail.com', true],
    ['annlee@googlemail.com', 'ann.lee@gmail.com', true],
    // Elsewhere they may be two people.
    ['ann.lee@example.com', 'annlee@example.com', false],
    ['ann@gmail.com', 'ann@gmail.com.example.com', false],
    ['ann@gmail.com', 'ann@example.com', false],
  ])('%s and %s are one: %s', async ([first, second, isOne]) => {
    const { ask } = await open()
    expect((await ask(`mailto:${first}`)).status).toBe(201)
    const { status, error } = await ask(`mailto:${second}`)
    expect([status, error?.message]).toEqual(
      isOne ? [409, expect.stringContaining('today')] : [201, undefined],
    )
  })

  it('stands in no key of the store, and in nothing that the platform keeps of it', async () => {
    const { ask, store, clock } = await open()
    await ask(ANN)
    await clock.advance(1)
    const pages = await Promise.all(
      [['~'], [OWNER.account]].map((prefix) => store.list({ prefix, limit: 100 })),
    )
    const entries = pages.flat()
    const own = entries.filter(({ key }) => String(key[1]).startsWith('mail-'))
    expect(own.map(({ key }) => key[1]).toSorted()).toEqual(['mail-addresses', 'mail-days'])
    expect(JSON.stringify(own)).not.toMatch(/ann|example/i)
  })
})

describe('the link of a message', () => {
  /** A world with a confirmed webhook of ann, and the message of its first event. */
  async function withEvent() {
    const world = await open()
    const id = await world.confirmed()
    await world.emit({ id: 'evt_1' })
    await world.work()
    const [message] = world.mailed
    world.mailed.length = 0
    return { ...world, id, message, link: linkIn(message) }
  }

  it('shows a page that changes nothing, and ends the messages by its button', async () => {
    const world = await withEvent()
    const { link, id, message, call, emit, work, mailed } = world
    expect(message?.unsubscribeUrl).toBe(link)
    for (const method of ['GET', 'HEAD', 'GET']) {
      const { status, headers, text } = await visit(world, link, { method })
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      if (method === 'GET') {
        expect(text).toMatch(/<form method="post"><button>Stop the messages</)
        expect(text.replace(/\s+/g, ' ')).toContain(ERASURE)
      }
    }
    await emit({ id: 'evt_2' })
    await work()
    expect(mailed).toHaveLength(1)
    expect((await call('GET', `${HOOKS}/${id}`)).data.enabled).toBe(true)
    const ended = await visit(world, link, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect([ended.status, ended.text]).toEqual([200, expect.stringContaining('have ended')])
    expect(ended.text.replace(/\s+/g, ' ')).toContain(ERASURE)
    expect((await call('GET', `${HOOKS}/${id}`)).data).toMatchObject({
      enabled: false,
      disabledReason: 'unsubscribed',
    })
    await emit({ id: 'evt_3' })
    await work()
    expect(mailed).toHaveLength(1)
    expect((await visit(world, link, { method: 'POST' })).status).toBe(200)
  })

  it('ends them by one click of a mail program too', async () => {
    const world = await withEvent()
    const bodies = [
      ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
      [
        'multipart/form-data; boundary=x',
        '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--',
      ],
    ] as const
    for (const [type, body] of bodies) {
      const init = { method: 'POST', headers: { 'content-type': type }, body }
      expect((await visit(world, world.link, init)).status).toBe(200)
    }
    expect((await world.call('GET', `${HOOKS}/${world.id}`)).data.enabled).toBe(false)
  })

  it('ends messages that wait, and whatever would enable them again is refused', async () => {
    const world = await withEvent()
    const { link, id, call, ask, emit, work, mailed, deliveries, clock, keyOf } = world
    await emit({ id: 'evt_2' })
    await visit(world, link, { method: 'POST' })
    await work()
    const [old] = await deliveries(id)
    for (const [method, path, body] of [
      ['PATCH', `${HOOKS}/${id}`, { enabled: true }],
      ['POST', `${HOOKS}/${id}/test`, undefined],
      ['POST', `${HOOKS}/${id}/deliveries/${old?.id}/redeliver`, undefined],
      ['POST', `${HOOKS}/${id}/confirm`, { code: 'ABCD-EFGH' }],
    ] as const) {
      const { status, error } = await call(method, path, body)
      expect([path, status, error?.message]).toEqual([
        path,
        409,
        expect.stringContaining('has ended the messages'),
      ])
    }
    await call('DELETE', `${HOOKS}/${id}`)
    for (const days of [1, 60]) {
      await clock.advance(days * DAY)
      const again = await ask('mailto:Ann+new@example.com')
      expect([again.status, again.error?.message]).toEqual([
        409,
        expect.stringContaining('is not asked again'),
      ])
    }
    await work()
    expect(mailed).toEqual([])
    // Another account is another sender.
    expect((await ask(ANN, await keyOf('globex'))).status).toBe(201)
    expect((await ask('mailto:bob@example.com')).status).toBe(201)
  })

  it('ends all webhooks of the account with that address, and no other', async () => {
    const world = await withEvent()
    const { confirmed, clock, keyOf, call, emit, link, id, webhooks } = world
    await clock.advance(DAY)
    const second = await confirmed('mailto:ann+work@example.com')
    const bob = await confirmed('mailto:bob@example.com')
    const globex = await keyOf('globex')
    const foreignHook = await confirmed(ANN, globex)
    const server = (await call('POST', HOOKS, { url: 'https://hooks.example.com/', events: ['*'] }))
      .data.id
    await emit({ id: 'evt_2' })
    await visit(world, link, { method: 'POST' })
    const states = (await webhooks.list(OWNER, { limit: 100 })).items.map((one) => [
      one.id,
      one.disabledReason,
    ])
    expect(Object.fromEntries(states)).toEqual({
      [id]: 'unsubscribed',
      [second]: 'unsubscribed',
      [bob]: null,
      [server]: null,
    })
    expect((await call('GET', `${HOOKS}/${foreignHook}`, undefined, globex)).data.enabled).toBe(
      true,
    )
  })

  it('is in the message that asks too, after which its code is refused', async () => {
    const world = await open()
    const { ask, work, mailed, call, emit, clock } = world
    const { data } = await ask(ANN)
    await work()
    const [asking] = mailed
    const until = new Date(clock.now() + DAY).toISOString().slice(0, 10)
    expect(asking?.text).toContain(`valid until ${until}`)
    expect(asking?.text).toMatch(/at most 3 times in 30 days/)
    await visit(world, linkIn(asking), { method: 'POST' })
    const url = `${HOOKS}/${data.id}`
    expect((await call('POST', `${url}/confirm`, { code: codeIn(asking) })).status).toBe(409)
    expect((await call('GET', url)).data.disabledReason).toBe('unsubscribed')
    await emit()
    await work()
    expect(mailed).toHaveLength(1)
  })

  it('ends a webhook that the first webhook of an account becomes meanwhile, too', async () => {
    const clock = createFakeClock()
    const store = createMemoryStore({ clock })
    let meanwhile: (() => Promise<unknown>) | null = null
    const world = await openMailWorld(() => null, {
      publicUrl,
      clock,
      store: through(store, async (change) => {
        const act = change.set?.some(({ key }) => key[1] === 'mail-refusals') ? meanwhile : null
        if (act) meanwhile = null
        await act?.()
        return store.commit(change)
      }),
    })
    const { records, call, ask, emit, work, mailed } = world
    const old = await world.confirmed()
    await emit()
    await work()
    const link = linkIn(mailed[0])
    await call('DELETE', `${HOOKS}/${old}`)
    const change = new Change()
    records.webhookLists.drop(change, OWNER.account, 'all')
    await records.commit(change)
    await clock.advance(DAY)
    meanwhile = async () => {
      expect((await ask(ANN)).status).toBe(201)
    }
    expect((await visit(world, link, { method: 'POST' })).status).toBe(200)
    const states = (await call('GET', HOOKS)).data.items.map(
      ({ disabledReason }: { disabledReason: string }) => disabledReason,
    )
    expect(states).toEqual(['unsubscribed'])
  })

  it('that was used leaves no webhook that can be confirmed', async () => {
    const { ask, work, mailed, call, records, clock } = await open()
    const { data } = await ask(ANN)
    await work()
    const [day] = await records.mailDays.list(OWNER.account, { limit: 1 })
    const change = new Change()
    // As a backup from between the two could have it.
    records.mailRefusals.insert(change, OWNER.account, {
      key: day?.value.asked[0] ?? expect.fail('nobody was asked'),
      endedAt: clock.now(),
    })
    await records.commit(change)
    const url = `${HOOKS}/${data.id}`
    const { status, error } = await call('POST', `${url}/confirm`, { code: codeIn(mailed[0]) })
    expect([status, error?.message]).toEqual([
      409,
      expect.stringContaining('has ended the messages'),
    ])
    expect((await call('GET', url)).data.enabled).toBe(false)
  })

  it('of another kind, or changed, ends nothing', async () => {
    const world = await withEvent()
    const { link, id, call, records, clock } = world
    const [names = '', mac = ''] = (new URL(link).searchParams.get('token') ?? '').split('.')
    const [, key] = JSON.parse(atob(names.replaceAll('-', '+').replaceAll('_', '/')))
    const forged = btoa(JSON.stringify(['globex', key])).replace(/=+$/, '')
    const turned = `${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`
    const wrong = ['', '.', names, `${names}.`, `${names}.${turned}`, `${forged}.${mac}`, `.${mac}`]
    const before = JSON.stringify(await records.webhooks.list(OWNER.account, { limit: 9 }))
    for (const token of wrong) {
      const path = `${publicUrl}/api/v1/unsubscribe?token=${encodeURIComponent(token)}`
      expect([token, (await visit(world, path, { method: 'POST' })).status]).toEqual([token, 403])
    }
    expect((await visit(world, `${publicUrl}/api/v1/unsubscribe`, { method: 'POST' })).status).toBe(
      403,
    )
    await clock.advance(1)
    expect(JSON.stringify(await records.webhooks.list(OWNER.account, { limit: 9 }))).toBe(before)
    expect(await records.mailRefusals.list(OWNER.account, { limit: 9 })).toEqual([])
    expect((await call('GET', `${HOOKS}/${id}`)).data.enabled).toBe(true)
  })

  it('is missing without a public URL, and the message says who can end it', async () => {
    const { confirmed, emit, work, mailed, ask } = await openMailWorld()
    const id = await confirmed()
    await ask('mailto:bob@example.com')
    await emit()
    await work()
    const [asking, event] = mailed.toSorted((a, b) => b.to.localeCompare(a.to))
    for (const message of mailed) {
      expect(message.text).not.toMatch(/http/)
      expect(message).not.toHaveProperty('unsubscribeUrl')
    }
    expect(event?.text).toContain(
      `ask the person with your code: they can delete the webhook ${id}`,
    )
    expect(asking?.text).toMatch(/without the code none are sent/)
  })
})

it('a webhook with an address that nobody was asked about gets nothing', async () => {
  const { records, add, emit, work, mailed, deliveries } = await open()
  const { id } = await add()
  const stored = (await records.webhooks.get(OWNER.account, id)) ?? expect.fail()
  const change = new Change()
  // As a backup that was written by hand could have it: enabled, and without `mail`.
  records.webhooks.update(change, OWNER.account, stored, { ...stored.value, url: ANN })
  await records.commit(change)
  await emit()
  await work()
  expect(mailed).toEqual([])
  expect((await deliveries(id)).map(({ status }) => status)).toEqual(['failed'])
})
