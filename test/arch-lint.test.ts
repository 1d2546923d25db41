import { expect, test } from 'vitest'
import { lintPlanted } from './support/sources/lint.ts'

const IMPORT = 'no-restricted-imports'

/** One planted file for each thing that the linter must refuse: path, text, rule. */
const refused: readonly (readonly [path: string, text: string, rule: string])[] = [
  ['src/kernel/a.ts', "export { x } from '../ports/x.ts'", IMPORT],
  ['src/kernel/deep/a.ts', "export type { X } from '../../records/x.ts'", IMPORT],
  ['src/ports/a.ts', "import type { X } from '../engine/x.ts'\nexport type Y = X", IMPORT],
  ['src/engine/crawl/a.ts', "export { x } from '../../records/x.ts'", IMPORT],
  ['src/engine/crawl/b.ts', "export { x } from '../../defaults/x.ts'", IMPORT],
  ['src/records/a.ts', "export { x } from '../engine/x.ts'", IMPORT],
  ['src/defaults/a.ts', "export { x } from '../features/tasks/x.ts'", IMPORT],
  ['src/features/tasks/a.ts', "export { x } from '../../http/x.ts'", IMPORT],
  ['src/features/tasks/b.ts', "export { x } from '../../platform/x.ts'", IMPORT],
  ['src/http/a.ts', "export { x } from '../worker/x.ts'", IMPORT],
  ['src/mcp/a.ts', "export { x } from '../http/x.ts'", IMPORT],
  ['src/crawl/run/a.ts', "export { x } from '../../worker/x.ts'", IMPORT],
  ['src/features/tasks/c.ts', "export { x } from '../../crawl/x.ts'", IMPORT],
  ['src/worker/a.ts', "export { x } from '../http/x.ts'", IMPORT],
  ['src/client/a.ts', "export type { X } from '../http/x.ts'", IMPORT],
  ['src/client/b.ts', "export { x } from 'valibot'", IMPORT],
  ['src/client/c.ts', "export const x = () => fetch('x')", 'no-restricted-globals'],
  ['src/client.ts', "export type { X } from './worker/x.ts'", IMPORT],
  ['src/platform/a.ts', "export { x } from '../../adapters/node/x.ts'", IMPORT],
  ['src/worker/b.ts', "export { x } from '#fetcher'", IMPORT],
  ['src/worker/c.ts', "export { x } from '../index.ts'", IMPORT],
  ['src/worker/d.ts', "export { x } from 'seine'", IMPORT],
  ['src/worker/e.ts', "export { x } from 'node:fs'", IMPORT],
  ['src/worker/f.ts', "export { x } from 'cloudflare:sockets'", IMPORT],
  ['src/worker/g.ts', "export const x = () => import('bun:sqlite')", IMPORT],
  ['src/worker/h.ts', "export { x } from 'valibot'", IMPORT],
  ['src/features/tasks/service.ts', "export { x } from 'valibot'", IMPORT],
  ['src/mcp/b.ts', "export { x } from 'itty-router'", IMPORT],
  ['src/http/b.ts', "export { x } from '@modelcontextprotocol/sdk/server'", IMPORT],
  ['src/http/c.ts', "export { x } from 'jose'", IMPORT],
  ['src/defaults/b.ts', "export { x } from 'unstorage/drivers/memory'", IMPORT],
  ['adapters/node/a.ts', "export { x } from '../../src/records/x.ts'", IMPORT],
  ['adapters/node/views.ts', "export { x } from '../../src/features/tasks/x.ts'", IMPORT],
  ['adapters/node/b.ts', "export { x } from './index.ts'", IMPORT],
  ['examples/demo/a.ts', "export { x } from '../../src/index.ts'", IMPORT],
  ['src/worker/i.ts', 'export const x = process.pid', 'no-restricted-globals'],
  ['src/worker/j.ts', 'export const x = Buffer.from([])', 'no-restricted-globals'],
  ['src/worker/k.ts', 'export const x = __dirname', 'no-restricted-globals'],
  ['src/worker/l.ts', "export const x = () => fetch('x')", 'no-restricted-globals'],
  ['src/defaults/web-fetcher.ts', 'export const x = process.pid', 'no-restricted-globals'],
  ['src/worker/r.tsx', "export const x = () => fetch('x')", 'no-restricted-globals'],
  ['src/console/app/a.tsx', "export const x = () => fetch('x')", 'no-restricted-globals'],
  ['src/console/app/b.tsx', "export { x } from '../../records/x.ts'", IMPORT],
  ['src/worker/m.ts', 'export const x = (y: any) => String(y)', 'no-explicit-any'],
  ['src/worker/n.ts', '// @ts-ignore\nexport const x = 1', 'ban-ts-comment'],
  [
    'src/worker/o.ts',
    Array.from({ length: 501 }, (_, i) => `export const x${i} = ${i}`).join('\n'),
    'max-lines',
  ],
  ['src/worker/p.ts', 'const x = 1\nexport default x', 'no-default-export'],
  ['src/worker/q.ts', "console.log('x')\nexport const x = 1", 'no-console'],
  ['src/records/p.ts', "import type { B } from './q.ts'\nexport type A = B", 'no-cycle'],
  ['src/records/q.ts', "import type { A } from './p.ts'\nexport type B = A", 'no-cycle'],
  [
    'test/a.test.ts',
    "import { test } from 'vitest'\ntest.skip('x', () => {})",
    'no-disabled-tests',
  ],
  ['test/c.test.ts', "import { test } from 'vitest'\ntest('x', () => {})", 'expect-expect'],
  [
    'test/b.test.ts',
    "import { expect, test } from 'vitest'\ntest.only('x', () => expect(1).toBe(1))",
    'no-focused-tests',
  ],
]

