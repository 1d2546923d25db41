import { domainOf, prepareRecipe } from '../../../src/engine/plan/prepare-recipe.ts'
import { normaliseUrl, urlIdentity } from '../../../src/kernel/url.ts'
import type { Case, Kind } from '../suite.ts'

/** URLs: how they are parsed, which are the same page, and which belong to one site. */
export const urlKinds: Readonly<Record<string, Kind>> = {
  'url-parse': { judge: judgeParse },
  'url-identity': { judge: judgeIdentity },
  'public-suffix': { judge: judgeSuffix },
}

function judgeParse(one: Case): boolean {
  const href = one.value('href')
  const base = one.value('base')
  const read = normaliseUrl(one.text('input'), typeof base === 'string' ? base : undefined)
  const isPage =
    typeof href === 'string' && /^https?:/.test(href) && !/^https?:\/\/[^/?#]*@/.test(href)
  return read === (isPage ? href.replace(/#.*$/s, '') : null)
}

function judgeIdentity(one: Case): boolean {
  const url = one.text('url')
  const canonical = one.value('canonical')
  const isRefused = normaliseUrl(url) === null
  if (typeof canonical !== 'string') return isRefused
  return !isRefused && urlIdentity(url) === urlIdentity(canonical)
}

async function judgeSuffix(one: Case): Promise<boolean> {
  await prepareRecipe({ start: { urls: ['https://example.com/'] }, crawl: { scope: 'domain' } })
  const url = URL.parse(`http://${one.text('host')}/`)
  const domain = one.value('domain')
  // An invalid host is its own site.
  if (url === null) return domain === null
  return (
    domainOf(url) === (typeof domain === 'string' ? new URL(`http://${domain}/`).host : url.host)
  )
}
