import { catalogue, text } from './catalogue.ts'

/** Words of lists: their filters, further pages and files. */
export const listTexts = catalogue({
  filter: text('Filter', 'Filtrar'),
  all: text('All', 'Todos'),
  showAll: text('Show all', 'Mostrar todos'),
  search: text('Search', 'Buscar'),
  more: text('Show more', 'Mostrar más'),
  columns: text('Columns', 'Columnas'),
  save: text('Save as CSV', 'Guardar como CSV'),
})
