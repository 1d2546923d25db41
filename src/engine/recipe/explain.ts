import type { Json } from '../../kernel/json.ts'
import type { PageExplanation, Visit } from '../../ports/page-processor.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import { isDetected } from './auto-extract.ts'
import { compileExtract } from './compile-extract.ts'
import { modelItems } from './compile-model.ts'
import { probesOf, readProbe } from './explain-source.ts'
import { explainRules } from './explain-rules.ts'
import type { Recipe } from './schema.ts'

/**
 * Says what each part of a recipe found on a page. Where the budget ends, the parts that come after
 * found nothing.
 */
export type Explain = (content: PageContent, visit: Visit) => PageExplanation

/**
 * Compiles a recipe, which must be valid, into something that explains it. Instead of following the
 * extraction on its way it asks the page more: each source alone, as it is written and without what
 * it makes of its matches. So it works for every kind of source, and costs the extraction itself
 * nothing.
 */
export function compileExplain(recipe: Recipe): Explain {
  const { on, items: written, fields = {} } = isDetected(recipe) ? (recipe.extract ?? {}) : {}
  const items = modelItems(written) === null ? written : undefined
  const probes = probesOf(fields)
  const asked = Object.fromEntries(
    probes.flatMap(({ column, source, matches }) => [
      [`${column} value`, source],
      [`${column} matches`, matches],
    ]),
  )
  const below = items === undefined ? {} : { items }
  // Nothing is wrong with parts of a recipe that is valid, so that nobody reads these issues.
  const values =
    probes.length === 0
      ? null
      : compileExtract({ start: {}, extract: { ...below, fields: asked } }, [])
  const places =
    items === undefined
      ? null
      : compileExtract({ start: {}, extract: { items, fields: { here: { const: true } } } }, [])
  const rules = explainRules(recipe.follow ?? [])

  return (content, visit) => {
    const found = rules(content, visit)
    if (on !== undefined && visit.label !== on) return { items: null, sources: [], rules: found }
    const rows: readonly { readonly [column: string]: Json }[] = values?.read(content) ?? []
    const filled = new Map<string, Set<number>>()
    const sources = probes.map((probe) => {
      const before = filled.get(probe.field) ?? new Set()
      filled.set(probe.field, before)
      return readProbe(probe, rows, before)
    })
    return { items: places === null ? null : places.read(content).length, sources, rules: found }
  }
}
