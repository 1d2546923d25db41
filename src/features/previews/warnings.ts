import type { FieldReport, PreviewWarning, RuleReport, SourceReport } from './preview.ts'
import type { PreviewRun } from './preview-run.ts'
import { UNCLEAR } from '../../engine/visit/page-too-costly.ts'
import type { DryRun } from './dry-run.ts'

/** The results that warnings are derived from. */
export interface PreviewFindings {
  readonly dryRun: DryRun
  readonly run: PreviewRun
  readonly fields: readonly FieldReport[]
  readonly links: readonly RuleReport[]
  readonly maxUrls: number
  /** Number of rows in the answer. */
  readonly shown: number
}

/** Warnings for the author of the recipe, the most serious first. */
export function warningsOf(findings: PreviewFindings): PreviewWarning[] {
  return [
    ...pageWarnings(findings),
    ...labelWarnings(findings),
    ...fieldWarnings(findings),
    ...ruleWarnings(findings),
    ...cutWarnings(findings),
  ]
}

function pageWarnings({ dryRun, run }: PreviewFindings): PreviewWarning[] {
  const warnings: PreviewWarning[] = run.unread.map(({ list, message }) =>
    list === 'search'
      ? {
          code: 'search_failed',
          path: 'start.search',
          message: `The search failed: ${message}`,
        }
      : {
          code: `${list}_unreadable`,
          path: `start.${list}`,
          message: `The ${list} could not be read: ${message}`,
        },
  )
  const trouble = run.visited.find(({ reason }) => reason !== null)
  if (trouble && run.visited.every(({ outcome }) => outcome !== 'fetched'))
    warnings.push({
      code: 'no_page_fetched',
      path: null,
      message: `No page could be fetched. ${trouble.url}: ${trouble.reason?.message}`,
    })
  if (run.visited.length === 0 && run.unread.length === 0 && run.cut === null)
    warnings.push({
      code: 'no_page_found',
      path: 'start',
      message: 'The start of the recipe names no page',
    })
  // Ambiguous values have their own warning, which says what to write.
  const unread = run.visited.find(
    ({ outcome, reason }) => outcome === 'fetched' && reason !== null && reason.code !== UNCLEAR,
  )
  if (unread?.reason)
    warnings.push({
      code: unread.reason.code,
      path: dryRun.plan.model?.columns[0]?.path ?? null,
      message: `${unread.url}: ${unread.reason.message}`,
    })
  const shell = run.visited.find(({ isShell }) => isShell)
  if (shell !== undefined)
    warnings.push({
      code: 'needs_scripts',
      path: 'page.render',
      message:
        `${shell.url} is written by scripts: without them it has hardly any text. ` +
        'Set page.render to "browser", or read what they left in the page with a source such as ' +
        '{ "state": "$..name" }',
    })
  const [most] = dryRun.refused
  const isNothing = dryRun.proposal?.kind === 'page' || run.rows.length === 0
  if (shell === undefined && most !== undefined && isNothing)
    warnings.push({
      code: 'nothing_detected',
      path: 'extract',
      message:
        `No list, table, article or product was found. ${most.reason} The first one is ` +
        `${quoted(most.text)}. If these are the rows, name them with extract.items`,
    })
  if (dryRun.isAuto && dryRun.proposal === null)
    warnings.push({
      code: 'nothing_proposed',
      path: 'extract',
      message: 'No page could be read, so no fields can be proposed',
    })
  return warnings
}

function labelWarnings({ dryRun, run, links }: PreviewFindings): PreviewWarning[] {
  const { target } = dryRun
  const fetched = run.visited.filter(({ outcome }) => outcome === 'fetched')
  if (target === null || fetched.length === 0 || fetched.some(({ label }) => label === target))
    return []
  const hasLinks = links.some((rule) => rule.label === target && rule.found > 0)
  const why = hasLinks ? 'its links were found and not visited' : 'no rule found a link to one'
  return [
    {
      code: 'label_not_reached',
      path: dryRun.isAuto ? 'follow' : 'extract.on',
      message: `The rows come from pages with the label ${target}, and none was reached: ${why}`,
    },
  ]
}

