import { accepts } from '../kernel/http/headers.ts'
import { PlatformError } from '../kernel/errors.ts'
import type { Incoming } from '../kernel/http/message.ts'

/** @throws {PlatformError} 406 that names what there is instead, unless one of `others` will do */
export function demandAcceptable(
  request: Incoming,
  contentType: string,
  others: readonly string[] = [],
): void {
  const wanted = request.headers.get('accept')
  if (accepts(wanted, contentType) || others.some((other) => accepts(wanted, other))) return
  throw new PlatformError(
    'NOT_ACCEPTABLE',
    `The answer is ${contentType.split(';')[0]}, which Accept excludes`,
  )
}
