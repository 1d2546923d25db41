import type { RequestHeaders } from '../kernel/http/message.ts'

/** The caller's own credential, as it came. */
export type Credential = Readonly<Record<string, string>>

/** What a caller is known by. Nothing else of a request goes on to the service. */
export function credentialOf(headers: RequestHeaders): Credential | null {
  const authorization = headers.get('authorization')
  const apiKey = headers.get('x-api-key')
  if (authorization === null && apiKey === null) return null
  return {
    ...(authorization !== null && { authorization }),
    ...(apiKey !== null && { 'x-api-key': apiKey }),
  }
}
