import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Shop } from '../../examples/demo/shop.ts'
import { startCommand, temporaryFolder, type RunningCommand } from '../support/command.ts'
import { requireBuild } from '../support/sources/dist.ts'
import { blocksOf, docPages, withBlocks, type DocBlock } from '../support/sources/doc-blocks.ts'
import { root } from '../support/sources/sources.ts'
import { startDocsSite } from '../support/worlds/docs-site.ts'

// Runs the commands of each page in one shell, in their order, like a reader. To update an output
// on a page: npm run outputs.

/** The site in the docs. Its address is as long as that of the site which replaces it. */
const SITE = 'https://pencil.example'
const SERVER = 'http://127.0.0.1:3000'
const KEY = 'svc_sk_documentation_0123456789abcdefghijklmnopqrstuv'
const END = '--- the end of a block ---'

let site: Shop
beforeAll(async () => {
  requireBuild()
  site = await startDocsSite()
  if (site.url.length !== SITE.length) throw new Error(`${site.url} is not as long as ${SITE}`)
})
afterAll(() => site.close())

const runnable = ({ language, marker }: DocBlock): boolean => language === 'sh' && marker === ''
const pages = [...docPages()].filter(([, page]) => blocksOf(page).some(runnable))

test.for(pages)(
  'the commands of %s print the output that the page shows',
  { timeout: 120_000 },
  async ([path, page]) => {
    const folder = temporaryFolder()
    let server: RunningCommand | undefined
    try {
      const home = folder.path
      let address = SERVER
      if (/\$(API|KEY)\b/.test(page)) {
        server = startCommand(
          ['serve', '--port', '0', '--data', join(home, 'served'), '--key', KEY, ...OPEN],
          home,
        )
        address = (await server.until('stdout', /listening (\S+)/))[1] ?? ''
      }
      const there = (code: string) => code.replaceAll(SITE, site.url).replaceAll(SERVER, address)
      // A narrow column of a table cuts an address.
      const cut = (url: string) => `${url.slice(0, -1)}…`
      const here = (output: string) =>
        output
          .replaceAll(site.url, SITE)
          .replaceAll(cut(site.url), cut(SITE))
          .replaceAll(address, SERVER)
      prepare(home, there)
      const blocks = blocksOf(page).filter(runnable)
      const outputs = await runBlocks(
        home,
        address,
        blocks.map(({ code }) => there(code)),
      )
      const filled = withBlocks(page, (block) => {
        if (block.marker !== 'output') return block.code
        const before = blocks.findLast(({ line }) => line < block.line)
        const output = here(outputs[before ? blocks.indexOf(before) : -1] ?? '').trimEnd()
        return masked(output) === masked(block.code) ? block.code : output
      })
      await expect(filled).toMatchFileSnapshot(join(root, path))
    } finally {
      server?.child.kill('SIGTERM')
      await server?.ended
      folder.remove()
    }
  },
)

const OPEN = ['--allow-private-network', '--no-rate-limit']

/** The examples of the guides, the package, and `npx seine` as it is built. */
function prepare(home: string, there: (code: string) => string): void {
  for (const [name, code] of exampleTexts()) {
    // The site is on this machine; the command below also says so.
    const open = there(code).replace(
      /createPlatform\((?:\)|(\{))/,
      (_, brace: string | undefined) =>
        `createPlatform({ allowPrivateNetwork: true${brace === undefined ? ' })' : ','}`,
    )
    writeFileSync(join(home, name), open)
  }
  mkdirSync(join(home, 'node_modules'))
  symlinkSync(root, join(home, 'node_modules/seine'), 'dir')
  mkdirSync(join(home, '.bin'))
  const command = `shift\ncase "$1" in extract|tasks|runs) set -- "$@" --allow-private-network ;; esac\n`
  writeFileSync(
    join(home, '.bin/npx'),
    `#!/bin/sh\n${command}exec "${process.execPath}" "${join(root, 'dist/command/main.js')}" "$@"\n`,
    { mode: 0o755 },
  )
}

function exampleTexts(): [name: string, code: string][] {
  return ['examples/guides', 'examples/recipes'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name): [string, string] => [
      name,
      readFileSync(join(root, folder, name), 'utf8'),
    ]),
  )
}

/** The output of each block. A command that fails ends the test, with its output. */
async function runBlocks(
  home: string,
  address: string,
  blocks: readonly string[],
): Promise<string[]> {
  const script = blocks.map((code) => `${code}\necho '${END}'`).join('\n')
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: `${join(home, '.bin')}:${join(process.execPath, '..')}:${process.env['PATH'] ?? ''}`,
      HOME: home,
      COLUMNS: '100',
      TZ: 'UTC',
      KEY,
      API: `${address}/api/v1`,
      AUTH: `Authorization: Bearer ${KEY}`,
      JSON: 'Content-Type: application/json',
    },
  })
  const ended = new Promise<number | null>((resolve) => shell.once('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(shell.stdout), text(shell.stderr), ended])
  if (code !== 0) throw new Error(`A command failed with ${code}:\n${stdout}\n${stderr}`)
  // Lines of CSV files end in CRLF, which Markdown does not keep.
  return stdout.replaceAll('\r', '').split(`${END}\n`).slice(0, -1)
}

/** Replaces what differs from run to run, such as ids and times, so that it is not compared. */
function masked(output: string): string {
  return output
    .replaceAll(/\b([a-z]+_)[0-9A-HJKMNP-TV-Z]{26}\b/g, '$1id')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'time')
    .replaceAll(/\b(svc_sk|whsec)_[\w+/=-]+/g, '$1_secret')
    .replaceAll(/"(sha256:)?[0-9a-f]{64}"/g, '"digest"')
    .replaceAll(/\d+(\.\d+)? (ms|s)\b/g, 'duration')
    .trimEnd()
}
