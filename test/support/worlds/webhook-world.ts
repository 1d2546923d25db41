import { Webhook as Verifier } from 'standardwebhooks'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { emitEvent } from '../../../src/features/common/events.ts'
import type { PlatformEvent } from '../../../src/features/common/events.ts'
import type { WebhookInput, WebhookWithSecret } from '../../../src/features/webhooks/service.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { Platform, PlatformOptions } from '../../../src/platform/options.ts'
import type { HopRequest } from '../../../src/ports/fetcher.ts'
import type { AccountStatus } from '../../../src/ports/authenticator.ts'
import type { Mailer } from '../../../src/ports/mailer.ts'
import type { Store } from '../../../src/ports/store.ts'
import { Change } from '../../../src/records/change.ts'
import { createRecords } from '../../../src/features/records.ts'
import { createFakeClock } from '../fakes/fake-clock.ts'
import type { FakeClock } from '../fakes/fake-clock.ts'
import { createFakeFetcher } from '../fakes/fake-fetcher.ts'
import type { FakeAnswer, FakeFetcherOptions } from '../fakes/fake-fetcher.ts'
import { seededRandom } from '../fakes/seeded-random.ts'
import { LEASE_MS, OWNER } from './world.ts'

/** A request that a receiver got. */
export interface Got {
  readonly url: string
  readonly at: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The URL of the webhooks of these worlds. */
export const RECEIVER = 'https://hooks.example.com/seine'

/** The options of {@link createWebhookWorld}. */
export interface WebhookWorldOptions extends Omit<FakeFetcherOptions, 'answer'> {
  /** The answers of receivers; `nth` counts all requests from 1. */
  readonly answer?: (
    delivery: Got,
    nth: number,
    hop: HopRequest,
  ) => FakeAnswer | Promise<FakeAnswer>
  readonly clock?: FakeClock
  readonly store?: Store
  readonly accountStatus?: AccountStatus
  readonly mail?: Mailer
  readonly publicUrl?: string
  readonly console?: PlatformOptions['console']
  readonly telemetry?: PlatformOptions['telemetry']
}

/** A platform whose whole web is receivers of webhooks. */
export function createWebhookWorld({
  answer = () => ({ status: 204 }),
  clock = createFakeClock(),
  store = createMemoryStore({ clock }),
  accountStatus = () => 'active',
  mail,
  publicUrl,
  console,
  telemetry,
  ...web
}: WebhookWorldOptions = {}) {
  const got: Got[] = []
  const logged: string[] = []
  const log = (message: string, fields?: unknown) =>
    void logged.push(`${message} ${JSON.stringify(fields)}`)
  const fetcher = createFakeFetcher({
    ...web,
    answer(hop, nth) {
      const one = {
        url: hop.url.href,
        at: clock.now(),
        headers: hop.headers,
        body: new TextDecoder().decode(hop.body),
      }
      got.push(one)
      return answer(one, nth, hop)
    },
  })
  let seed = 1
  const join = (joined: Store = store): Platform =>
    createPlatform({
      store: joined,
      accountStatus,
      fetcher,
      clock,
      random: seededRandom(seed++),
      logger: { debug: log, info: log, warn: log, error: log },
      rateLimits: false,
      worker: { leaseMs: LEASE_MS },
      ...(mail && { mail }),
      ...(publicUrl !== undefined && { publicUrl }),
      ...(console !== undefined && { console }),
      ...(telemetry !== undefined && { telemetry }),
    })
  const platform = join()
  const records = createRecords(store)
  const { webhooks } = platform.api
  return {
    clock,
    store,
    records,
    platform,
    join,
    got,
    logged,
    fetcher,
    webhooks,
    add: (input: Partial<WebhookInput> = {}): Promise<WebhookWithSecret> =>
      webhooks.create(OWNER, { url: RECEIVER, events: ['*'], ...input }),
    /** Emits an event, like a feature. */
    async emit(event: Partial<PlatformEvent> = {}): Promise<void> {
      const change = new Change()
      emitEvent(records, change, {
        account: OWNER.account,
        type: 'dataset.changed',
        id: 'evt_1',
        at: clock.now(),
        data: { dataset: 'ds_1' },
        ...event,
      })
      await records.commit(change)
    },
    /** Works until nothing is due. */
    work: (worker: Platform = platform): Promise<void> => clock.runUntil(worker.worker.tick()),
    deliveries: async (id: string) => (await webhooks.deliveries(OWNER, id, { limit: 100 })).items,
    /**
     * Goes on to each next attempt of the webhook's deliveries until none is planned; at most so
     * many times.
     */
    async playOn(id: string, most = 100): Promise<void> {
      for (let step = 0; step < most; step++) {
        const next = (await webhooks.deliveries(OWNER, id, { limit: 100 })).items.flatMap(
          ({ nextAttemptAt }) => (nextAttemptAt === null ? [] : [Date.parse(nextAttemptAt)]),
        )
        if (next.length === 0) return
        await clock.advance(Math.max(1_000, Math.min(...next) - clock.now()))
        await clock.runUntil(platform.worker.tick())
      }
    },
  }
}

/**
 * The envelope, if the signature is right for this secret; throws otherwise. The library has a
 * clock of its own, so `now` stands for it.
 */
export function verify(
  secret: string,
  { headers, body }: Got,
): { id: string; type: string; timestamp: string; data: ReturnType<typeof JSON.parse> } {
  const verifier = new Verifier(secret)
  const id = headers['webhook-id'] ?? ''
  const sentAt = new Date(Number(headers['webhook-timestamp']) * 1_000)
  const signatures = (headers['webhook-signature'] ?? '').split(' ')
  if (!signatures.includes(verifier.sign(id, sentAt, body)))
    throw new Error('No signature is right')
  return JSON.parse(body)
}
