import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import JSZip from 'jszip'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TOOL_NAMES } from '../../../src/mcp/tool-names.ts'
import { temporaryFolder } from '../../support/command.ts'
import { requireBuild } from '../../support/sources/dist.ts'
import { root } from '../../support/sources/sources.ts'

// Proves that the bundle for desktop clients follows its format, and works alone: it is unpacked
// into an empty folder, and started as its manifest says.

const text = v.string()
const optional = v.optional
const url = v.pipe(text, v.url())
/** A value that people choose, as the manifest's format has it in version 0.3. */
const choice = v.strictObject({
  type: v.picklist(['string', 'number', 'boolean', 'directory', 'file']),
  title: text,
  description: text,
  required: optional(v.boolean()),
  default: optional(v.union([text, v.number(), v.boolean(), v.array(text)])),
  multiple: optional(v.boolean()),
  sensitive: optional(v.boolean()),
})
/** The format refuses members that it does not know, so strict objects do as well. */
const format = v.strictObject({
  manifest_version: v.literal('0.3'),
  name: text,
  display_name: text,
  version: v.pipe(text, v.regex(/^\d+\.\d+\.\d+$/)),
  description: text,
  long_description: text,
  author: v.strictObject({ name: text, email: optional(text), url: optional(url) }),
  repository: v.strictObject({ type: text, url }),
  homepage: url,
  icon: text,
  server: v.strictObject({
    type: v.literal('node'),
    entry_point: text,
    mcp_config: v.strictObject({
      command: v.literal('node'),
      args: v.array(text),
      env: v.record(text, text),
    }),
  }),
  tools: v.array(v.strictObject({ name: text, description: text })),
  tools_generated: v.boolean(),
  prompts_generated: v.boolean(),
  keywords: v.array(text),
  license: text,
  compatibility: v.strictObject({
    platforms: v.array(v.picklist(['darwin', 'win32', 'linux'])),
    runtimes: v.strictObject({ node: text }),
  }),
  user_config: v.record(text, choice),
})

const project: { version: string; engines: { node: string } } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)
let folder: ReturnType<typeof temporaryFolder>
let manifest: v.InferOutput<typeof format>
let files: readonly string[]
let message = ''

beforeAll(async () => {
  requireBuild()
  folder = temporaryFolder()
  const bundle = join(folder.path, 'seine.mcpb')
  message = execFileSync(process.execPath, [join(root, '.ci/mcpb.mjs'), bundle], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const zip = await JSZip.loadAsync(readFileSync(bundle))
  files = Object.keys(zip.files)
  for (const name of files) {
    const path = join(folder.path, 'unpacked', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, (await zip.file(name)?.async('nodebuffer')) ?? '')
  }
  const manifestText = readFileSync(join(folder.path, 'unpacked/manifest.json'), 'utf8')
  manifest = v.parse(format, JSON.parse(manifestText))
})
afterAll(() => folder.remove())

/** The values of a person who changes only the folder, as a client puts them into the manifest. */
function filled(value: string): string {
  const chosen: Readonly<Record<string, unknown>> = {
    ...Object.fromEntries(
      Object.entries(manifest.user_config).map(([name, one]) => [name, one.default]),
    ),
    data: join(folder.path, 'data'),
  }
  return value
    .replaceAll('${__dirname}', join(folder.path, 'unpacked'))
    .replaceAll(/\$\{user_config\.(\w+)\}/g, (_, name) => String(chosen[name]))
}

test('the manifest names this version, its tools, and only values that people can choose', () => {
  expect([manifest.version, manifest.compatibility.runtimes.node]).toEqual([
    project.version,
    project.engines.node,
  ])
  expect(manifest.tools.map(({ name }) => name)).toEqual(TOOL_NAMES)
  const { args, env } = manifest.server.mcp_config
  const used = [...args, ...Object.values(env)].flatMap((value) =>
    [...value.matchAll(/\$\{user_config\.(\w+)\}/g)].map(([, name]) => name),
  )
  expect(used.toSorted()).toEqual(Object.keys(manifest.user_config).toSorted())
  // A user who installs it need not choose anything, and a key is not shown.
  expect(Object.values(manifest.user_config).filter((one) => one.default === undefined)).toEqual([])
  expect(manifest.user_config['key']?.sensitive).toBe(true)
})

test('the bundle has what runs, and nothing of development', () => {
  expect(files).toContain(manifest.server.entry_point)
  expect(files).toContain('server/node_modules/valibot/package.json')
  // Its licence has to go with it, and is a text that no program reads.
  expect(files).toContain('server/node_modules/valibot/LICENSE.md')
  expect(files.filter((name) => /node_modules\/(?:vitest|typescript|pg)\//.test(name))).toEqual([])
  expect(files.filter((name) => /\.map$|\.d\.ts$|^\/|\.\./.test(name))).toEqual([])
})

test('the bundle has an icon of the size that clients want, and its digest is said', () => {
  const icon = readFileSync(join(folder.path, 'unpacked', manifest.icon))
  expect(icon.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1A\n')
  expect([icon.readUInt32BE(16), icon.readUInt32BE(20)]).toEqual([512, 512])
  const digest = createHash('sha256').update(readFileSync(join(folder.path, 'seine.mcpb')))
  expect(message).toContain(`sha256 ${digest.digest('hex')}`)
})

test('a client that has unpacked it starts it, and uses its tools', async () => {
  const { args, env } = manifest.server.mcp_config
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: args.map(filled),
      // Nothing of this project is in reach but what was unpacked.
      cwd: folder.path,
      env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)])),
      stderr: 'pipe',
    }),
  )
  try {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES)
    const search = await client.callTool({
      name: 'search_templates',
      arguments: { query: 'article', limit: 1 },
    })
    expect(search.isError).not.toBe(true)
    expect(search.structuredContent).toMatchObject({ templates: [{ id: expect.any(String) }] })
  } finally {
    await client.close()
  }
})
