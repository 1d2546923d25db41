import { getDomain } from 'tldts-icann'
import { cookieDate } from '../../../src/engine/egress/cookie-date.ts'
import { CookieJar } from '../../../src/engine/egress/cookie-jar.ts'
import { alike } from '../compare.ts'
import type { Case, Kind, Value } from '../suite.ts'

/** Cookies that a chain of redirects carries, and their dates. */
export const cookieKinds: Readonly<Record<string, Kind>> = {
  cookies: { judge: judgeCookies },
  'cookie-date': { judge: judgeDate },
}

function judgeCookies(one: Case): boolean {
  const jar = new CookieJar((domain) => getDomain(domain) === null)
  const now = Date.parse(one.text('now'))
  for (const line of one.texts('setCookie')) jar.store(line, new URL(one.text('from')), now)
  const cookies: Value = JSON.parse(JSON.stringify(jar.cookiesFor(new URL(one.text('to')), now)))
  return alike(cookies, one.value('cookies'))
}

function judgeDate(one: Case): boolean {
  const date = cookieDate(one.text('text'))
  return (date === null ? null : new Date(date).toUTCString()) === one.value('date')
}
