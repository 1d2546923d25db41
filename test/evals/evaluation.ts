import type { Agent, Data, Toolset } from './agent.ts'
import type { Web } from './sites.ts'

/** The subjects of tasks. */
export type Group = 'find' | 'extract' | 'compare' | 'watch' | 'recover'

/** One task: what a person asks, what a scripted agent does, and who judges its answer. */
export interface Evaluation {
  /** The question of a person. */
  readonly asks: string
  readonly tools: Toolset
  /** A web of its own, which the task may change. */
  readonly web: () => Web
  /**
   * The calls of a scripted agent. Its answer comes from results alone: it knows the question and
   * the descriptions of the tools, and not the pages.
   */
  readonly agent: (agent: Agent, web: Web) => Promise<unknown>
  /** The right answer. It is made from the data of the site, and compared as JSON. */
  readonly right: unknown
}

/** The objects of a list in a result. */
export function listIn(data: Data, name: string): readonly Data[] {
  const list = data[name]
  return Array.isArray(list) ? list.filter((one): one is Data => typeof one === 'object') : []
}

/** The text of a member. */
export function textIn(data: Data, name: string): string {
  return String(data[name] ?? '')
}

/** The number of a value that may have a currency or words around it. */
export function numberIn(value: unknown): number {
  const [digits] = /\d[\d,]*(?:\.\d+)?/.exec(String(value)) ?? []
  return digits === undefined ? NaN : Number(digits.replaceAll(',', ''))
}

/** The text after some words; `null`: it does not have them. */
export function after(text: string, words: string): string | null {
  const start = text.indexOf(words)
  return start < 0 ? null : text.slice(start + words.length).trim()
}

/** The row with the smallest value of a column. */
export function least(rows: readonly Data[], column: string): Data | undefined {
  return rows.toSorted((a, b) => numberIn(a[column]) - numberIn(b[column]))[0]
}
