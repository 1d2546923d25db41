import { expect, test } from 'vitest'
import { createBaseUrl } from '../../../src/kernel/http/base-url.ts'
import type { BaseUrlOptions, Forwarded } from '../../../src/kernel/http/base-url.ts'

test.for<
  readonly [url: string, options: BaseUrlOptions, forwarded: Forwarded | undefined, base: string]
>([
  ['http://a.test/api/v1/tasks', {}, undefined, 'http://a.test'],
  ['http://a.test:81/api/v1/tasks?x=/', {}, {}, 'http://a.test:81'],
  ['http://a.test/api/v1/x', {}, { proto: 'https' }, 'https://a.test'],
  ['http://a.test/api/v1/x', {}, { host: 'b.test', prefix: '/p' }, 'http://b.test/p'],
  // Below a mount path, whether the application strips it or not.
  ['http://a.test/data/api/v1/x', { basePath: '/data' }, undefined, 'http://a.test/data'],
  ['http://a.test/api/v1/x', { basePath: 'data/' }, undefined, 'http://a.test/data'],
  ['http://a.test/api/v1/x', { basePath: '/data' }, { prefix: '/data' }, 'http://a.test/data'],
  ['http://a.test/data/api/v1', { basePath: '/data' }, { prefix: '/eu' }, 'http://a.test/eu/data'],
  // The public URL always wins.
  ['http://a.test/x', { publicUrl: 'https://b.test/d/' }, { host: 'c.test' }, 'https://b.test/d'],
  ['http://a.test/x', { publicUrl: new URL('https://b.test') }, undefined, 'https://b.test'],
  [
    'http://a.test/data/x',
    { publicUrl: 'https://b.test', basePath: '/data' },
    undefined,
    'https://b.test',
  ],
])('the base of a request to %s with %j and %j is %s', ([url, options, forwarded, base]) => {
  expect(createBaseUrl(options)(url, forwarded)).toBe(base)
})
