import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SCOPES, grants, notGrantable } from '../../src/kernel/scope.ts'
import cases from '../fixtures/auth-cases.json' with { type: 'json' }

const single = Object.entries(cases.scope).filter(([scope]) => !scope.includes(' '))

test.for(single)('the scopes %j for a route with tasks:read are answered %i', ([scope, status]) => {
  expect(grants([scope], 'tasks:read')).toBe(status === 200)
})

test('an empty list of scopes grants nothing', () => {
  for (const scope of SCOPES) expect(grants([], scope)).toBe(false)
})

test('the scope to write webhooks or keys includes reading them, but not the reverse', () => {
  expect(grants(['webhooks:write'], 'webhooks:read')).toBe(true)
  expect(grants(['keys:write'], 'keys:read')).toBe(true)
  expect(grants(['webhooks:read'], 'webhooks:write')).toBe(false)
  expect(grants(['keys:read'], 'keys:write')).toBe(false)
  expect(grants(['tasks:write'], 'tasks:read')).toBe(false)
})

test('a scope is granted by itself, its family and *, and by no similar text', () => {
  const near = fc.constantFrom(...SCOPES).chain((scope) =>
    fc.oneof(
      fc.constantFrom(
        scope.toUpperCase(),
        scope.slice(0, -1),
        `${scope}s`,
        ` ${scope}`,
        `${scope} `,
        `${scope},`,
        scope.replace(':', '.'),
        scope.replace(':', ''),
        `${scope}:*`,
        `${scope.split(':')[0] ?? ''}*`,
        `${scope.slice(0, 3)}*`,
        `x${scope}`,
      ),
      fc
        .tuple(fc.nat(scope.length), fc.string({ minLength: 1, maxLength: 3 }))
        .map(([position, text]) => scope.slice(0, position) + text + scope.slice(position)),
    ),
  )
  const any = fc.oneof(near, fc.string(), fc.constantFrom(...SCOPES, '*', 'tasks:*', 'mcp:*'))
  fc.assert(
    fc.property(fc.array(any, { maxLength: 5 }), fc.constantFrom(...SCOPES), (granted, scope) => {
      const [family] = scope.split(':')
      const isOperator = scope === 'operator'
      expect(grants(granted, scope)).toBe(
        (granted.includes('*') && !isOperator) ||
          granted.includes(scope) ||
          (granted.includes(`${family}:*`) && !isOperator) ||
          (['webhooks:read', 'keys:read'].includes(scope) && granted.includes(`${family}:write`)),
      )
    }),
    { numRuns: 1_000 },
  )
})

test('a key may be given known scopes, known families and *', () => {
  for (const scope of [...SCOPES, '*', 'tasks:*', 'mcp:*']) expect(notGrantable(scope)).toBeNull()
  for (const scope of [
    '',
    '*:*',
    'tasks',
    'tasks:',
    'tasksadmin:*',
    'Tasks:read',
    'tasks:read,tasks:write',
    't*:*',
    '__proto__:*',
    'operator:*',
    'operato:*',
  ])
    expect(notGrantable(scope)).toContain('is not a known scope')
})
