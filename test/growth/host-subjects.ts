import { ConcurrencyTokens } from '../../src/crawl/shared/capacity.ts'
import { HostPeers } from '../../src/crawl/shared/host-peers.ts'
import { createPeer } from '../../src/crawl/shared/peers.ts'
import { WaitingPages } from '../../src/crawl/visit/waiting-pages.ts'
import { createPoliteness } from '../../src/engine/site/politeness.ts'
import { normalUrl } from '../support/normal-url.ts'
import type { Family } from './families.ts'
import type { Subject } from './measure.ts'

/** Addresses of as many hosts: none of them may be forgotten while the others are met. */
const HOSTS: Family = {
  name: 'a host each',
  make: (size) =>
    Array.from({ length: Math.ceil(size / 24) }, (_, index) => `https://h${index}.example/a`).join(
      '\n',
    ),
}
const clock = { now: () => 0, sleep: () => Promise.resolve() }

/** The state that a run keeps of the hosts that it meets. */
export const HOST_SUBJECTS: readonly Subject[] = [
  {
    name: 'hosts with a delay of their own',
    families: [HOSTS],
    prepare: (text) => {
      const urls = text.split('\n')
      return () => {
        const politeness = createPoliteness({ clock, delayMs: 0 })
        for (const url of urls) politeness.setCrawlDelay(url, 1_000)
        return politeness.hosts()
      }
    },
  },
  {
    name: 'hosts of several processes',
    families: [HOSTS],
    prepare: (text) => {
      const urls = text.split('\n')
      return () => {
        const here = createPeer(null)
        const politeness = createPoliteness({ clock, delayMs: 0 })
        const capacity = new ConcurrencyTokens(1)
        const hosts = new HostPeers({ capacity, here, politeness, clock })
        for (const url of urls) hosts.has(here, url, null)
        return hosts
      }
    },
  },
  {
    name: 'pages that wait for their hosts',
    families: [HOSTS],
    prepare: (text) => {
      const pages = text.split('\n').map((url, seq) => ({
        execution: 'run',
        seq,
        url: normalUrl(url),
        label: 'start',
        depth: 0,
        hop: 1,
      }))
      return async () => {
        let now = 0
        const timer = { now: () => now, sleep: () => Promise.resolve() }
        const politeness = createPoliteness({ clock: timer, delayMs: 1_000 })
        const waiting = new WaitingPages({ politeness, clock: timer, knownHosts: null })
        const takeAll = async (): Promise<void> => {
          while (waiting.size > 0) {
            while (waiting.next());
            if (waiting.isLow)
              await waiting.fill(async (seqs) => seqs.map((seq) => pages[seq] ?? null))
            else if (waiting.size > 0) now += waiting.wait
          }
        }
        // The first page of each host goes, and two more wait for it. A run meets no more pages
        // when there are too many for memory.
        for (let round = 0; round < 3; round++)
          for (const page of pages) {
            waiting.pass(page)
            if (waiting.isFull) await takeAll()
          }
        await takeAll()
        return waiting
      }
    },
  },
]
