import { bytesKinds } from './kinds/bytes.ts'
import { contentKinds } from './kinds/content.ts'
import { cookieKinds } from './kinds/cookies.ts'
import { httpCacheKinds } from './kinds/http-cache.ts'
import { markdownKinds } from './kinds/markdown.ts'
import { microformatKinds } from './kinds/microformats.ts'
import { rdfaKinds } from './kinds/rdfa.ts'
import { selectKinds } from './kinds/select.ts'
import { siteKinds } from './kinds/site.ts'
import { structuredKinds } from './kinds/structured.ts'
import { treeKinds } from './kinds/tree.ts'
import { urlKinds } from './kinds/urls.ts'
import { valueKinds } from './kinds/values.ts'
import type { Case, Kind, Outcome, Suite } from './suite.ts'

/** All kinds. A kind that the engine does not support is absent. */
const KINDS: Readonly<Record<string, Kind>> = {
  ...bytesKinds,
  ...contentKinds,
  ...cookieKinds,
  ...httpCacheKinds,
  ...markdownKinds,
  ...microformatKinds,
  ...rdfaKinds,
  ...selectKinds,
  ...siteKinds,
  ...structuredKinds,
  ...treeKinds,
  ...urlKinds,
  ...valueKinds,
}

/** The results of the engine on a suite. */
export interface Score {
  readonly name: string
  readonly kind: string
  readonly total: number
  readonly passed: number
  /** The cases that failed, with what was thrown if something was. */
  readonly failed: readonly { readonly one: Case; readonly error: string | null }[]
  readonly figure: string
  readonly lacking: boolean
}

/** Judges all cases of a suite, one after the other. */
export async function score({ name, kind: kindName, cases }: Suite): Promise<Score> {
  const kind = KINDS[kindName]
  const failed: { one: Case; error: string | null }[] = []
  const sums: Record<string, number> = {}
  for (const one of cases) {
    let outcome: Outcome = { passed: false }
    let error: string | null = null
    try {
      const verdict = (await kind?.judge(one)) ?? false
      outcome = typeof verdict === 'boolean' ? { passed: verdict } : verdict
    } catch (thrown) {
      error = thrown instanceof Error ? thrown.message : String(thrown)
    }
    if (!outcome.passed) failed.push({ one, error })
    for (const [what, count] of Object.entries(outcome.counts ?? {}))
      sums[what] = (sums[what] ?? 0) + count
  }
  return {
    name,
    kind: kindName,
    total: cases.length,
    passed: cases.length - failed.length,
    failed,
    figure: kind?.figure?.(sums, cases.length) ?? '',
    lacking: kind === undefined,
  }
}
