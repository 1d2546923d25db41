import { tell } from './told.mjs'

tell({ loaded: 0, made: 0, first: 0, further: 0 })
