import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** How a command ended. */
export interface Ended {
  readonly code: number
  readonly output: string
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Runs a command of the package beside this file. */
export function runTool(script: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [here(`node_modules/${script}`), ...args],
      { maxBuffer: 1 << 26, timeout: 220_000 },
      (error, stdout, stderr) => {
        resolve({
          code: error ? (typeof error.code === 'number' ? error.code : 1) : 0,
          output: stdout + stderr,
        })
      },
    )
  })
}

/**
 * Runs what is chosen of a suite against the endpoint of a server. Its code is 0 if exactly the
 * scenarios fail that `baseline` lists.
 */
function runChosen(
  suite: string,
  chosen: readonly string[],
  url: string,
  baseline: string,
  folder: string,
): Promise<Ended> {
  return runTool(`${suite}/dist/index.js`, [
    'server',
    '--url',
    `${url}/mcp`,
    ...chosen,
    '--expected-failures',
    here(baseline),
    '-o',
    folder,
  ])
}

const MODERN = '@seine/conformance-2026'

/** Runs the version of the official suite for protocol 2026-07-28. */
export function runModernSuite(url: string, baseline: string, folder: string): Promise<Ended> {
  return runChosen(MODERN, ['--requirements', '2026-07-28'], url, baseline, folder)
}

/** Runs one scenario of that version, such as one of an extension, which no set requires. */
export function runScenario(
  url: string,
  scenario: string,
  baseline: string,
  folder: string,
): Promise<Ended> {
  return runChosen(MODERN, ['--scenario', scenario], url, baseline, folder)
}

/** Runs the whole official suite. */
export function runSuite(url: string, baseline: string, folder: string): Promise<Ended> {
  return runChosen('@modelcontextprotocol/conformance', ['--suite', 'all'], url, baseline, folder)
}
