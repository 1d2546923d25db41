import { expect, it } from 'vitest'
import type { Billing } from '../../../src/features/billing/service.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const READS: Readonly<Record<string, (billing: Billing) => Promise<readonly string[]>>> = {
  ledger: async (billing) => (await billing.ledger(OWNER)).items.map(({ kind }) => kind),
  activity: async (billing) => (await billing.activity(OWNER)).items.map(({ type }) => type),
  usage: async (billing) =>
    (await billing.usage(OWNER)).byKind.flatMap(({ kind, entries }) =>
      Array.from({ length: entries }, () => kind),
    ),
}

it.each(Object.keys(READS))(
  '%s shows all that has become due, whatever was requested before',
  async (name) => {
    const clock = createFakeClock(Date.UTC(2026, 0, 10))
    const plans = [{ id: 'p', name: 'P', creditsPerMonth: 10, creditsExpire: 'never' }] as const
    const { billing } = createWorld({}, { clock, billing: { plans } }).platform.api
    const read = () => READS[name]?.(billing)
    expect(await read()).toEqual(['grant'])
    const expiresAt = Date.UTC(2026, 0, 20)
    await billing.adjust('acme', { id: 'gift', credits: 5, note: 'A gift', expiresAt })
    await clock.advance(expiresAt - clock.now())
    expect((await read())?.toSorted()).toEqual(['adjust', 'expire', 'grant'])
    await clock.advance(Date.UTC(2026, 1, 1) - clock.now())
    const all = ['adjust', 'expire', 'grant', 'grant']
    // Usage has only the entries of the open month.
    expect((await read())?.toSorted()).toEqual(name === 'usage' ? ['grant'] : all)
  },
)
