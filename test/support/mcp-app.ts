import { bundleMcpApp } from '../../.ci/build-console.mjs'
import { root } from './sources/sources.ts'

/** The page of the MCP App, made from its sources as the build makes it. */
export const app: { readonly gzip: string } = await bundleMcpApp(root)
