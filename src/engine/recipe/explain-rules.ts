import type { RuleMatch, Visit } from '../../ports/page-processor.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import { compileFollow } from './compile-follow.ts'
import type { Recipe } from './schema.ts'

type Rule = NonNullable<Recipe['follow']>[number]

/**
 * Compiles the rules one by one, so that none hides what another finds. Answers with those that
 * hold on a page.
 */
export function explainRules(
  rules: readonly Rule[],
): (page: PageContent, visit: Visit) => readonly RuleMatch[] {
  const labels = new Set(
    rules.flatMap((rule) => [
      rule.on ?? 'start',
      'as' in rule && rule.as !== undefined ? rule.as : 'start',
    ]),
  )
  const compiled = rules.map((rule, at) => {
    const isNext = 'next' in rule
    const selector = isNext ? rule.next : rule.links
    // As links it tells all that match. What a JSON page says of the next one may be no link.
    const asked: Rule =
      isNext && !selector.startsWith('$')
        ? { links: selector, ...(rule.on !== undefined && { on: rule.on }) }
        : rule
    const as = 'as' in rule ? rule.as : undefined
    return {
      rule,
      path: `follow.${at}.${isNext ? 'next' : 'links'}`,
      selector,
      as,
      find: compileFollow([asked], labels, []),
    }
  })
  return (page, visit) =>
    compiled
      .filter(({ rule }) => rule.on === undefined || rule.on === visit.label)
      .map(({ path, selector, as, find }) => ({
        path,
        selector,
        label: as ?? visit.label,
        urls: find(page, visit).map(({ url }) => url),
      }))
}
