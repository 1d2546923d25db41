import { env } from 'node:process'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { offered } from './offered.ts'
import { tokens } from './table.ts'

// The cost of the tools of an MCP server to a model before it calls one: any server that speaks
// over stdin and stdout, with the variables of this environment. Run: `node
// test/evals/list-tools.ts COMMAND [ARGUMENT …]`

const [command, ...args] = process.argv.slice(2)
if (command === undefined) throw new Error('node test/evals/list-tools.ts COMMAND [ARGUMENT …]')
const variables = Object.entries(env).flatMap(([name, value]) =>
  value ? [[name, value] as const] : [],
)
const client = new Client({ name: 'list-tools', version: '1' })
await client.connect(
  new StdioClientTransport({ command, args, env: Object.fromEntries(variables), stderr: 'ignore' }),
)
const { tools } = await client.listTools()
console.log(`${tools.length} tools, ${tokens(offered(tools))} tokens`)
await client.close()
