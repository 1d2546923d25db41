import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

// 40 tasks for agents, on sites in memory, by scripts that stand for agents: docs/agents.md.
// npm run evals -- [--write]
// --write: puts the table into docs/agents.md.

const root = fileURLToPath(new URL('../..', import.meta.url))
// The clock of these worlds knows from Vitest which modules are still loading.
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/evals/vitest.config.ts'],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, EVALS: process.argv.includes('--write') ? 'write' : 'print' },
  },
)
process.exitCode = status ?? 1
