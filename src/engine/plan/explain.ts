import type { Json } from '../../kernel/json.ts'
import type { PageExplanation, RuleMatch, SourceMatch, Visit } from '../../ports/page-processor.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import { isDetected } from './auto-extract.ts'
import type { Parts } from '../extract/page/in-turns.ts'
import { compileExtract } from './compile-extract.ts'
import { modelItems } from './compile-model.ts'
import { probesOf, readProbe } from './explain-source.ts'
import type { Recipe } from '../recipe/schema.ts'
import { compileFollow } from './compile-follow.ts'

/**
 * Reports in parts what each part of a recipe found on a page. After the budget ends, the remaining
 * ones report no matches.
 */
type Explain = (content: PageContent, visit: Visit) => Parts<PageExplanation>

/**
 * Compiles a valid recipe into a function that explains it on a page. The function does not trace
 * the extraction. It queries the page again for each source alone, as written and without
 * conversion. So it works for every kind of source and costs the extraction itself nothing.
 */
export function compileExplain(recipe: Recipe): Explain {
  const { on, items: selector, fields = {} } = isDetected(recipe) ? (recipe.extract ?? {}) : {}
  const items = modelItems(selector) === null ? selector : undefined
  const probes = probesOf(fields)
  const probeFields = Object.fromEntries(
    probes.flatMap(({ column, source, matches }) => [
      [`${column} value`, source],
      [`${column} matches`, matches],
    ]),
  )
  const below = items === undefined ? {} : { items }
  // The parts of a valid recipe are valid, so these issues stay empty and unread.
  const values =
    probes.length === 0
      ? null
      : compileExtract({ start: {}, extract: { ...below, fields: probeFields } }, [])
  const itemReader =
    items === undefined
      ? null
      : compileExtract({ start: {}, extract: { items, fields: { here: { const: true } } } }, [])
  const rules = explainRules(recipe.follow ?? [])

  return function* (content, visit) {
    const matchedRules = yield* rules(content, visit)
    if (on !== undefined && visit.label !== on)
      return { items: null, sources: [], rules: matchedRules }
    const rows: readonly { readonly [column: string]: Json }[] =
      values === null ? [] : yield* values.read(content)
    const filled = new Map<string, Set<number>>()
    const itemCount = itemReader === null ? null : (yield* itemReader.read(content)).length
    const sources: SourceMatch[] = []
    for (const probe of probes) {
      yield
      const before = filled.get(probe.field) ?? new Set()
      filled.set(probe.field, before)
      sources.push(yield* readProbe(probe, rows, before, content, itemCount))
    }
    return { items: itemCount, sources, rules: matchedRules }
  }
}

type Rule = NonNullable<Recipe['follow']>[number]

/**
 * Compiles the rules one by one, so that no rule hides another's links. Returns those that apply to
 * a page.
 */
function explainRules(
  rules: readonly Rule[],
): (page: PageContent, visit: Visit) => Parts<readonly RuleMatch[]> {
  const labels = new Set(
    rules.flatMap((rule) => [
      rule.on ?? 'start',
      'as' in rule && rule.as !== undefined ? rule.as : 'start',
    ]),
  )
  const compiled = rules.map((rule, index) => {
    const isNext = 'next' in rule
    const selector = isNext ? rule.next : rule.links
    // A `next` rule is read like `links`, so that it reports all matches. On a JSON page its value
    // may not be a link.
    const linksRule: Rule =
      isNext && !selector.startsWith('$')
        ? { links: selector, ...(rule.on !== undefined && { on: rule.on }) }
        : rule
    const as = 'as' in rule ? rule.as : undefined
    return {
      rule,
      path: `follow.${index}.${isNext ? 'next' : 'links'}`,
      selector,
      as,
      find: compileFollow([linksRule], labels, []),
    }
  })
  return function* (page, visit) {
    const matches: RuleMatch[] = []
    for (const { rule, path, selector, as, find } of compiled) {
      if (rule.on !== undefined && rule.on !== visit.label) continue
      const urls = (yield* find(page, visit)).map(({ url }) => url)
      matches.push({ path, selector, label: as ?? visit.label, urls })
      yield
    }
    return matches
  }
}
