import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { MCP_HELP } from '../../../adapters/command/help.ts'
import { DEFAULT_INFO } from '../../../src/http/openapi/routes.ts'
import { root } from '../../support/sources/sources.ts'

// Proves that the description of `seine mcp` for registries of MCP servers is correct.

const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'))
const named = v.object({ type: v.literal('named'), name: v.string() })
const positional = v.object({ type: v.literal('positional'), value: v.string() })
const server = v.parse(
  v.object({
    name: v.string(),
    description: v.string(),
    version: v.string(),
    packages: v.tuple([
      v.object({
        identifier: v.string(),
        version: v.string(),
        transport: v.object({ type: v.string() }),
        packageArguments: v.array(v.variant('type', [named, positional])),
        environmentVariables: v.array(v.object({ name: v.string() })),
      }),
    ]),
  }),
  read('examples/deploy/server.json'),
)
const [inNpm] = server.packages
const project = v.parse(
  v.object({ name: v.string(), version: v.string(), mcpName: v.string() }),
  read('package.json'),
)

test('the API and its operator name the version of the package', () => {
  expect(DEFAULT_INFO.version).toBe(project.version)
})

test('it names this package and its version', () => {
  expect([server.version, inNpm.version]).toEqual([project.version, project.version])
  expect(inNpm.identifier).toBe(project.name)
  // A registry takes a package that names the same server.
  expect(project.mcpName).toBe(server.name)
  expect(server.description.length).toBeLessThanOrEqual(100)
})

test('its arguments and variables are those of the command', () => {
  expect(inNpm.transport.type).toBe('stdio')
  const [command, ...flags] = inNpm.packageArguments
  expect(command).toMatchObject({ type: 'positional', value: 'mcp' })
  for (const flag of flags) expect(MCP_HELP).toContain(flag.type === 'named' ? flag.name : '?')
  for (const { name } of inNpm.environmentVariables) expect(MCP_HELP).toContain(name)
})
