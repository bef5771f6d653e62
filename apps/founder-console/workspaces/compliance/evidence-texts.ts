import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const texts = catalogue({
  json: text('Evidence file', 'Archivo de evidencia'),
  pdf: text('Evidence to print', 'Evidencia para imprimir'),
  failed: text('The evidence was not exported', 'La evidencia no se exportó'),
})
