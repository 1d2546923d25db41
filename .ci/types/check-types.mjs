#!/usr/bin/env node
// `check-types -p FOLDER`: the compiler beside this file, as `tsc` is the one of the root.
await import('./node_modules/typescript/bin/tsc')
