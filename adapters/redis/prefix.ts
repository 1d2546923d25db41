/**
 * Checks what the names of Redis' keys are to begin with.
 *
 * @throws {TypeError}
 */
export function prefixFrom(prefix: string): string {
  if (!/^[\w:.-]{1,48}$/.test(prefix))
    throw new TypeError('The prefix has one to 48 letters, digits, and characters of _ : . -')
  return prefix
}
