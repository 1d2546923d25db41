import { refusalOf } from '../../engine/egress/guard.ts'

/**
 * Why nothing may be delivered to a URL, as far as the URL itself tells; `null`: it may. Plain http
 * is for development alone.
 */
export function refuseWebhookUrl(url: string, allowPrivateNetwork: boolean): string | null {
  const refusal = refusalOf(url, { allowPrivateNetwork })
  if (refusal !== null) return refusal
  return allowPrivateNetwork || URL.parse(url)?.protocol === 'https:'
    ? null
    : 'Only https URLs are allowed.'
}
