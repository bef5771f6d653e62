import { catalogue, text } from './catalogue.ts'

/** Words of a log. */
export const logTexts = catalogue({
  title: text('Log', 'Registro'),
  filter: text('Filter the log', 'Filtrar el registro'),
  follow: text('Follow', 'Seguir'),
  pause: text('Pause', 'Pausar'),
  copy: text('the log', 'el registro'),
  empty: text('No log lines yet.', 'Aún no hay líneas en el registro.'),
  noMatch: text('No line matches the filter.', 'Ninguna línea coincide con el filtro.'),
  lines: text(
    (count: number) => `${count} ${count === 1 ? 'line' : 'lines'}`,
    count => `${count} ${count === 1 ? 'línea' : 'líneas'}`,
  ),
})
