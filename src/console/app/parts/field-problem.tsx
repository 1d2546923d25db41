import type { Problem } from './problem.ts'

/** True for an issue about a field or a part of it. */
function isAbout(path: string, issue: { readonly path: string }): boolean {
  return issue.path === path || issue.path.startsWith(`${path}.`)
}

/** Attributes of a field that the API may refuse. `id`: the id of its problem. */
export function wrongField(problem: Problem | null, path: string, id: string) {
  const isWrong = problem?.issues.some((issue) => isAbout(path, issue)) === true
  return isWrong ? { 'aria-invalid': true, 'aria-describedby': id } : {}
}

/** The API's problem with a field, below the field. */
export function FieldProblem({
  problem,
  path,
  id,
}: {
  readonly problem: Problem | null
  /** The path of the field in the request. */
  readonly path: string
  readonly id: string
}) {
  const issues = problem?.issues.filter((issue) => isAbout(path, issue)) ?? []
  return issues.length === 0 ? null : (
    <small id={id} class="bad">
      {issues.map(({ message }) => message).join(' · ')}
    </small>
  )
}
