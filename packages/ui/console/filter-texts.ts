import { catalogue, text } from '../catalogue.ts'

/** Words of filters that people save. */
export const filterTexts = catalogue({
  save: text('Save this filter', 'Guardar este filtro'),
  name: text('Name of the filter', 'Nombre del filtro'),
  keep: text('Save', 'Guardar'),
  remove: text(
    (name: string) => `Remove the filter ${name}`,
    name => `Quitar el filtro ${name}`,
  ),
})
