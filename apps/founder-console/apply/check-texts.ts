import { catalogue, text } from '@windlass/ui/catalogue.ts'

/** Texts of the last step alone, so that the others need not load them. */
export const check = catalogue({
  send: text('Send application', 'Enviar la solicitud'),
  change: text('Change', 'Cambiar'),
  changeWhat: text(
    (what: string) => `Change ${what}`,
    what => `Cambiar: ${what}`,
  ),
  notGiven: text('Not given', 'No indicado'),
  byDefault: text('Our default', 'Nuestro valor'),
  credentialsKept: text(
    'Given. Stored in the secrets store and never displayed again.',
    'Indicadas. Están en el almacén de secretos y no se vuelven a mostrar.',
  ),
  declaration: text(
    'By sending the application you confirm that you may apply for this company and that your answers are true.',
    'Al enviar la solicitud confirma que puede presentarla en nombre de esta empresa y que sus respuestas son ciertas.',
  ),
  submitFailed: text('The application was not sent', 'La solicitud no se envió'),
})
