import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bundleForEdge } from '../support/sources/edge-bundle.ts'
import { root } from '../support/sources/sources.ts'

describe('in a bundle', () => {
  test('an unused import adds no bytes', async () => {
    const { startBytes } = await bundleForEdge(
      "import 'seine'\nimport 'seine/client'\nimport 'seine/engine'\nimport 'seine/cloudflare'\nimport 'seine/jose'",
    )
    expect(startBytes).toBe(0)
  })

  test('docs/runtimes.md has the size of the platform', async () => {
    const [, most] =
      /at most (\d+) KB at once/.exec(readFileSync(join(root, 'docs/runtimes.md'), 'utf8')) ?? []
    const { startGzip } = await bundleForEdge(
      "import { createPlatform } from 'seine'\nexport default createPlatform()",
    )
    expect(startGzip).toBeGreaterThan(50_000)
    expect(startGzip / 1_000).toBeLessThanOrEqual(Number(most))
  })

  test('the client contains no code of the platform', async () => {
    const { startGzip } = await bundleForEdge(
      "import { createClient } from 'seine/client'\n" +
        "export const client = createClient({ baseUrl: 'https://data.example.com', apiKey: " +
        "'x' })",
    )
    expect(startGzip).toBeLessThan(5 * 1024)
  })
})
