import { catalogue, text } from '../catalogue.ts'

/** Words of the list of shortcuts. */
export const shortcutTexts = catalogue({
  title: text('Keyboard shortcuts', 'Atajos de teclado'),
  palette: text('Go to a page or record', 'Ir a una página o un registro'),
  next: text('Open the next row of a list', 'Abrir la fila siguiente de una lista'),
  previous: text('Open the previous row of a list', 'Abrir la fila anterior de una lista'),
  close: text('Close what is open', 'Cerrar lo que está abierto'),
  list: text('Show this list', 'Mostrar esta lista'),
})
