import { refusalOf } from './guard.ts'

/** How a URL that the host itself named may be asked for. */
export interface NamedUrlOptions {
  /** As the egress has it. */
  readonly allowPrivateNetwork: boolean
  /** The URL's host, named once more: it may then be on a private network and be asked over `http:`. */
  readonly privateHost?: string
}

/**
 * Checks a URL of the host's options, before anything is asked for.
 *
 * @throws {TypeError} with what to do about it
 */
export function demandNamed(
  { href, hostname, protocol }: URL,
  { allowPrivateNetwork, privateHost }: NamedUrlOptions,
): void {
  if (privateHost !== undefined && privateHost !== hostname)
    throw new TypeError(`privateHost is ${privateHost}, but the host of ${href} is ${hostname}`)
  const isTrusted = allowPrivateNetwork || privateHost !== undefined
  const refusal =
    refusalOf(href, { allowPrivateNetwork: isTrusted }) ??
    (isTrusted || protocol === 'https:'
      ? null
      : 'Over http anyone on the way could change the answer.')
  if (refusal !== null)
    throw new TypeError(
      `${href} cannot be asked for. ${refusal}${isTrusted ? '' : ` ${adviseHost(hostname)}`}`,
    )
}

/** What to do where a host is refused that may well be meant. */
export function adviseHost(hostname: string): string {
  return `If this host is on your own network, say so: privateHost: '${hostname}'`
}
