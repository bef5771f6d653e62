import { catalogue, text } from './catalogue.ts'

/** Words beside raw JSON. */
export const rawJsonTexts = catalogue({
  title: text('Raw JSON', 'JSON sin procesar'),
  copy: text('the JSON', 'el JSON'),
})
