import type { PageResult } from '../../ports/page-processor.ts'

/** Whether nothing that a recipe looks for is on a page, what a model may still find aside. */
export function isEmptyResult({ rows, links, question }: PageResult): boolean {
  return links.length === 0 && (question === undefined ? rows.length === 0 : !question.found)
}
