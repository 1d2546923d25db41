import { ConcurrencyTokens } from '../../src/crawl/shared/capacity.ts'
import { HostPeers } from '../../src/crawl/shared/host-peers.ts'
import { createPeer } from '../../src/crawl/shared/peers.ts'
import { createPoliteness } from '../../src/engine/site/politeness.ts'
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
]
