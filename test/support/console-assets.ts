import { bundleConsole } from '../../.ci/build-console.mjs'
import type { Assets } from '../../src/console/assets.ts'
import { root } from './sources/sources.ts'

const { files, boot, script, style, preloads } = await bundleConsole(root)

/** The console's files, made from its sources as the build makes them. */
export const assets: Assets = {
  files: Object.fromEntries(
    files.map(({ name, ...asset }) => [name, () => Promise.resolve({ asset })]),
  ),
  boot,
  script,
  style,
  preloads,
}
