import { createServer } from 'node:http'

// The least that a server of the web's types costs: `Request` is loaded, one path is answered.
const server = createServer((incoming, answer) => {
  const { url } = new Request(new URL(incoming.url ?? '/', 'http://localhost'))
  answer.end(url)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address === 'object')
    process.stdout.write(`listening http://127.0.0.1:${address.port}\n`)
})
