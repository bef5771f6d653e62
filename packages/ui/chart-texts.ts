import { catalogue, text } from './catalogue.ts'

/** Words of charts. */
export const chartTexts = catalogue({
  table: text('Show figures', 'Mostrar las cifras'),
  day: text('Day', 'Día'),
  time: text('Time', 'Hora'),
})
