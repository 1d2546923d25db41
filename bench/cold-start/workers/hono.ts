import { Hono } from 'hono'

const app = new Hono()
app.get('/api/v1/tasks', (context) => context.json([]))

export default app