/** Code that the same rules must allow. */
const allowed: Readonly<Record<string, string>> = {
  'src/kernel/ok.ts': "export { x } from './y.ts'\nexport { string } from 'valibot'",
  'src/engine/recipe/ok.ts':
    "export { x } from '../extract/y.ts'\nexport { string } from 'valibot'",
  'src/features/tasks/schema.ts':
    "export { x } from '../../kernel/y.ts'\nexport { string } from 'valibot'",
  'src/http/ok.ts':
    "export { x } from '../features/tasks/routes.ts'\nexport { Router } from 'itty-router'",
  'src/mcp/ok.ts': "export { x } from '@modelcontextprotocol/sdk/server'",
  'src/platform/ok.ts':
    "export { x } from '../worker/y.ts'\nexport { createFetcher } from '#fetcher'",
  'src/client/ok.ts':
    "export type { X } from '../kernel/x.ts'\nimport type { Y } from '../features/tasks/schema.ts'\nexport type Z = Y",
  'src/client/web-defaults.ts': "export const x = () => fetch('x')",
  'src/index.ts': "export { x } from './platform/x.ts'",
  'src/defaults/ok.ts': "export { x } from '../records/y.ts'",
  'test/ok.test.ts':
    "import fc from 'fast-check'\nimport { test } from 'vitest'\n" +
    "test('x', () => fc.assert(fc.property(fc.nat(), (n) => n >= 0)))",
  'adapters/sqlite/views.ts': "export { x } from '../../src/features/report-views.ts'",
  'adapters/node/ok.ts':
    "export { x } from '../../src/kernel/y.ts'\n" +
    "export { readFile } from 'node:fs/promises'\nexport { createPlatform } from 'seine'",
}

test('the linter refuses every planted violation, each by its own rule only', async () => {
  const refusals = await lintPlanted({ ...Object.fromEntries(refused), ...allowed })
  expect(refusals).toEqual(refused.map(([path, , rule]) => `${path}: ${rule}`).toSorted())
})
