import { createPlatform } from 'seine'
import { createOpenAiModel } from 'seine/openai'

export const platform = createPlatform({
  model: createOpenAiModel({
    baseUrl: 'https://api.openai.com/v1', // or any other endpoint of Chat Completions
    apiKey: process.env['OPENAI_API_KEY'] ?? '',
    model: 'gpt-5-mini',
  }),
})
