import { createPlatform, defineTemplate } from 'seine'
import { strictObject, string } from 'valibot'

const tides = defineTemplate({
  id: 'tides',
  version: 1,
  updatedAt: '2030-01-31',
  name: 'Tide tables',
  description: 'Times and heights of the tides of a harbour.',
  categories: ['weather'],
  parameters: strictObject({ harbour: string() }),
  example: { harbour: 'dover' },
  columns: [
    { name: 'time', type: 'date', description: 'When.' },
    { name: 'height', type: 'number', description: 'Metres.' },
  ],
  sample: [{ time: '2030-01-31T04:10:00.000Z', height: 6.2 }],
  typicalPages: 1,
  recipe: ({ harbour }) => ({
    start: { urls: [`https://tides.example.com/${encodeURIComponent(harbour)}`] },
    extract: {
      items: 'tr.tide',
      fields: { time: { css: 'time', as: 'date' }, height: { css: '.m', as: 'number' } },
    },
  }),
})

export const platform = createPlatform({ templates: [tides] })
