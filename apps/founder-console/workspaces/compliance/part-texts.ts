import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const parts = catalogue({
  label: text('Parts of compliance', 'Partes de cumplimiento'),
  names: {
    review: text('To decide', 'Por decidir'),
    rules: text('Rules', 'Reglas'),
    names: text('Lists and owners', 'Listas y propietarios'),
    institutions: text('Other institutions', 'Otras entidades'),
    reports: text('Reports and registers', 'Informes y registros'),
  },
})
