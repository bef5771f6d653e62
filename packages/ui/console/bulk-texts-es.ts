import type { Translation } from '../catalogue.ts'
import type * as english from './bulk-texts.ts'

export const bulk: Translation<typeof english.bulk> = {
  title: 'Filas elegidas',
  select: 'Elegir',
  selectRow: name => `Elegir ${name}`,
  chosen: count => (count === 1 ? '1 elegida' : `${count} elegidas`),
  act: (action, count) => `${action} (${count})`,
  clear: 'Quitar la selección',
  results: 'Resultados',
  hide: 'Ocultar los resultados',
  failed: 'Error',
  skipped: 'Sin cambios',
}
