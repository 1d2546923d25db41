import { expect, it } from 'vitest'
import { linksFrom, refuseLanding, refuseLink, startLink } from '../../../src/engine/visit/reach.ts'
import { identityOf, urlIdentity } from '../../../src/kernel/url.ts'
import { normalUrl } from '../../support/normal-url.ts'

const SITE = 'https://a.example.com'
const identities = { ofLink: identityOf, ofLanding: urlIdentity }
const inScope = (url: string): boolean => url.startsWith(SITE)
const LIMITS = { maxPages: 10, maxDepth: 2, maxSeconds: null, maxCredits: null }

it('a link that is out of scope and too deep is refused as out of scope', () => {
  for (const [url, depth, outcome] of [
    [`${SITE}/a`, 2, undefined],
    [`${SITE}/a`, 3, 'skipped_depth'],
    ['https://b.example.com/', 1, 'skipped_scope'],
    ['https://b.example.com/', 3, 'skipped_scope'],
    ['https://b.example.com/', 0, undefined],
  ] as const)
    expect(refuseLink({ url: normalUrl(url), depth }, LIMITS, inScope)?.outcome).toBe(outcome)
})

it('the end of redirects is judged by the scope and by the known URLs of the run', () => {
  const start = startLink(normalUrl(`${SITE}/a`))
  const link = { ...start, label: 'detail', depth: 1 }
  const ELSEWHERE = 'https://b.example.com/'
  for (const [from, finalUrl, met, code] of [
    [link, `${SITE}/b`, [], undefined],
    [link, `${SITE}/b`, [`${SITE}/b`], 'redirected_to_known'],
    [link, `${SITE}/a?utm_source=x`, [`${SITE}/a`], undefined],
    [link, ELSEWHERE, [], 'redirected_out_of_scope'],
    [link, ELSEWHERE, [ELSEWHERE], 'redirected_out_of_scope'],
    [start, ELSEWHERE, [], undefined],
    [start, ELSEWHERE, [ELSEWHERE], 'redirected_to_known'],
  ] as const) {
    const identitiesMet = new Set<string>(met)
    const meet = (identity: string): boolean =>
      identitiesMet.size < identitiesMet.add(identity).size
    const refused = refuseLanding(from, finalUrl, { inScope, identities, meet })
    expect(refused?.reason.code).toBe(code)
  }
})

it('a link names its page only if rows need it', () => {
  const links = [startLink(normalUrl(`${SITE}/b`))]
  expect(linksFrom({ wantsFoundOn: true }, `${SITE}/a`, links)).toEqual([
    { ...startLink(normalUrl(`${SITE}/b`)), foundOn: `${SITE}/a` },
  ])
  expect(linksFrom({ wantsFoundOn: false }, `${SITE}/a`, links)).toBe(links)
})
