import type { Group } from './evaluation.ts'
import type { Outcome } from './run-evals.ts'

/** Characters that make about one token. */
const CHARACTERS = 4
const WHAT: Readonly<Record<Group, string>> = {
  find: 'find a fact on a page, in a long page, a crawl, a feed or a file',
  extract: 'typed rows by schema, words, selectors or a template',
  compare: 'what differs between pages, shops, tables and feeds',
  watch: 'what is new, changed, gone or back after a day',
  recover: 'wrong arguments, closed, empty and missing pages, orders to agents',
}

/** Tokens of a text with so many characters, about. */
export function tokens(characters: number): number {
  return Math.round(characters / CHARACTERS)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

/** One line a task. */
export function linesOf(outcomes: readonly Outcome[]): string {
  return outcomes
    .map(({ group, asks, passed, instead, usage }) => {
      const { calls, read } = usage
      const cost = `${String(calls).padStart(2)} calls ${String(tokens(read)).padStart(6)} tokens`
      const end = passed ? '' : `\n        ${instead}`
      return `${passed ? 'passed' : 'FAILED'} ${group.padEnd(8)} ${cost}  ${asks}${end}`
    })
    .join('\n')
}

/** The table of the documentation. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const row = (name: string, what: string, some: readonly Outcome[]): string => {
    const read = some.map(({ usage }) => tokens(usage.read))
    const passed = some.filter((one) => one.passed).length
    const calls = mean(some.map(({ usage }) => usage.calls)).toFixed(1)
    const sent = mean(some.map(({ usage }) => tokens(usage.sent))).toFixed(0)
    return (
      `| ${name} | ${what} | ${passed}/${some.length} | ${calls} | ${sent} | ` +
      `${mean(read).toFixed(0)} | ${Math.max(...read)} |`
    )
  }
  const groups = [...new Set(outcomes.map(({ group }) => group))]
  return [
    '| tasks | what | passed | calls a task | tokens of arguments | tokens of results | largest |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...groups.map((group) =>
      row(
        `\`${group}\``,
        WHAT[group],
        outcomes.filter((one) => one.group === group),
      ),
    ),
    row('all', '', outcomes),
  ].join('\n')
}

/** The cost of the descriptions of tools, which a model reads once a conversation. */
export function offeredOf(outcomes: readonly Outcome[]): string {
  const of = (tools: Outcome['tools']): number =>
    tokens(outcomes.find((one) => one.tools === tools)?.usage.offered ?? 0)
  return (
    `Names, descriptions and input schemas are about ${of('six')} tokens for the six tools, and ` +
    `${of('extended')} for all. A model reads them once a conversation.`
  )
}
