import { catalogue, text } from '../catalogue.ts'

export const bulk = catalogue({
  title: text('Selected rows', 'Filas elegidas'),
  select: text('Select', 'Elegir'),
  selectRow: text(
    (name: string) => `Select ${name}`,
    name => `Elegir ${name}`,
  ),
  chosen: text(
    (count: number) => `${count} selected`,
    count => (count === 1 ? '1 elegida' : `${count} elegidas`),
  ),
  act: text(
    (action: string, count: number) => `${action} (${count})`,
    (action, count) => `${action} (${count})`,
  ),
  clear: text('Clear selection', 'Quitar la selección'),
  results: text('Results', 'Resultados'),
  hide: text('Hide results', 'Ocultar los resultados'),
  failed: text('Failed', 'Error'),
  skipped: text('Not changed', 'Sin cambios'),
})
