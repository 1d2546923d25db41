import { describe, expect, test } from 'vitest'
import { SeineError } from '../../src/client/error.ts'
import {
  entryProblemOf,
  isOffline,
  problemOf,
  readProblemOf,
  unreadProblem,
} from '../../src/console/app/parts/problem.ts'
import { words } from '../../src/console/app/words.ts'

const suspended = new SeineError('FORBIDDEN', 'The account is suspended', { status: 403 })
const lacking = new SeineError('FORBIDDEN', 'This needs the scope keys:write', {
  status: 403,
  scope: 'keys:write',
})
const unknown = new SeineError('UNAUTHORIZED', 'A valid credential is required', { status: 401 })
const full = new SeineError('SERVICE_UNAVAILABLE', 'There is no space left', { status: 503 })
const behind = [502, 504].map(
  (status) => new SeineError('UNEXPECTED_RESPONSE', 'A proxy has no answer', { status }),
)
const away = new SeineError('NETWORK_ERROR', 'fetch failed')

describe('the message of the console', () => {
  test('advises another key if the key lacks a scope, but not if the account is suspended', () => {
    expect(problemOf(lacking).message).toBe(words.errors.needs('keys:write'))
    expect(problemOf(suspended).message).toBe('The account is suspended')
  })

  test('is the answer of the server if it answers, and the call is tried again', () => {
    expect(problemOf(full).message).toBe('There is no space left')
    expect(readProblemOf(full)).toBe('There is no space left')
    expect(readProblemOf(away)).toBe(words.errors.offline)
    expect([full, away, suspended, unknown].map(isOffline)).toEqual([true, true, false, false])
    expect(behind.map(isOffline)).toEqual([true, true])
  })

  test('of a button has a way to try again, but only if there was no answer', () => {
    const work = () => undefined
    expect(problemOf(away, work)).toMatchObject({ message: words.errors.unanswered, again: work })
    expect(problemOf(full, work).again).toBe(work)
    expect(problemOf(lacking, work).again).toBeUndefined()
  })

  test('of a read that waits for the user says nothing of what may have been done', () => {
    const work = () => undefined
    expect(unreadProblem(away, work)).toMatchObject({ message: words.errors.offline, again: work })
    expect(unreadProblem(full, work)).toMatchObject({
      message: 'There is no space left',
      again: work,
    })
    expect(unreadProblem(lacking, work).again).toBeUndefined()
  })

  test('at sign-in names the key only if the server does not know it', () => {
    expect(entryProblemOf(unknown)).toBeNull()
    expect(entryProblemOf(suspended)).toBe('The account is suspended')
    expect(entryProblemOf(full)).toBe('There is no space left')
    expect(entryProblemOf(away)).toBe(words.errors.offline)
    expect(entryProblemOf(new TypeError('fetch failed'))).toBe(words.errors.offline)
  })
})