function fieldWarnings({ run, fields }: PreviewFindings): PreviewWarning[] {
  const read = run.visited.flatMap(({ explanation }) => explanation ?? [])
  const items = read.filter((page) => page.items !== null)
  if (items.length > 0 && items.every((page) => page.items === 0))
    return [
      {
        code: 'items_empty',
        path: 'extract.items',
        message: `extract.items matched nothing on ${items.length === 1 ? 'the page' : `${items.length} pages`}`,
      },
    ]
  return fields.flatMap(({ field, filled, sources }) => {
    if (sources.length === 0) return []
    const unclear = sources.flatMap((source) => unclearWarning(field, source))
    if (filled === 0)
      return [
        {
          code: 'field_empty',
          path: `extract.fields.${field}`,
          message: emptyText(field, sources),
        },
        ...unclear,
      ]
    const unreadable = sources.flatMap((source) =>
      source.failed && source.values > 0
        ? [
            {
              code: 'values_unreadable',
              path: source.path,
              message:
                `Field ${field}: some matches of ${source.source} could not be read as ` +
                `${source.failed.as}, such as ${quoted(source.failed.text)}`,
            },
          ]
        : [],
    )
    return [...unreadable, ...unclear]
  })
}

function unclearWarning(field: string, { path, unclear }: SourceReport): PreviewWarning[] {
  if (unclear === null) return []
  const { text, as } = unclear
  const remedy =
    as === 'date' ? '{ "date": { "order": "dmy" } }' : `{ "${as}": { "decimal": "," } }`
  return [
    {
      code: 'values_unclear',
      path,
      message:
        `Field ${field}: ${quoted(text)} can be read as two ${as === 'date' ? 'dates' : 'numbers'}. ` +
        `Say how the site writes them, such as "as": ${remedy}, or leave "as" out to keep the text`,
    },
  ]
}

function emptyText(field: string, sources: readonly SourceReport[]): string {
  const failing = sources.find(({ failed }) => failed !== null)
  if (failing?.failed)
    return (
      `Field ${field}: ${failing.source} matched ${times(failing.matches)}, but no match ` +
      `could be read as ${failing.failed.as}; it found ${quoted(failing.failed.text)}`
    )
  return `Field ${field} matched nothing: ${sources.map(({ source }) => source).join(', ')}`
}

function ruleWarnings({ dryRun, run, links }: PreviewFindings): PreviewWarning[] {
  return links.flatMap(({ path, selector, found }) => {
    if (found === 0 && !path.endsWith('.next'))
      return [{ code: 'rule_empty', path, message: `The rule ${selector} matched no link` }]
    if (found === 0 && dryRun.proposal === null)
      return [
        {
          code: 'rule_empty',
          path,
          message: `The next rule ${selector} matched nothing on the visited pages`,
        },
      ]
    const most = Math.max(
      0,
      ...run.visited.flatMap(({ explanation }) =>
        (explanation?.rules ?? [])
          .filter((rule) => rule.path === path)
          .map(({ urls }) => urls.length),
      ),
    )
    return path.endsWith('.next') && most > 1
      ? [
          {
            code: 'next_ambiguous',
            path,
            message: `The next rule ${selector} matched ${most} links of one page; the first is followed`,
          },
        ]
      : []
  })
}

function cutWarnings({ dryRun, run, maxUrls, shown }: PreviewFindings): PreviewWarning[] {
  const warnings: PreviewWarning[] = []
  if (run.cut === 'urls')
    warnings.push({
      code: 'urls_cut',
      path: null,
      message: `A preview visits ${Math.min(maxUrls, dryRun.plan.limits.maxPages)} pages; ${run.left} more were found`,
    })
  if (run.cut === 'time')
    warnings.push({
      code: 'time_limit',
      path: null,
      message: `The preview ran out of time; ${run.left} more pages were found`,
    })
  if (run.rows.length > shown)
    warnings.push({
      code: 'rows_cut',
      path: null,
      message: `${run.rows.length} rows were found; these are the first ${shown}`,
    })
  return warnings
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

function quoted(text: string): string {
  return text === '' ? 'nothing there' : JSON.stringify(text)
}
