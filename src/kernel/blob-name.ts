const MAX_LENGTH = 512

/**
 * Refuses a blob name that not every backend could keep apart from all others: a name is one or
 * more `/`-separated segments, none empty, `.` or `..`, of well-formed Unicode without NUL and
 * backslash, at most 512 characters in all.
 *
 * @throws {TypeError}
 */
export function assertBlobName(name: string): void {
  const bad =
    name.length > MAX_LENGTH ||
    !name.isWellFormed() ||
    /[\0\\]/.test(name) ||
    name.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')
  if (bad) throw new TypeError(`Not a name for a blob: ${JSON.stringify(name.slice(0, 100))}`)
}
