import { isCleanText } from './clean-text.ts'
import { bareType } from './options.ts'

const DEFAULT_TYPES = ['at+jwt', 'jwt']

/**
 * What is wrong with a header, or `null`. `jku`, `x5u`, `jwk` and `x5c` are no matter: nothing
 * reads them, so that a token cannot bring its own key.
 */
export function headerFault(
  header: Readonly<Record<string, unknown>>,
  types: readonly string[] | null,
): string | null {
  const { kid, typ } = header
  // An extension that must be understood (RFC 7515 section 4.1.11) is none that we do; nor is an
  // unencoded payload (RFC 7797).
  for (const name of ['crit', 'b64', 'zip', 'enc']) if (Object.hasOwn(header, name)) return name
  if (kid !== undefined && !isCleanText(kid)) return 'kid'
  if (typ === undefined) return types === null ? null : 'typ'
  return typeof typ === 'string' && (types ?? DEFAULT_TYPES).includes(bareType(typ)) ? null : 'typ'
}
