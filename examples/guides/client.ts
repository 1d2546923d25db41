import { createClient, SeineError } from 'seine/client'

const client = createClient({
  baseUrl: 'http://127.0.0.1:3000',
  apiKey: process.env['KEY'] ?? '', // or token; a string or an async function
})

const task = await client.tasks.create({
  name: 'Pens',
  recipe: {
    start: { urls: ['https://pencil.example/category/pens'] },
    follow: [{ next: 'a.next' }],
    extract: {
      items: '.product',
      fields: { name: 'h2', price: { css: '.price', as: 'number' } },
    },
  },
})
const { id } = await client.executions.start(task.id)
for await (const { status, counters } of client.executions.follow(id))
  if (status === 'succeeded') console.log(`${counters.visited} pages, ${counters.rows} rows`)

let sum = 0
for await (const row of client.results.iterate(id, { fields: ['name', 'price'] }))
  sum += Number(row['price'])
console.log(`together ${sum.toFixed(2)} euros`)

const file = await client.results.export(id, { format: 'csv' })
console.log(
  `${file.name.split('.').at(-1)}: ${(await new Response(file.body).text()).split('\n')[0]}`,
)

try {
  await client.tasks.get('task_of_nobody')
} catch (error) {
  if (error instanceof SeineError) console.log(error.status, error.code)
}
