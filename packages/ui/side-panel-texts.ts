import { catalogue, text } from './catalogue.ts'

/** Words for what was typed and not sent. */
export const typedTexts = catalogue({
  title: text('Discard what you typed?', '¿Descartar lo que escribió?'),
  discard: text('Discard', 'Descartar'),
  keep: text('Keep editing', 'Seguir editando'),
})
