import type { OpenApiInfo } from './types.ts'

/** Where the host says nothing else. The version is that of the wire contract. */
export const DEFAULT_INFO: OpenApiInfo = {
  title: 'Seine',
  version: '1.0.0',
  description: 'Web data as rows: save a recipe, run it, read what it found.',
  license: { name: 'MIT', identifier: 'MIT' },
}
