import { defineConfig } from 'seine/config'

export default defineConfig({
  publicUrl: 'https://data.example.com',
  trustProxy: 1,
  rate: { tasks: '600/60s', mcp: 'off' },
  plans: [
    { id: 'free', name: 'Free', creditsPerMonth: 1_000, overdraft: 0 },
    { id: 'team', name: 'Team', creditsPerMonth: 100_000, overdraft: 10_000 },
  ],
  prices: { fetched: 1, rendered: 5 },
  logFormat: 'json',
  logRequests: 'all',
})
