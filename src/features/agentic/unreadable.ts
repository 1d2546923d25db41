import { PlatformError } from '../../kernel/errors.ts'

const ADVICE: Readonly<Record<string, string>> = {
  robots_disallowed: 'The site asks robots to stay away from it: use another page or source',
  challenge: 'The site lets no programs in: use another source',
  http_401: 'It takes a login: use another source',
  http_403: 'The site does not let this service in: use another source',
  http_404: 'Check the address, or search for the page',
  http_410: 'It is gone for good: search for another page',
  http_429: 'The site wants fewer requests: try again in some minutes, or use another source',
  site_unreachable: 'Check the address, or try again later',
  refused: 'Only addresses on the public internet can be read',
  invalid_url: 'Check the address',
  dns: 'Check the name in the address',
  too_large: 'Look for a shorter page, or a part of it with an address of its own',
  too_many_redirects: 'Look for the address that it leads to',
  content_type:
    'Fetch a page of text instead: HTML, PDF, JSON, XML, feeds, CSV and plain text can be read',
  no_text:
    'Look for a page that has the text itself: scripts may write it here, or it may be pictures alone',
  page_too_costly: 'Look for a shorter page, or a part of it with an address of its own',
  pdf: 'Look for the same text as a web page',
}
const LATER = 'Try again later, or use another source'

/** Why a page gave no text. `code`: of the page's outcome, or one of {@link ADVICE}'s. */
export interface Unreadable {
  readonly code: string
  /** For people, without a full stop at its end. */
  readonly message: string
  /** Seconds after which the site wants to be asked again. */
  readonly retryAfter?: number | null
}

/** 422 for a page that cannot be read, with what to do about it. */
export function unreadable({ code, message, retryAfter = null }: Unreadable): PlatformError {
  const why = message.replace(/\.$/, '')
  return new PlatformError(
    'UNPROCESSABLE_CONTENT',
    `The page could not be read: ${why} (${code}). ${ADVICE[code] ?? LATER}`,
    retryAfter === null ? {} : { headers: { 'Retry-After': String(retryAfter) } },
  )
}
